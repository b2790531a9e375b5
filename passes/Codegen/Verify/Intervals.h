//===- Intervals.h - A map from integers to values, by ranges ---*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_INTERVALS_H
#define PCC_PASSES_CODEGEN_VERIFY_INTERVALS_H

#include "mlir/Support/LLVM.h"
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace pcc {

/// Pairs of begin and end.
using Ranges = std::vector<std::pair<int64_t, int64_t>>;

/// Returns the complement of disjoint ranges, which are in order: the gaps
/// between them, before the first and after the last.
inline Ranges between(const Ranges &ranges) {
  Ranges gaps;
  int64_t at = std::numeric_limits<int64_t>::min();
  for (auto [begin, end] : ranges) {
    gaps.push_back({at, begin});
    at = end;
  }
  gaps.push_back({at, std::numeric_limits<int64_t>::max()});
  return gaps;
}

/// A map from integers to values, stored by ranges of equal values.
template <typename T>
class Intervals {
public:
  /// Sets all of [begin, end).
  void set(int64_t begin, int64_t end, const T &value) {
    if (T *piece = find(begin, end)) {
      *piece = value;
      return;
    }
    cut(begin);
    cut(end);
    pieces.erase(pieces.lower_bound(begin), pieces.lower_bound(end));
    pieces[begin] = {end, value};
  }

  /// Calls `visit(begin, end, value)` for the pieces of [begin, end) in order;
  /// `value` is null where none is set.
  void
  visit(int64_t begin, int64_t end,
        llvm::function_ref<void(int64_t, int64_t, const T *)> visit) const {
    auto it = pieces.upper_bound(begin);
    if (it != pieces.begin())
      --it;
    for (; it != pieces.end() && it->first < end; ++it) {
      int64_t stop = std::min(it->second.end, end);
      if (stop <= begin)
        continue;
      if (begin < it->first)
        visit(begin, it->first, nullptr);
      visit(std::max(begin, it->first), stop, &it->second.value);
      begin = stop;
    }
    if (begin < end)
      visit(begin, end, nullptr);
  }

  /// Whether a value is set for one of [begin, end).
  bool overlaps(int64_t begin, int64_t end) const {
    auto it = pieces.lower_bound(end);
    return it != pieces.begin() && std::prev(it)->second.end > begin &&
           begin < end;
  }

  /// Calls `change(value)` for the pieces of [begin, end); integers without a
  /// value get a default one first.
  void change(int64_t begin, int64_t end,
              llvm::function_ref<void(T &)> change) {
    if (T *piece = find(begin, end))
      return change(*piece);
    cut(begin);
    cut(end);
    for (auto it = pieces.lower_bound(begin); begin < end; ++it) {
      if (it == pieces.end() || it->first > begin) {
        int64_t stop = it == pieces.end() ? end : std::min(it->first, end);
        it = pieces.emplace_hint(it, begin, Piece{stop, T()});
      }
      change(it->second.value);
      begin = it->second.end;
    }
  }

  /// Calls `change(value)` for the pieces of [begin, end) that have a value.
  void changeSet(int64_t begin, int64_t end,
                 llvm::function_ref<void(T &)> change) {
    cut(begin);
    cut(end);
    for (auto it = pieces.lower_bound(begin);
         it != pieces.end() && it->first < end; ++it)
      change(it->second.value);
  }

  /// Returns the map without some ranges, which are in order.
  Intervals outside(const Ranges &ranges) const {
    Intervals rest;
    for (auto [begin, end] : between(ranges))
      visit(begin, end, [&](int64_t from, int64_t to, const T *value) {
        if (value)
          rest.pieces.emplace_hint(rest.pieces.end(), from, Piece{to, *value});
      });
    return rest;
  }

  /// Removes the values of [begin, end).
  void erase(int64_t begin, int64_t end) {
    cut(begin);
    cut(end);
    pieces.erase(pieces.lower_bound(begin), pieces.lower_bound(end));
  }

  /// Whether both maps are equal.
  bool operator==(const Intervals &other) const {
    return getRuns() == other.getRuns();
  }

  /// Returns the maximal ranges of equal values in order: begin, end and value.
  std::vector<std::tuple<int64_t, int64_t, T>> getRuns() const {
    std::vector<std::tuple<int64_t, int64_t, T>> runs;
    for (const auto &[begin, piece] : pieces) {
      if (!runs.empty() && std::get<1>(runs.back()) == begin &&
          std::get<2>(runs.back()) == piece.value)
        std::get<1>(runs.back()) = piece.end;
      else
        runs.push_back({begin, piece.end, piece.value});
    }
    return runs;
  }

private:
  struct Piece {
    int64_t end;
    T value;
  };

  /// Returns the value of exactly [begin, end) if that is a piece, as it mostly
  /// is for ranges that are accessed repeatedly; null otherwise.
  T *find(int64_t begin, int64_t end) {
    auto it = pieces.find(begin);
    return it != pieces.end() && it->second.end == end ? &it->second.value
                                                       : nullptr;
  }

  /// Splits the piece around `at` there.
  void cut(int64_t at) {
    auto it = pieces.lower_bound(at);
    if (it == pieces.begin())
      return;
    --it;
    if (it->second.end <= at)
      return;
    pieces[at] = it->second;
    it->second.end = at;
  }

  std::map<int64_t, Piece> pieces;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_INTERVALS_H
