//===- Dependence.h - What values are computed from -------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_DEPENDENCE_H
#define PCC_ANALYSIS_DEPENDENCE_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::nn {

/// Whether `isSought` holds of `value` or of any value that it is computed
/// from, arguments of the function included.
bool dependsOn(mlir::Value value,
               llvm::function_ref<bool(mlir::Value)> isSought);

/// The values that `value` is computed from, and itself.
llvm::DenseSet<mlir::Value> neededFor(mlir::Value value);

/// Whether a set of values has a result of this op.
bool hasResultOf(const llvm::DenseSet<mlir::Value> &values,
                 mlir::Operation *op);

/// Whether a gradient flows from `value` to a parameter that is not frozen.
/// None flows through whole numbers and truth values, such as the index of a
/// maximum, through floor and round, and through what is detached.
bool hasGradient(mlir::Value value);
/// An op that `value` is computed with, from parameters, and that no gradient
/// flows through; null if there is none.
mlir::Operation *findGradientStop(mlir::Value value);

/// The parameter that is read; null for a state.
ParamOp paramOf(ReadOp read);
/// The parameter that a value is a read of, perhaps in another element type;
/// null if it is none.
ParamOp paramOf(mlir::Value value);

} // namespace pcc::nn

#endif // PCC_ANALYSIS_DEPENDENCE_H
