//===- GradientCheck.h - Derivatives against differences --------*- C++ -*-===//

#ifndef PCC_INTERPRETER_GRADIENTCHECK_H
#define PCC_INTERPRETER_GRADIENTCHECK_H

#include "interpreter/Fill.h"
#include "interpreter/Machine.h"

namespace pcc::interp {

struct GradientCheckOptions {
  std::string loss = "loss", gradient = "microbatch";
  /// Elements of each parameter that are tried.
  int64_t samples = 6;
  /// Largest difference allowed, relative to the parameter's largest gradient
  /// (but at least a thousandth of any parameter's: a key bias' true gradient
  /// is zero, and what is computed for it is rounding).
  double tolerance = 1e-6;
};

/// Runs function `gradient` once in f64 and compares what it accumulated in
/// "grad.<param>" with central differences (4th order) of the first result of
/// function `loss`, at random elements of every parameter. Both functions
/// take the same arguments, matched by name. Writes a line per parameter.
/// Where `gradient` adds to "loss_sum", that must equal the loss.
mlir::LogicalResult checkGradients(
    Machine &machine, const GradientCheckOptions &options, uint64_t seed,
    llvm::function_ref<mlir::FailureOr<ValueList>(mlir::func::FuncOp)>
        makeArguments,
    llvm::raw_ostream &os);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_GRADIENTCHECK_H
