//===- MergeReductions.h - Merging of adjacent all-reduces ------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_MERGEREDUCTIONS_H
#define PCC_PASSES_CODEGEN_LOWER_MERGEREDUCTIONS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Merges consecutive all_reduces over the same axes, within one stage, into
/// one collective if their buffers are adjacent in the arena, up to the padding
/// between them. `mesh` is the mesh of the program.
void mergeReductions(rt::StageOp stage, dist::MeshAxesAttr mesh);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_MERGEREDUCTIONS_H
