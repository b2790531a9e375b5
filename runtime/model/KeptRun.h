//===- KeptRun.h - What a rank keeps of a tensor ----------------*- C++ -*-===//
//
// A rank holds a rectangle of a tensor, its shard (support/Mesh.h). Where the
// shard lies in a bucket that is cut, as with ZeRO, the rank keeps a run of it:
// consecutive elements in row-major order, which may begin and end within a row
// or be none. Everything here follows from the program and a rank's
// coordinates, so that each rank knows what every other one keeps.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_KEPTRUN_H
#define PCC_RUNTIME_MODEL_KEPTRUN_H

#include "runtime/support/Mesh.h"

#include <algorithm>

namespace pcc {

/// The indices [begin, end); none where end is not greater.
struct Span {
  /// The first index, and the one after the last.
  int64_t begin = 0, end = 0;

  /// The number of indices.
  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
  /// Whether there are none.
  bool isEmpty() const { return end <= begin; }
  /// Whether both ends are the same.
  bool operator==(const Span &other) const {
    return begin == other.begin && end == other.end;
  }
};

/// What two spans have in common.
inline Span common(Span a, Span b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// A run of a shard's elements, and where it lies in its rank's arena.
struct KeptRun {
  Span elements;      ///< of the shard, row-major
  int64_t offset = 0; ///< of the first of them, in bytes
};

/// What the rank with these coordinates has of a tensor when a step is done:
/// the values that are saved, and those that it is to start with.
KeptRun keptRun(const pcc_program &program, const pcc_tensor &tensor,
                const Coordinates &coordinates);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_KEPTRUN_H
