//===- Emit.h - Row programs as kernel IR -----------------------*- C++ -*-===//
//
// The kernel IR, from which every back end starts:
//
//   func.func private @kernel(%operand: memref<Nxf32>..., %result: ...)
//       attributes {rt.kernel, rt.units = U, rt.grain = G} {
//     scf.forall (%unit) in (U) {
//       memref.alloca ...                 // private to the unit
//       linalg.generic ... on memref.subview of rows, one per sweep
//     }
//   }
//
// Arguments are the function's operands, then its results, flattened; a result
// may be the same memory as an operand that the function's `rt.inplace` names.
// Units are independent and write disjoint elements. The loops of a generic
// read and write each element at its own index only, so they are parallel but
// for accumulators, which are zero-dimensional and private.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_EMIT_H
#define PCC_PASSES_CODEGEN_KERNELS_EMIT_H

#include "dialects/RT/RT.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Codegen/Kernels/Attention/Operands.h"
#include "passes/Codegen/Kernels/RowProgram.h"
#include "runtime/Chips.h"

namespace pcc::codegen {

/// What a back end chooses of its kernel IR. What is here is for CPUs.
struct KernelChoices {
  /// Sums and products of floats are made in so many bits, 32 or 64, or in
  /// their own type if that is wider, and rounded once.
  unsigned accumulatorBits = 64;
  /// Columns that a unit of a column sum or scatter takes: a few vectors, so
  /// that sums stay in registers and small tables still make several units.
  int64_t columnBlock = 64;
  /// Sums over rows, such as the second step of one, that would have fewer
  /// units than these have units of fewer columns, down to leastColumns.
  int64_t wantedUnits = 1, leastColumns = 64;
  /// Whether a sum of rows by sorted ids has a unit for each row, which takes
  /// all its columns, or one for each block of columns, which walks over all
  /// ids.
  bool sumsByRow = false;
  /// Attention by tiles: numbers of a vector, and what products keep in
  /// registers, rows of vectors.
  int64_t vectorLanes = 16, productRows = 8, productVectors = 2;
  /// Queries and keys of a tile.
  int64_t tileQueries = 64, tileKeys = 64;
  /// GPUs: bytes of shared memory that a block may have.
  int64_t sharedBytes = sharedOfBlock(kDefaultChip);
};

/// Bytes of temporaries a unit may have on its thread's stack.
inline constexpr int64_t kPrivateBytes = 512 * 1024;

/// Replaces a kernel function on tensors by its kernel IR, of the same name.
/// Fails with a diagnostic where the body has no row program.
mlir::FailureOr<mlir::func::FuncOp>
emitKernel(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
           const KernelChoices &choices = {});

/// A private function of a kernel's name whose arguments are the buffers of its
/// operands and results, flat; its entry block is empty.
mlir::func::FuncOp flattenKernel(mlir::OpBuilder &builder,
                                 mlir::func::FuncOp kernel);

/// What an attention reads and writes.
struct AttentionBuffers {
  /// By the op's operands.
  OperandMap operands;
  /// Of the op's results, none where nobody asks for one.
  llvm::SmallVector<Operand> outs;
};
/// The buffers of a kernel's attention among those of its function; constants
/// are built at the builder's place.
AttentionBuffers findBuffers(ScalarBuilder &b, mlir::func::FuncOp kernel,
                             mlir::Operation *attention,
                             mlir::ValueRange buffers);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_EMIT_H
