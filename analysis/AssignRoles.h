//===- AssignRoles.h - Roles of inputs from their uses ----------*- C++ -*-===//

#ifndef PCC_ANALYSIS_ASSIGNROLES_H
#define PCC_ANALYSIS_ASSIGNROLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::analysis {

/// Assigns roles by the ops that use an input. Of the inputs of role tokens,
/// the first one whose ids an embedding looks up keeps its role, and the others
/// become data. Then calls assignTargets().
void assignRoles(mlir::func::FuncOp forward);

/// Assigns the role targets, or labels if the model itself shifts them, to at
/// most one data input: integers of rank 2 that are the targets of a cross
/// entropy. For a text labels are the tokens. It is called again after
/// recognition for a model that computes its own loss: before, inputs with the
/// loss' classes may not be identifiable.
void assignTargets(mlir::func::FuncOp forward);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_ASSIGNROLES_H
