//===- GroupedGemm.h - Grouped GEMMs on devices -----------------*- C++ -*-===//
//
// A block computes a tile of the result. The rows of a tile belong to one
// group; its factors pass through shared memory, some steps of the inner
// dimension at a time:
//
//     "rk,enk->rn"    tile of rows, columns n     sum over k
//     "rn,enk->rk"    tile of rows, columns k     sum over n
//     "rn,rk->enk"    tile of a group's matrix    sum over the group's rows
//
// How many rows a group has is known on the device only, so in the first two
// forms there are blocks for the most tiles that groups can have. Each finds
// its tile from the ends. Here ends are 5 5 8 of 10 rows, and tiles have 4
// rows:
//
//     tile            0    1    2    3    4, 5
//     rows            0-3  4    5-7  8-9  none
//     group           0    0    2    zeros
//
// The order of all additions is fixed. Four warps of a block, two by two,
// compute a quarter of the tile each, by FMAs or, in 16 bits, tensor cores:
//
//     for each step:   registers to shared memory, one of two tiles; barrier
//                      load the factors of the next step to registers
//                      sums += lhs * rhs
//     store the sums, added to the old values if there are any
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_GROUPEDGEMM_H
#define PCC_PASSES_CODEGEN_GPU_GROUPEDGEMM_H

#include "passes/Codegen/Gpu/Device.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"

namespace pcc::codegen {

/// The tiles of a block.
struct GroupedTiles {
  /// The tiles for the sizes of a contraction and its operands' type.
  GroupedTiles(const GroupedSizes &sizes, mlir::Type element);

  /// Rows and columns of the result, multiples of 32, and steps of the inner
  /// dimension.
  int64_t rows, columns, depth;
  /// Tiles along the rows of the result, at most; along its columns; and
  /// matrices.
  int64_t rowTiles, columnTiles, matrices;
  /// Blocks that a multiprocessor must have registers for.
  int64_t blocksOfCore;

  int64_t blocks() const { return rowTiles * columnTiles * matrices; }
};

/// Emits the device function of a kernel on tensors that consists of a grouped
/// contraction. Inserts it at the builder's insertion point in a gpu.module.
/// Fails with a diagnostic.
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitDeviceGrouped(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
                  const KernelChoices &choices);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_GROUPEDGEMM_H
