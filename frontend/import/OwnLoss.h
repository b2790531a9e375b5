//===- OwnLoss.h - The loss that a file computes ----------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_OWNLOSS_H
#define PCC_FRONTEND_IMPORT_OWNLOSS_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::frontend {

/// Whether `value` depends on a parameter that is not frozen.
bool dependsOnParams(mlir::Value value);

/// Splits the loss that @forward returns, one number for the whole batch, into
/// terms factor * sum / divisor. @forward then returns each term's sum, and its
/// divisor if it has one; the attribute nn.has_loss describes the terms.
///
/// `some` and `twice` are the @forward of the same file for some batch and for
/// twice that batch: their comparison tells a mean over the batch from a sum
/// times a constant. Both are null if the file fixes its batch; then its
/// operators decide.
void splitLoss(mlir::func::FuncOp forward, mlir::func::FuncOp some,
               mlir::func::FuncOp twice);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_OWNLOSS_H
