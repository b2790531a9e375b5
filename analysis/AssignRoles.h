//===- AssignRoles.h - Roles of inputs from their uses ----------*- C++ -*-===//

#ifndef PCC_ANALYSIS_ASSIGNROLES_H
#define PCC_ANALYSIS_ASSIGNROLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::analysis {

/// Distinguishes token ids, targets and labels, among the inputs of role
/// tokens, by the ops that use them. Labels are targets that the model itself
/// shifts: for a text they are the tokens.
void assignRoles(mlir::func::FuncOp forward);

/// The same for targets only, for a model that computes its own loss: before
/// the loss is recognized, inputs with its classes may not be identifiable.
void assignTargets(mlir::func::FuncOp forward);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_ASSIGNROLES_H
