//===- MergeReductions.h - Merging of adjacent all-reduces ------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_MERGEREDUCTIONS_H
#define PCC_PASSES_CODEGEN_LOWER_MERGEREDUCTIONS_H

#include "dialects/RT/RT.h"

namespace pcc {

/// Merges consecutive all_reduces of a function into one collective if they
/// have the same axes, reduction and stream, and their buffers are adjacent in
/// the arena, up to the padding between them. Buckets, and all_reduces over the
/// pipeline axis, stay. `mesh` is the mesh of the program.
void mergeReductions(rt::StageOp stage, dist::MeshAxesAttr mesh);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_MERGEREDUCTIONS_H
