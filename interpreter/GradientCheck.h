//===- GradientCheck.h - Gradient check by finite differences ---*- C++ -*-===//

#ifndef PCC_INTERPRETER_GRADIENTCHECK_H
#define PCC_INTERPRETER_GRADIENTCHECK_H

#include "interpreter/Machine.h"

namespace pcc::interp {

/// The options of a gradient check.
struct GradientCheckOptions {
  /// The function that computes the loss, and the one that accumulates
  /// gradients.
  mlir::func::FuncOp loss, gradient;
  /// The largest number of elements to check of each parameter.
  int64_t samples = 6;
  /// The largest difference allowed, relative to the parameter's largest
  /// gradient, or to a thousandth of the largest gradient of any parameter if
  /// that is greater. (The true gradient of a key bias is zero; its computed
  /// gradient is rounding error.)
  double tolerance = 1e-6;
};

/// Runs function `gradient` once, and compares the gradients that it
/// accumulated in "grad.<param>", divided by the loss scale if there is one,
/// with central differences (4th order) of a loss. The loss is the first result
/// of function `loss`. Of every parameter with a gradient, the element with the
/// largest gradient and random others are checked; only frozen parameters may
/// have none. The functions may be in two programs with the same parameters and
/// values; both machines must be exact. Writes the loss, and a line for each
/// parameter. If `gradient` accumulates "loss_sum", that must equal the loss.
mlir::LogicalResult checkGradients(Machine &lossMachine,
                                   llvm::ArrayRef<TensorRef> lossArgs,
                                   Machine &gradientMachine,
                                   llvm::ArrayRef<TensorRef> gradientArgs,
                                   const GradientCheckOptions &options,
                                   uint64_t seed, llvm::raw_ostream &os);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_GRADIENTCHECK_H
