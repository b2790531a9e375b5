//===- OwnLoss.h - The loss that a file ends in -----------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_OWNLOSS_H
#define PCC_FRONTEND_IMPORT_OWNLOSS_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::frontend {

/// Whether a parameter that may be trained has a part in `value`.
bool dependsOnParams(mlir::Value value);

/// Takes the loss that @forward returns, one number for the whole batch, apart
/// into terms: factor * sum / divisor, of which @forward then returns sum and
/// divisor, and nn.has_loss on it says the rest (see there).
///
/// `some` and `twice` are the @forward of the same file for some batch and for
/// twice that: by comparing a mean over the batch is told from a sum times a
/// constant. Null if the file fixes its batch: then it is told where operators
/// do.
void splitLoss(mlir::func::FuncOp forward, mlir::func::FuncOp some,
               mlir::func::FuncOp twice);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_OWNLOSS_H
