//===- RunningSum.h - Sums of exponentials by one sweep ---------*- C++ -*-===//
//
// The log of a sum of exponentials takes two sweeps in kernel IR, as the row's
// highest element is subtracted from all:
//
//     sweep 0   m = max(m, x[c])
//     sweep 1   s += exp(x[c] - m)
//
// A device makes both in one, and reads the row once. A thread subtracts the
// highest element that it has seen so far; where that grows, what it has added
// up is scaled to it, which is done for several accesses at a time:
//
//     n = max(m, x[c..])    s = s * exp(m - n) + exp(x[c..] - n)    m = n
//
// In the end the sums of all threads are scaled to the row's highest element,
// and added as any others.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_RUNNINGSUM_H
#define PCC_PASSES_CODEGEN_GPU_RUNNINGSUM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace pcc::codegen {

/// Two sweeps over the same columns that are made in one.
struct RunningSum {
  /// The sweep that finds the highest element, and perhaps adds up others.
  mlir::linalg::GenericOp max;
  /// The one whose reductions are all sums of exp(x - highest), or of zero.
  mlir::linalg::GenericOp sum;
  /// Which of the outs of `max` the highest element is.
  unsigned place;
  /// What `sum` subtracts.
  mlir::Value highest;
};

/// The x - `subtracted` that an op is exp of; null: it is not.
mlir::Operation *differenceIn(mlir::Operation *power, mlir::Value subtracted);

/// Those of a unit; no sweep is part of two. Of what `max` makes, nothing is
/// looked at ahead of `sum`.
llvm::SmallVector<RunningSum> findRunningSums(mlir::Block &unit);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_RUNNINGSUM_H
