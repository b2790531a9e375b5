//===- Bundles.h - Bundles of blocks with similar spans ---------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_BUNDLES_H
#define PCC_PASSES_CODEGEN_PACKING_BUNDLES_H

#include "passes/Codegen/Packing/Packing.h"

namespace pcc {

/// Merges blocks with nearly equal spans into bundles that are placed as one
/// block with adjacent members. The packer then has fewer blocks to place, and
/// the end of a bundle's span frees one large range.
class Bundles {
public:
  /// Bundles those `blocks` that have a single piece. No bundle exceeds the
  /// size of the largest block. A merge may not raise the bytes needed at any
  /// moment above `most`. `unlike` limits the waste of a merge: the bytes x
  /// moments that the members do not need, as a fraction of the bytes x moments
  /// of the bundle.
  Bundles(llvm::ArrayRef<MemoryBlock *> blocks, int64_t most, double unlike);

  /// The bundles; a block that was not merged is a bundle of its own.
  llvm::SmallVector<MemoryBlock *> list();
  /// Sets the offset of each block from the offset of its bundle. `blocks` are
  /// those of the constructor.
  void spread(llvm::ArrayRef<MemoryBlock *> blocks) const;

private:
  struct Bundle {
    MemoryBlock block;
    /// Indices of the member blocks, by ascending offset in the bundle.
    llvm::SmallVector<unsigned, 2> members;
    double moments = 0;
  };
  /// A step function: the bytes needed from each moment until the next entry's.
  using Levels = std::vector<std::pair<unsigned, int64_t>>;

  /// One round: pairs each bundle with the most similar one and merges the
  /// pairs. Returns whether any two were merged.
  bool merge(int64_t most, double unlike, int64_t largest, Levels &levels);
  /// Merges `other` into `bundle`; returns false, without a change, if some
  /// moment would then need more than `most` bytes.
  static bool join(Bundle &bundle, Bundle &other, int64_t most, Levels &levels);

  std::vector<Bundle> bundles;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_BUNDLES_H
