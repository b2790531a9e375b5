//===- DeviceTiles.h - Tiles of attention on devices ------------*- C++ -*-===//
//
// What a block of a device holds of an attention, in shared memory:
//
//     forward       rows of q                       stay
//                   columns of k, v                 come one tile after another
//     backward, dq  rows of q, do                   stay
//                   columns of k, v                 come
//     dk and dv     rows of k, v                    stay
//                   columns of q, do                come
//     dbias         rows of q, do, columns of k, v  come
//
// A warp has 16 of the rows, with all that is added up for them, in registers.
// A block makes at most 128 columns of a result; of wider heads several blocks
// have the same rows, and each computes the scores.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_DEVICETILES_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_DEVICETILES_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace pcc::codegen {

/// Rows of a warp, and its threads.
inline constexpr int64_t kWarpRows = 16, kLanes = 32;

/// The tiles of a block of threads that makes attention, forward or backward.
struct DeviceTiles {
  /// Rows that stay and rows ("columns" of scores) that come, multiples of 16.
  int64_t rows, columns;
  /// Backward, those of a block that keys stay in, which has two results.
  int64_t columnsOfKeys;
  /// Columns that a tile of q or k, and one of v, has in shared memory, with
  /// zeros behind those of a head.
  int64_t width, valueWidth;
  /// Columns of results that a block makes, of q or k's and of v's.
  int64_t chunk, valueChunk;
  /// Blocks that share rows, each with other columns of the results.
  int64_t chunks;
  /// Elements from row to row: of what comes, and of what stays, whose place
  /// results go through.
  int64_t stride, valueStride, stayStride, stayValueStride;
  /// Elements from row to row of scores, where they go through shared memory.
  int64_t scoreStride;
  /// Bytes of an element of the operands.
  int64_t elementBytes;
  /// Blocks that a core shall have room for; 0: as many as come.
  int64_t blocksOfCore;

  /// Threads of a block.
  int64_t threads() const { return rows / kWarpRows * kLanes; }
  /// Whether products are made by the tensor cores, of 16-bit factors.
  bool usesTensorCores() const { return elementBytes == 2; }
};

/// The tiles of an `nn.attention` or `nn.attention_grad`; none where a block,
/// which has `sharedBytes` bytes of shared memory, has no room for them, or its
/// operands are no floats of one type, but for the bias.
std::optional<DeviceTiles> chooseDeviceTiles(mlir::Operation *attention,
                                             int64_t sharedBytes);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_DEVICETILES_H
