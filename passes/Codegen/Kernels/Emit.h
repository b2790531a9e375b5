//===- Emit.h - Row programs as kernel IR -----------------------*- C++ -*-===//
//
// The kernel IR, the common input of all back ends:
//
//   func.func private @kernel(%operand: memref<Nxf32>..., %result: ...)
//       attributes {rt.kernel, rt.units = U, rt.grain = G} {
//     scf.forall (%unit) in (U) {         // work items
//       memref.alloca ...                 // private to the work item
//       linalg.generic ... on memref.subview of rows, one per pass
//     }
//   }
//
// Arguments are the function's operands, then its results, flattened. A result
// may share its buffer with the operand that its `rt.inplace` names. Work items
// are independent and write disjoint elements. The loops of a generic read and
// write each element at its own index only, so they are parallel except for
// accumulators, which are zero-dimensional and private.
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

/// Parameters of the kernel IR that a back end chooses; the defaults are for
/// CPUs.
struct KernelChoices {
  /// The bits in which floats are summed and multiplied, 32 or 64, or their own
  /// type's if that is wider; the result is rounded once.
  unsigned accumulatorBits = 64;
  /// Columns per work item of a column sum or scatter: a few vectors. Sums then
  /// stay in registers, and small tables still have several work items.
  int64_t columnBlock = 64;
  /// A column sum with fewer work items than `wantedUnits`, such as the second
  /// step of a split sum, gets narrower blocks, down to `leastColumns`.
  int64_t wantedUnits = 1, leastColumns = 64;
  /// How a sum of rows by sorted ids is divided. True: one work item per
  /// row of the table, with all columns; a sum into a base has one per token,
  /// too. False: one per block of columns, which goes through all ids.
  bool sumsByRow = false;
  /// Tiled attention: f32 lanes of a vector, and the register block of a matrix
  /// product, in rows and vectors per row.
  int64_t vectorLanes = 16, productRows = 8, productVectors = 2;
  int64_t tileQueries = 64, tileKeys = 64;
  /// GPUs: the shared memory of a block, in bytes.
  int64_t sharedBytes = sharedOfBlock(kDefaultChip);
};

/// The most bytes of temporaries that a work item may have on its thread's
/// stack.
inline constexpr int64_t kPrivateBytes = 512 * 1024;

/// Replaces a kernel function on tensors by its kernel IR, of the same name.
/// Fails with a diagnostic if the body has no row program or does not write all
/// results, or if an attention cannot be lowered to CPU tiles.
mlir::FailureOr<mlir::func::FuncOp>
emitKernel(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
           const KernelChoices &choices = {});

/// Creates a private function of the kernel's name whose arguments are the flat
/// buffers of its operands and results; its entry block is empty.
mlir::func::FuncOp flattenKernel(mlir::OpBuilder &builder,
                                 mlir::func::FuncOp kernel);

/// The buffers that an attention reads and writes.
struct AttentionBuffers {
  OperandMap operands;
  /// By the op's results; null for results without uses.
  llvm::SmallVector<Operand> outs;
};
/// Finds the buffers of a kernel's attention among the buffers of its function.
/// Constants are built at the insertion point.
AttentionBuffers findBuffers(ScalarBuilder &b, mlir::func::FuncOp kernel,
                             mlir::Operation *attention,
                             mlir::ValueRange buffers);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_EMIT_H
