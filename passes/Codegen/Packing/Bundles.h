//===- Bundles.h - Blocks that are needed together --------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_BUNDLES_H
#define PCC_PASSES_CODEGEN_PACKING_BUNDLES_H

#include "passes/Codegen/Packing/Packing.h"

namespace pcc {

/// Blocks of which those that are needed at nearly the same times lie side by
/// side, as one block: there are fewer to look at, and where such a bundle is
/// over there is room for something large.
class Bundles {
public:
  /// No moment needs more than `most` bytes because of it; `unlike`: which part
  /// of what two blocks take together they may not need, in bytes times
  /// moments.
  Bundles(llvm::ArrayRef<MemoryBlock *> blocks, int64_t most, double unlike);

  /// The bundles, and what is in none.
  llvm::SmallVector<MemoryBlock *> list();
  /// Gives each block the offset that it has in its bundle.
  void spread(llvm::ArrayRef<MemoryBlock *> blocks) const;

private:
  struct Bundle {
    MemoryBlock block;
    /// Those in it, in the order in which they lie.
    llvm::SmallVector<unsigned, 2> members;
    /// How many moments it is needed.
    double moments = 0;
  };
  /// By moment from which on it is so, the bytes needed.
  using Levels = std::vector<std::pair<unsigned, int64_t>>;

  /// Bundles every one with what is most like it; returns whether there was
  /// any.
  bool merge(int64_t most, double unlike, int64_t largest, Levels &levels);
  /// Makes one of two, unless a moment then needs more than `most` bytes.
  static bool join(Bundle &bundle, Bundle &other, int64_t most, Levels &levels);

  std::vector<Bundle> bundles;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_BUNDLES_H
