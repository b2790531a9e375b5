//===- Packing.h - Static allocation of arena memory ------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_PACKING_H
#define PCC_PASSES_CODEGEN_PACKING_PACKING_H

#include "mlir/Support/LLVM.h"

namespace pcc {

/// A range of bytes of a block, with the times at which it needs memory.
struct Piece {
  /// In bytes from the begin of the block; `end` is excluded.
  int64_t begin, end;
  /// When the piece is live: the first and last moment of each span, ordered
  /// and disjoint.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 1> spans;

  /// Extends the last span to `moment`, which is no earlier than all before; if
  /// `begins`, starts a new span there.
  void touch(unsigned moment, bool begins);
  /// Adds the spans of another piece.
  void merge(const Piece &other);
  /// Whether the two are live at a common moment.
  bool overlaps(const Piece &other) const;
};

/// Contiguous memory, such as a buffer of several slots or a scratch buffer of
/// temporaries. Its pieces have live ranges of their own.
struct MemoryBlock {
  /// At least up to the end of every piece.
  int64_t bytes = 0;
  /// Pieces may overlap in space if their live ranges are disjoint.
  llvm::SmallVector<Piece, 1> pieces;
  /// The number of equal groups, such as slots, into which the pieces divide in
  /// order. The groups need not be adjacent: each may be placed on its own.
  unsigned parts = 1;
  /// Assigned by `pack`.
  int64_t offset = 0;

  /// Returns a block of one piece without spans.
  static MemoryBlock whole(int64_t bytes) {
    return {bytes, {{0, bytes, {}}}, /*parts=*/1, 0};
  }
  /// Whether the block is one piece with at most one span.
  bool isSimple() const {
    return pieces.size() == 1 && pieces.front().spans.size() <= 1;
  }
};

/// Assigns every block an offset such that no two pieces overlap in both time
/// and space. Returns the bytes needed. Deterministic: depends only on the
/// blocks and their order.
int64_t pack(llvm::ArrayRef<MemoryBlock *> blocks);

/// As `pack`, but searches for a packing of at most `enough` bytes until about
/// `pairs` pairs of blocks have been compared.
int64_t packWithin(llvm::ArrayRef<MemoryBlock *> blocks, int64_t enough,
                   int64_t pairs);

/// The most bytes that are live at one moment: a lower bound of any packing.
int64_t findPeak(llvm::ArrayRef<MemoryBlock *> blocks);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_PACKING_H
