//===- Step.h - Ops of a training step --------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_STEP_H
#define PCC_TOOLS_PCC_STEP_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Calls `visit` for each op that a rank of a stage executes in a training
/// step, in @train and the functions that it calls, with the number of
/// executions.
void forEachInStep(
    rt::StageOp stage,
    llvm::function_ref<void(mlir::Operation *, int64_t times)> visit);

} // namespace pcc

#endif // PCC_TOOLS_PCC_STEP_H
