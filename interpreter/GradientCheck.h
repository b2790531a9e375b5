//===- GradientCheck.h - Derivatives against differences --------*- C++ -*-===//

#ifndef PCC_INTERPRETER_GRADIENTCHECK_H
#define PCC_INTERPRETER_GRADIENTCHECK_H

#include "interpreter/Machine.h"

namespace pcc::interp {

/// What is checked and how closely.
struct GradientCheckOptions {
  /// The function that computes the loss, and the one that accumulates
  /// gradients.
  mlir::func::FuncOp loss, gradient;
  /// Elements of each parameter that are tried.
  int64_t samples = 6;
  /// Largest difference allowed, relative to the parameter's largest gradient
  /// (but at least a thousandth of any parameter's: a key bias' true gradient
  /// is zero, and what is computed for it is rounding).
  double tolerance = 1e-6;
};

/// Runs function `gradient` once and compares what it accumulated in
/// "grad.<param>" with central differences (4th order) of the first result of
/// function `loss`, at random elements of every parameter. The functions may
/// belong to two programs with the same parameters and values; both machines
/// must be exact. Writes a line per parameter. Where `gradient` adds to
/// "loss_sum", that must equal the loss.
mlir::LogicalResult checkGradients(Machine &lossMachine,
                                   llvm::ArrayRef<TensorRef> lossArgs,
                                   Machine &gradientMachine,
                                   llvm::ArrayRef<TensorRef> gradientArgs,
                                   const GradientCheckOptions &options,
                                   uint64_t seed, llvm::raw_ostream &os);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_GRADIENTCHECK_H
