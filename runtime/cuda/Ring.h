//===- Ring.h - Pieces of memory, taken and freed in order ------*- C++ -*-===//

#ifndef PCC_RUNTIME_CUDA_RING_H
#define PCC_RUNTIME_CUDA_RING_H

#include "runtime/Program.h"

#include <algorithm>
#include <cstdint>
#include <deque>

namespace pcc::cuda {

/// Memory of which pieces are taken one after the other. A piece is open while
/// it is written or read by the host, closed when its last use was issued, and
/// free when that is over, which is said of the pieces that were closed first.
class Ring {
public:
  /// Bytes that a piece takes.
  static int64_t rounded(int64_t bytes) {
    return (std::max<int64_t>(bytes, 1) + PCC_ALIGNMENT - 1) / PCC_ALIGNMENT *
           PCC_ALIGNMENT;
  }

  /// Gives it its memory.
  void give(char *memory, int64_t bytes) {
    base = memory;
    size = bytes / PCC_ALIGNMENT * PCC_ALIGNMENT;
  }
  /// Whether a piece may fit, once others are free. A larger one than this
  /// would have many of them wait.
  bool fits(int64_t bytes) const { return rounded(bytes) <= size / 4; }
  /// A piece; null where no room is free, or it is too large.
  char *take(int64_t bytes);
  /// Whether a place lies in it.
  bool has(const void *place) const {
    return place >= base && place < base + size;
  }
  /// Closes the piece that begins at a place.
  void close(const void *piece);
  /// How many pieces were closed.
  uint64_t count() const { return closed; }
  /// Says that the first so many of them are free.
  void freeFirst(uint64_t count) { free = std::max(free, count); }

private:
  struct Piece {
    int64_t begin, end;
    uint64_t number; ///< when it was closed, from 1; 0: it is open
  };
  char *base = nullptr;
  int64_t size = 0;
  std::deque<Piece> pieces; ///< as they were taken
  uint64_t closed = 0, free = 0;
};

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_RING_H
