//===- GradientOrigins.h - Whose gradient is put where? ---------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_GRADIENTORIGINS_H
#define PCC_PASSES_PIPELINE_GRADIENTORIGINS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// An error for a task that puts into the gradient of a parameter what can only
/// be that of another one.
mlir::LogicalResult checkGradientOrigins(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_GRADIENTORIGINS_H
