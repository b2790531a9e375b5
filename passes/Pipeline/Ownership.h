//===- Ownership.h - Which stage keeps a parameter or a sum -----*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_OWNERSHIP_H
#define PCC_PASSES_PIPELINE_OWNERSHIP_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Each stage has its own copy of what its tasks name. An error for a parameter
/// that a stage evaluates and does not train, whose copy would keep its first
/// value; for a sum that a stage adds to and no task of it ends a step with,
/// which would be lost; for a task that replaces a parameter or state by
/// itself, by what goes on from others alone, or, per microbatch, by anything
/// but a sum with it.
mlir::LogicalResult checkOwnership(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_OWNERSHIP_H
