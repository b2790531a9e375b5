//===- Accumulators.h - Accumulation of gradients in a step -----*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_ACCUMULATORS_H
#define PCC_PASSES_PIPELINE_ACCUMULATORS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Follows the contents of gradients and other sums through the schedules.
/// Fails for a run that uses or adds to one before a run of this step, or a
/// clear at the end of the step before, has initialized it; for a run of a
/// microbatch that overwrites accumulated contents; and for a task that kills
/// an argument that is neither value nor gradient, or that it binds twice.
mlir::LogicalResult checkAccumulators(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_ACCUMULATORS_H
