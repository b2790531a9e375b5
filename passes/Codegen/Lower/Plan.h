//===- Plan.h - Offsets in frames and in the arena --------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_PLAN_H
#define PCC_PASSES_CODEGEN_LOWER_PLAN_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Assigns the offsets of a stage's temporaries, frames and other buffers, and
/// the size of its arena; adds the frames that calls need. What the runtime
/// keeps from step to step has a place of its own; everything else shares
/// places where it does not live at once in any entry point.
void planArena(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_PLAN_H
