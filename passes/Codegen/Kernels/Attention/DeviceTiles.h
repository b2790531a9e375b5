//===- DeviceTiles.h - Tiles of attention on devices ------------*- C++ -*-===//
//
// The shared memory of a device block:
//
//     forward       rows of q                       resident
//                   columns of k, v                 streamed, tile by tile
//     backward, dq  rows of q, do                   resident
//                   columns of k, v                 streamed
//     dk and dv     rows of k, v                    resident
//                   columns of q, do                streamed
//     dbias         rows of q, do, columns of k, v  streamed
//
// A warp owns 16 of the rows and keeps their accumulators in registers. A block
// computes at most 128 columns of a result; for wider heads several blocks have
// the same rows, and each computes the scores.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_DEVICETILES_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_DEVICETILES_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace pcc::codegen {

/// The rows of a warp, and its threads.
inline constexpr int64_t kWarpRows = 16, kLanes = 32;

/// The tiles of a thread block that computes attention, forward or backward.
struct DeviceTiles {
  /// Resident rows and streamed rows ("columns" of scores), multiples of 16.
  int64_t rows, columns;
  /// Backward: `columns` of the blocks with resident keys, which have two
  /// results.
  int64_t columnsOfKeys;
  /// Columns of a tile of q or k, and of v, in shared memory: a head's, padded
  /// with zeros to whole steps.
  int64_t width, valueWidth;
  /// Columns of the results per block, of q or k's gradient and of v's.
  int64_t chunk, valueChunk;
  /// Blocks with the same rows, each for other columns of the results.
  int64_t chunks;
  /// Row strides in elements: of streamed tiles, and of resident tiles, whose
  /// memory results also pass through.
  int64_t stride, valueStride, stayStride, stayValueStride;
  /// Row stride of scores, in elements, if they pass through shared memory.
  int64_t scoreStride;
  /// Of the operands.
  int64_t elementBytes;
  /// Blocks that a multiprocessor must have room for; 0: any number.
  int64_t blocksOfCore;

  /// Threads per block.
  int64_t threads() const { return rows / kWarpRows * kLanes; }
  /// Whether matrix products use tensor cores, which take bf16/fp16 factors.
  bool usesTensorCores() const { return elementBytes == 2; }
};

/// The tiles of an `nn.attention` or `nn.attention_grad`. None if they do not
/// fit in `sharedBytes` bytes of a block's shared memory. None, too, if the
/// operands with rows of a head are not floats of one type of at most 32 bits,
/// or if the bias has wider elements.
std::optional<DeviceTiles> chooseDeviceTiles(mlir::Operation *attention,
                                             int64_t sharedBytes);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_DEVICETILES_H
