//===- Differentiate.h - Derivatives of translated ops ----------*- C++ -*-===//

#ifndef PCC_FRONTEND_BINDING_DIFFERENTIATE_H
#define PCC_FRONTEND_BINDING_DIFFERENTIATE_H

#include "mlir/IR/Builders.h"

namespace pcc::frontend {

/// Builds the cotangents of `inputs` for a cotangent of ones of `output`, a
/// float value, through the ops of the current block. Null for inputs without a
/// gradient. Errors, at `loc`: an op without a derivative.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value output,
              llvm::ArrayRef<mlir::Value> inputs);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_DIFFERENTIATE_H
