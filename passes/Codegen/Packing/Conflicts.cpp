//===- Conflicts.cpp - Conflict intervals of offsets ----------------------===//

#include "passes/Codegen/Packing/Conflicts.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

/// Adds the conflict interval of two pieces to `intervals`, or merges it into
/// the last entry.
static void addInterval(const Piece &piece, const Piece &other,
                        Ranges &intervals) {
  int64_t after = other.begin - piece.end, before = other.end - piece.begin;
  // The intervals of consecutive slots mostly overlap.
  bool isAdjacent = !intervals.empty() && after < intervals.back().second &&
                    intervals.back().first < before;
  if (isAdjacent && intervals.back().first <= after &&
      before <= intervals.back().second)
    return;
  if (!piece.overlaps(other))
    return;
  if (isAdjacent)
    intervals.back() = {std::min(intervals.back().first, after),
                        std::max(intervals.back().second, before)};
  else
    intervals.push_back({after, before});
}

/// The number of pairs of simple blocks that are live at a common moment.
static int64_t countSimplePairs(ArrayRef<MemoryBlock *> blocks) {
  std::vector<unsigned> begins, ends;
  for (const MemoryBlock *block : blocks)
    if (block->isSimple())
      for (auto [first, last] : block->pieces.front().spans) {
        begins.push_back(first);
        ends.push_back(last);
      }
  llvm::sort(begins);
  llvm::sort(ends);
  // Each span overlaps the spans that began before and have not ended.
  int64_t count = 0;
  size_t over = 0;
  for (auto [before, begin] : llvm::enumerate(begins)) {
    while (ends[over] < begin)
      ++over;
    count += before - over;
  }
  return count;
}

Conflicts::Conflicts(ArrayRef<MemoryBlock *> blocks, bool ofSimple)
    : of(blocks.size()) {
  Ranges intervals;
  auto addPair = [&](unsigned a, unsigned b) {
    intervals.clear();
    for (const Piece &piece : blocks[a]->pieces)
      for (const Piece &other : blocks[b]->pieces)
        addInterval(piece, other, intervals);
    llvm::sort(intervals);
    for (size_t i = 0; i < intervals.size();) {
      auto [after, before] = intervals[i++];
      for (; i < intervals.size() && intervals[i].first < before; ++i)
        before = std::max(before, intervals[i].second);
      if (ofSimple || !blocks[a]->isSimple())
        of[a].push_back({b, after, before});
      if (ofSimple || !blocks[b]->isSimple())
        of[b].push_back({a, -before, -after});
      ++pairs;
    }
  };
  std::vector<unsigned> others;
  for (unsigned b = 0; b < blocks.size(); ++b)
    if (!blocks[b]->isSimple()) {
      for (unsigned a = 0; a < b; ++a)
        addPair(a, b);
      others.push_back(b);
    } else if (ofSimple) {
      for (unsigned a = 0; a < b; ++a)
        addPair(a, b);
    } else {
      for (unsigned a : others)
        addPair(a, b);
    }
  if (!ofSimple)
    pairs += countSimplePairs(blocks);
}
