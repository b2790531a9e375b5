//===- Plan.h - Offsets of buffers in the arena -----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_PLAN_H
#define PCC_PASSES_CODEGEN_LOWER_PLAN_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Assigns the offsets of a stage's buffers and the size of its arena.
void planArena(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_PLAN_H
