//===- Accumulators.h - What sums of a step hold when -----------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_ACCUMULATORS_H
#define PCC_PASSES_PIPELINE_ACCUMULATORS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Runs the schedules by what gradients and other sums hold. An error
/// for a run that adds to one or uses one before anything has been put there in
/// this step, for one that puts something there over what was, and for a body
/// that gives up what tasks need.
mlir::LogicalResult checkAccumulators(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_ACCUMULATORS_H
