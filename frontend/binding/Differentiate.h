//===- Differentiate.h - Derivatives of ops so far --------------*- C++ -*-===//

#ifndef PCC_FRONTEND_BINDING_DIFFERENTIATE_H
#define PCC_FRONTEND_BINDING_DIFFERENTIATE_H

#include "mlir/IR/Builders.h"

namespace pcc::frontend {

/// The cotangents of `inputs` for ones as that of `output`, a float, by the
/// ops of the block that is built in; null where it does not depend on one, or
/// is flat. Fails, with an error at `loc`, at an op without a derivative.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value output,
              llvm::ArrayRef<mlir::Value> inputs);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_DIFFERENTIATE_H
