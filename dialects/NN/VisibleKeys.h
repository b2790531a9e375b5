//===- VisibleKeys.h - The keys that attention's mask keeps -----*- C++ -*-===//
//
// A causal mask may keep only keys that are close to the query. By position:
//
//     causal             causal, window 2      causal, chunk 2
//     query 0  x         query 0  x            query 0  x
//           1  x x             1  x x                1  x x
//           2  x x x           2    x x              2      x
//           3  x x x x         3      x x            3      x x
//
// A query at position i sees the keys at positions first(i) to i. Both bounds
// rise with i, so queries from i to j see no key before first(i), and see all
// keys from first(j) to i. Tiles are skipped, and masks left out, by that.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_VISIBLEKEYS_H
#define PCC_DIALECTS_NN_VISIBLEKEYS_H

#include <algorithm>
#include <cstdint>
#include <limits>

namespace pcc::nn {

/// The mask of an attention by positions.
struct VisibleKeys {
  /// Whether keys after a query are masked; if not, all keys are visible.
  bool isCausal = false;
  /// Keys j of query i with i - j >= window are masked; 0: none.
  int64_t window = 0;
  /// Keys j of query i with j / chunk != i / chunk are masked; 0: none.
  int64_t chunk = 0;

  VisibleKeys() = default;
  /// The mask of an op that has these attributes.
  template <typename Op>
  explicit VisibleKeys(Op op)
      : isCausal(op.getCausal()), window(op.getWindow()), chunk(op.getChunk()) {
  }

  /// Whether keys before a query may be masked.
  bool isBounded() const { return window || chunk; }
  /// The position of the first visible key of a query; all others are lower.
  int64_t first(int64_t query) const {
    int64_t least = std::numeric_limits<int64_t>::min();
    if (window)
      least = query - window + 1;
    if (chunk)
      least = std::max(least, query - query % chunk);
    return least;
  }
  /// Whether a query sees a key.
  bool sees(int64_t query, int64_t key) const {
    return !isCausal || (key <= query && key >= first(query));
  }
  /// The most of `keys` keys at consecutive positions that a query sees, if the
  /// causal mask is not considered.
  int64_t most(int64_t keys) const {
    if (window)
      keys = std::min(keys, window);
    return chunk ? std::min(keys, chunk) : keys;
  }
};

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_VISIBLEKEYS_H
