//===- Step.h - What a rank does in a training step -------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_STEP_H
#define PCC_TOOLS_PCC_STEP_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Calls `visit` for each op that a rank of a stage does in a training step,
/// with how often it does it: those of @train and of all it calls.
void forEachInStep(
    rt::StageOp stage,
    llvm::function_ref<void(mlir::Operation *, int64_t times)> visit);

} // namespace pcc

#endif // PCC_TOOLS_PCC_STEP_H
