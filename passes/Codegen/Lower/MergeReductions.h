//===- MergeReductions.h - Adjacent reductions become one -------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_MERGEREDUCTIONS_H
#define PCC_PASSES_CODEGEN_LOWER_MERGEREDUCTIONS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Joins all_reduces that follow each other, over the same ranks of one stage
/// and of buffers that lie one after the other in the arena, up to the padding
/// between them, into one transfer. `mesh` is that of the program.
void mergeReductions(rt::StageOp stage, dist::MeshAxesAttr mesh);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_MERGEREDUCTIONS_H
