//===- Ring.h - A ring buffer -----------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CUDA_RING_H
#define PCC_RUNTIME_CUDA_RING_H

#include "runtime/Program.h"

#include <algorithm>
#include <cstdint>
#include <deque>

namespace pcc::cuda {

/// Memory from which pieces are taken and freed in order. A piece is open while
/// the host writes or reads it, closed when its last use was issued, and free
/// when that use is complete. Pieces are freed in the order in which they were
/// closed.
class Ring {
public:
  /// The size of a piece, rounded up.
  static int64_t rounded(int64_t bytes) {
    return (std::max<int64_t>(bytes, 1) + PCC_ALIGNMENT - 1) / PCC_ALIGNMENT *
           PCC_ALIGNMENT;
  }

  /// Sets the memory of the ring.
  void give(char *memory, int64_t bytes) {
    base = memory;
    size = bytes / PCC_ALIGNMENT * PCC_ALIGNMENT;
  }
  /// Whether a piece may fit once others are free. Larger ones would make many
  /// pieces wait.
  bool fits(int64_t bytes) const { return rounded(bytes) <= size / 4; }
  /// Takes a piece; null if there is no room, or it is too large.
  char *take(int64_t bytes);
  /// Whether an address is in the ring.
  bool has(const void *place) const {
    return place >= base && place < base + size;
  }
  /// Closes the piece that begins at an address.
  void close(const void *piece);
  /// The number of pieces closed so far.
  uint64_t count() const { return closed; }
  /// Marks the first `count` closed pieces as free.
  void freeFirst(uint64_t count) { free = std::max(free, count); }

private:
  struct Piece {
    int64_t begin, end;
    uint64_t number; ///< order in which it was closed, from 1; 0: it is open
  };
  char *base = nullptr;
  int64_t size = 0;
  std::deque<Piece> pieces; ///< in the order in which they were taken
  uint64_t closed = 0, free = 0;
};

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_RING_H
