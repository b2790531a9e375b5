//===- Ownership.h - Which stage keeps a parameter or a sum -----*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_OWNERSHIP_H
#define PCC_PASSES_PIPELINE_OWNERSHIP_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Each stage has its own copy of what its tasks name. An error for a parameter
/// that a stage evaluates and does not train, whose copy would keep its first
/// value, and for a sum that a stage adds to and no task of it ends a step
/// with, which would be lost.
mlir::LogicalResult checkOwnership(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_OWNERSHIP_H
