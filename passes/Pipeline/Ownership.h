//===- Ownership.h - Stages that hold parameters and sums -------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_OWNERSHIP_H
#define PCC_PASSES_PIPELINE_OWNERSHIP_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Each stage has its own instance of the states that its tasks name. Fails for
/// a parameter that a stage evaluates and does not train, which would keep its
/// first value; and for a sum that a stage adds to but does not use at the end
/// of a step, which would be lost. Also fails for a task that names the same
/// memory twice, or that replaces a parameter or state by itself, by a value
/// that depends only on others, or, per microbatch, by anything but a sum with
/// it. Gathered buckets, first writers of sums, working copies and gradients
/// that a microbatch reduces are exceptions.
mlir::LogicalResult checkOwnership(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_OWNERSHIP_H
