//===- AssignRoles.h - What a model reads by its inputs ---------*- C++ -*-===//

#ifndef PCC_ANALYSIS_ASSIGNROLES_H
#define PCC_ANALYSIS_ASSIGNROLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::analysis {

/// Tells ids from targets, among the inputs that have the role of tokens, by
/// what reads them. Labels are targets that the model itself shifts: of text
/// they are the tokens.
void assignRoles(mlir::func::FuncOp forward);

/// The same for targets alone, of a model that computes its loss: which inputs
/// are classes of one may not be seen before it is recognized.
void assignTargets(mlir::func::FuncOp forward);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_ASSIGNROLES_H
