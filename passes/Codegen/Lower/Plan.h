//===- Plan.h - Offsets of buffers in the arena -----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_PLAN_H
#define PCC_PASSES_CODEGEN_LOWER_PLAN_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Assigns the offsets of a stage's temporaries, scratch buffers and other
/// buffers, and the size of its arena. Adds the scratch buffers that calls
/// need. Buffers that keep their contents from step to step have memory of
/// their own. All other buffers share memory if they are not live at the same
/// time in any entry point. With `offload`, optimizer state comes first, in the
/// offloaded range of the arena.
void planArena(rt::StageOp stage, bool offload);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_PLAN_H
