//===- GradientOrigins.h - Gradients match their parameters -----*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_GRADIENTORIGINS_H
#define PCC_PASSES_PIPELINE_GRADIENTORIGINS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Fails for a task that stores into the gradient of one parameter a value that
/// can only be the gradient of another.
mlir::LogicalResult checkGradientOrigins(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_GRADIENTORIGINS_H
