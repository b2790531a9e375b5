//===- Conflicts.h - Conflict intervals of offsets --------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_CONFLICTS_H
#define PCC_PASSES_CODEGEN_PACKING_CONFLICTS_H

#include "passes/Codegen/Packing/Packing.h"

namespace pcc {

/// An open interval of offsets that a block may not have, relative to the
/// offset of another block.
struct ConflictInterval {
  /// The index of the other block.
  unsigned other;
  /// In bytes; negative if the block would begin below the other.
  int64_t after, before;
};

/// The conflict intervals of blocks. For each pair of blocks that are live at a
/// common moment: the relative offsets at which their pieces would overlap.
struct Conflicts {
  /// With `ofSimple`: of all pairs, known to both blocks. Without: only of
  /// pairs in which a block is not simple, known to such blocks.
  Conflicts(llvm::ArrayRef<MemoryBlock *> blocks, bool ofSimple);

  /// By block. The intervals with one other block are consecutive and disjoint.
  std::vector<llvm::SmallVector<ConflictInterval, 0>> of;
  /// The number of intervals over all pairs, each pair counted once; without
  /// `ofSimple`, plus the pairs of simple blocks that overlap in time.
  int64_t pairs = 0;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_CONFLICTS_H
