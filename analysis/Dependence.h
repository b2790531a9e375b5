//===- Dependence.h - Dependences of values ---------------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_DEPENDENCE_H
#define PCC_ANALYSIS_DEPENDENCE_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::nn {

/// Whether `isSought` is true for `value` or for any value that it is computed
/// from, including arguments of the function.
bool dependsOn(mlir::Value value,
               llvm::function_ref<bool(mlir::Value)> isSought);

/// The set of `value` and of all values that it is computed from.
llvm::DenseSet<mlir::Value> neededFor(mlir::Value value);

/// Whether a set of values has a result of this op.
bool hasResultOf(const llvm::DenseSet<mlir::Value> &values,
                 mlir::Operation *op);

/// Whether a gradient flows from `value` to a parameter that is not frozen. No
/// gradient flows through integers and bools, such as the index of a maximum,
/// through floor and round, or through detached values.
bool hasGradient(mlir::Value value);
/// The last op that stops the gradient on its way from `value` to a parameter
/// that is not frozen; null if there is none.
mlir::Operation *findGradientStop(mlir::Value value);

/// The parameter that an op reads; null if it reads a state.
ParamOp paramOf(ReadOp read);
/// The parameter that a value reads, possibly cast to another element type;
/// null if the value is no such read.
ParamOp paramOf(mlir::Value value);

} // namespace pcc::nn

#endif // PCC_ANALYSIS_DEPENDENCE_H
