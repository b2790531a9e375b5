//===- StoredRange.h - Range of a tensor that a rank stores -----*- C++ -*-===//
//
// A rank computes with a rectangle of a tensor, its shard (support/Mesh.h). If
// the shard is in a bucket that is sharded once more, as with ZeRO, the rank
// stores only a range of the shard: consecutive elements in row-major order,
// which may begin and end within a row of the matrix, or be empty. The range
// follows from the program and a rank's coordinates, so each rank knows it of
// all ranks.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_STOREDRANGE_H
#define PCC_RUNTIME_MODEL_STOREDRANGE_H

#include "runtime/support/Mesh.h"

#include <algorithm>

namespace pcc {

/// The indices [begin, end); empty unless end > begin.
struct Span {
  /// The first index, and the one after the last.
  int64_t begin = 0, end = 0;

  /// The number of indices.
  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
  /// Returns whether there are no indices.
  bool isEmpty() const { return end <= begin; }
  /// Returns whether begin and end are the same.
  bool operator==(const Span &other) const {
    return begin == other.begin && end == other.end;
  }
};

/// Returns the intersection of two spans.
inline Span common(Span a, Span b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// A range of a shard's elements, and its offset in the rank's arena.
struct StoredRange {
  Span elements;      ///< of the shard, row-major
  int64_t offset = 0; ///< of the first element in the arena, in bytes
};

/// Returns the range of a tensor that the rank with these coordinates stores
/// between steps: it is saved in checkpoints and initialized at start.
StoredRange storedRange(const pcc_program &program, const pcc_tensor &tensor,
                        const Coordinates &coordinates);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_STOREDRANGE_H
