//===- Packing.h - Places for what does not live at once --------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_PACKING_H
#define PCC_PASSES_CODEGEN_PACKING_PACKING_H

#include "mlir/Support/LLVM.h"

namespace pcc {

/// Bytes of a block that need memory at the same times.
struct Piece {
  /// From where the block begins.
  int64_t begin, end;
  /// When they need it: first and last moment of each span, in order, apart
  /// from each other.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 1> spans;

  /// Adds a moment that is no earlier than all before, to the last span or, if
  /// `begins`, to a new one.
  void touch(unsigned moment, bool begins);
  /// Adds what another piece needs, at whatever moments.
  void merge(const Piece &other);
  /// Whether both need memory at one moment.
  bool overlaps(const Piece &other) const;
};

/// Something that lies in one place, such as a buffer of a few slots or a frame
/// of temporaries; its pieces need memory at times of their own.
struct MemoryBlock {
  /// How many it takes from its first piece to its last.
  int64_t bytes = 0;
  /// They may lie over each other if they are needed at different times.
  llvm::SmallVector<Piece, 1> pieces;
  /// In how many equal parts these are, equally many in each and one part after
  /// the other, that may as well lie anywhere, each by itself.
  unsigned parts = 1;
  /// Where it lies; what `pack` assigns.
  int64_t offset = 0;

  /// Of one piece.
  static MemoryBlock whole(int64_t bytes) {
    return {bytes, {{0, bytes, {}}}, /*parts=*/1, 0};
  }
  /// Whether all of it is needed at the same times, once or never.
  bool isSimple() const {
    return pieces.size() == 1 && pieces.front().spans.size() <= 1;
  }
};

/// Gives every block an offset such that no two pieces that overlap in time
/// overlap in space. Returns the bytes needed. The same blocks in the same
/// order get the same offsets.
int64_t pack(llvm::ArrayRef<MemoryBlock *> blocks);

/// Likewise, but looks for a way that needs no more than `enough` bytes until
/// it has looked at so many pairs of blocks.
int64_t packWithin(llvm::ArrayRef<MemoryBlock *> blocks, int64_t enough,
                   int64_t pairs);

/// The most bytes that pieces need at one moment.
int64_t findMost(llvm::ArrayRef<MemoryBlock *> blocks);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_PACKING_H
