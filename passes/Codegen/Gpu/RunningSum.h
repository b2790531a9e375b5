//===- RunningSum.h - Sums of exponentials in one pass ----------*- C++ -*-===//
//
// A log-sum-exp takes two passes in kernel IR, since the row's maximum is
// subtracted from all elements:
//
//     pass 0    m = max(m, x[c])
//     pass 1    s += exp(x[c] - m)
//
// On a device both become one pass (online softmax), which reads the row once.
// A thread subtracts the maximum of the elements that it has seen so far. When
// that grows, the partial sum is rescaled. This is done once for several
// accesses:
//
//     n = max(m, x[c..])    s = s * exp(m - n) + exp(x[c..] - n)    m = n
//
// At the end, the sums of all threads are rescaled to the row's maximum and
// added like any other reduction.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_RUNNINGSUM_H
#define PCC_PASSES_CODEGEN_GPU_RUNNINGSUM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace pcc::codegen {

/// Two passes over the same columns that are emitted as one.
struct RunningSum {
  /// The pass that computes the maximum, and perhaps further reductions.
  mlir::linalg::GenericOp max;
  /// The pass whose reductions are all sums of exp(x - highest) or of zero.
  mlir::linalg::GenericOp sum;
  /// The index of the maximum among the outs of `max`.
  unsigned place;
  /// The loaded maximum, which `sum` subtracts.
  mlir::Value highest;
};

/// If an op is exp(x - `subtracted`), returns the subtraction; otherwise null.
mlir::Operation *differenceIn(mlir::Operation *power, mlir::Value subtracted);

/// Returns the running sums of a work item. Each pass belongs to at most one.
/// No result of `max` is used between it and `sum`.
llvm::SmallVector<RunningSum> findRunningSums(mlir::Block &unit);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_RUNNINGSUM_H
