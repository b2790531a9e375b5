//===- Accumulators.h - Accumulation of gradients in a step -----*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_ACCUMULATORS_H
#define PCC_PASSES_PIPELINE_ACCUMULATORS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Follows the contents of gradients and other sums through the schedules.
/// Fails for a run that uses or adds to one before a run of this step has
/// initialized it, for a run that overwrites accumulated contents, and for a
/// body that kills an argument that its tasks still need.
mlir::LogicalResult checkAccumulators(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_ACCUMULATORS_H
