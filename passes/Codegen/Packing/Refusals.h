//===- Refusals.h - Where blocks may not lie --------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_REFUSALS_H
#define PCC_PASSES_CODEGEN_PACKING_REFUSALS_H

#include "passes/Codegen/Packing/Packing.h"

namespace pcc {

/// A block begins nowhere between these two distances, both excluded, from
/// where another one does.
struct Refusal {
  /// That one's number.
  unsigned other;
  /// In bytes, negative where the block would begin below it.
  int64_t after, before;
};

/// What blocks refuse each other: of each pair that is needed at one moment,
/// any offset that would put a piece of one over a piece of the other.
struct Refusals {
  /// Of all pairs of these; or, without those `ofSimple` blocks, of pairs of
  /// which one is not simple, known by that.
  Refusals(llvm::ArrayRef<MemoryBlock *> blocks, bool ofSimple);

  /// By block, those because of another one together, apart from each other.
  std::vector<llvm::SmallVector<Refusal, 0>> of;
  /// How many all pairs have, each counted once for both blocks.
  int64_t pairs = 0;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_REFUSALS_H
