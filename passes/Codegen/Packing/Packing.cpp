//===- Packing.cpp - Static allocation of arena memory --------------------===//
//
// Blocks of several pieces may interleave: a piece may use the bytes of another
// block that is dead by then. Here b.0 begins when a is dead, while b.1 is live
// from the start.
//
//     offset
//     64   b.1 b.1 b.1 b.1
//     0    a   a   b.0 b.0
//
// Each pair of overlapping pieces, one of the new block and one of a placed
// block, excludes an interval of offsets (Conflicts.h). Most blocks of a deep
// model are simple: one piece with one span. For those a search by time finds
// the occupied bytes without comparing all pairs (Occupancy.h).
//
// Blocks are placed one after the other, so the result depends on the order. If
// several orders do not reach the goal, blocks are moved (Fitting.h), with
// similar blocks bundled (Bundles.h).
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Packing/Packing.h"
#include "passes/Codegen/Packing/Bundles.h"
#include "passes/Codegen/Packing/Conflicts.h"
#include "passes/Codegen/Packing/Fitting.h"
#include "passes/Codegen/Packing/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <optional>

using namespace mlir;
using namespace pcc;

/// The rounds of all orders, and the most conflicts that are examined in all
/// rounds.
static constexpr int64_t kMostTries = 8, kMostTriedPairs = int64_t(1) << 21;

/// The search ends when the waste is at most 1/kClose of the lower bound.
static constexpr int64_t kClose = 100;

/// Bundling settings that are tried in turn: the limit on the waste of a merge
/// (Bundles), and the fraction of the slack that bundling may use, as 1/part.
static constexpr struct {
  double unlike;
  int64_t part;
} kBundles[] = {{0.02, 25}, {0.05, 10}, {0.1, 7}};

/// How often each setting is tried, with a different seed each time.
static constexpr int64_t kSeeds = 2;

void Piece::touch(unsigned moment, bool begins) {
  if (spans.empty() || (begins && spans.back().second < moment))
    spans.push_back({moment, moment});
  else
    spans.back().second = moment;
}

void Piece::merge(const Piece &other) {
  spans.append(other.spans.begin(), other.spans.end());
  llvm::sort(spans);
  size_t count = 0;
  for (std::pair<unsigned, unsigned> span : spans)
    if (count > 0 && span.first <= spans[count - 1].second)
      spans[count - 1].second = std::max(spans[count - 1].second, span.second);
    else
      spans[count++] = span;
  spans.truncate(count);
}

bool Piece::overlaps(const Piece &other) const {
  if (spans.empty() || other.spans.empty() ||
      spans.back().second < other.spans.front().first ||
      other.spans.back().second < spans.front().first)
    return false;
  const auto &fewer = spans.size() < other.spans.size() ? spans : other.spans;
  const auto &more = spans.size() < other.spans.size() ? other.spans : spans;
  return llvm::any_of(fewer, [&](std::pair<unsigned, unsigned> span) {
    // The first span that does not end before this one begins.
    const auto *it =
        llvm::partition_point(more, [&](std::pair<unsigned, unsigned> past) {
          return past.second < span.first;
        });
    return it != more.end() && it->first <= span.second;
  });
}

/// The moments at which the spans of simple blocks begin.
static std::vector<unsigned> findBegins(ArrayRef<MemoryBlock *> blocks) {
  std::vector<unsigned> begins;
  for (const MemoryBlock *block : blocks)
    if (block->isSimple())
      for (auto [first, last] : block->pieces.front().spans)
        begins.push_back(first);
  llvm::sort(begins);
  begins.erase(llvm::unique(begins), begins.end());
  return begins;
}

namespace {

/// Searches for offsets of blocks; the pieces stay where they are in their
/// block.
class Packer {
public:
  explicit Packer(ArrayRef<MemoryBlock *> blocks)
      : blocks(blocks), least(findPeak(blocks)),
        conflicts(blocks, /*ofSimple=*/false), occupancy(findBegins(blocks)) {}

  /// Tries orders until the bytes needed are close to the lower bound.
  void search();
  /// The fewest bytes found so far, and the offsets of that packing.
  std::optional<int64_t> best;
  std::vector<int64_t> bestOffsets;

  bool isClose() const { return best && *best <= least + least / kClose; }

private:
  /// Keys of the order, largest first. Large: bytes, as large blocks rarely fit
  /// into gaps. Long: bytes x moments from first to last use, as long-lived
  /// blocks conflict with more others. Steady: bytes x mean span, as blocks
  /// with long spans fit into fewer gaps.
  enum Kind { Large, Long, Steady };
  std::vector<unsigned> orderBy(Kind kind) const;
  /// Offsets and block indices, ascending.
  using Placed = std::vector<std::pair<int64_t, unsigned>>;
  /// Fills `firstConflict`.
  void indexConflicts();
  /// Collects the conflict intervals of a block with the placed blocks, in
  /// ascending order. With `isFirstGap`, may stop once the first gap is
  /// certain.
  void findConflicts(unsigned index, bool isFirstGap);
  void findConflictsOfSimple(unsigned index);
  void put(unsigned index, int64_t offset);
  /// Places blocks in this order: each into the first gap that holds it or,
  /// without `isFirstGap`, into the tightest. Stops if the best packing so far
  /// needs no more. Returns the block that ends highest.
  unsigned place(ArrayRef<unsigned> order, bool isFirstGap);

  ArrayRef<MemoryBlock *> blocks;
  int64_t least;
  /// Conflict intervals of pairs in which at least one block is not simple.
  Conflicts conflicts;
  /// By block that is not simple, and any block: the index of their first
  /// interval in `conflicts.of`, plus 1; 0 without a conflict.
  std::vector<std::vector<unsigned>> firstConflict;
  /// All placed blocks; those that are not simple; and the bytes of the simple
  /// ones.
  Placed placed, others;
  Occupancy occupancy;
  std::vector<int64_t> offsets;
  ByteRanges intervals;
};

} // namespace

void Packer::indexConflicts() {
  firstConflict.resize(blocks.size());
  for (auto [block, row, all] :
       llvm::zip(blocks, firstConflict, conflicts.of)) {
    if (block->isSimple())
      continue;
    row.assign(blocks.size(), 0);
    for (auto [i, interval] : llvm::enumerate(all))
      if (unsigned &begin = row[interval.other]; begin == 0)
        begin = i + 1;
  }
}

/// The number of moments from the first to the last moment of a block.
static unsigned lengthOf(const MemoryBlock &block) {
  unsigned first = ~0u, last = 0;
  for (const Piece &piece : block.pieces)
    if (!piece.spans.empty()) {
      first = std::min(first, piece.spans.front().first);
      last = std::max(last, piece.spans.back().second);
    }
  return first > last ? 0 : last - first + 1;
}

/// The number of spans of a block, and the total of their moments.
static std::pair<double, double> spansOf(const MemoryBlock &block) {
  double spans = 0, moments = 0;
  for (const Piece &piece : block.pieces)
    for (auto [first, last] : piece.spans) {
      ++spans;
      moments += last - first + 1;
    }
  return {spans, moments};
}

void Packer::findConflictsOfSimple(unsigned index) {
  const Piece &piece = blocks[index]->pieces.front();
  for (auto span : piece.spans)
    occupancy.find(span, intervals);
  for (auto &[begin, end] : intervals) {
    begin -= piece.end;
    end -= piece.begin;
  }
  for (auto [offset, other] : others) {
    ArrayRef<ConflictInterval> all = conflicts.of[other];
    for (size_t i = firstConflict[other][index]; i > 0 && i <= all.size();
         ++i) {
      const ConflictInterval &interval = all[i - 1];
      if (interval.other != index)
        break;
      intervals.push_back({offset - interval.before, offset - interval.after});
    }
  }
  llvm::sort(intervals);
}

void Packer::findConflicts(unsigned index, bool isFirstGap) {
  intervals.clear();
  if (blocks[index]->isSimple())
    return findConflictsOfSimple(index);
  ArrayRef<ConflictInterval> all = conflicts.of[index];
  int64_t bytes = blocks[index]->bytes, end = 0;
  for (auto [offset, other] : placed) {
    // Blocks further up cannot conflict below `end`.
    if (isFirstGap && offset - bytes >= end)
      break;
    for (size_t i = firstConflict[index][other]; i > 0 && i <= all.size();
         ++i) {
      const ConflictInterval &interval = all[i - 1];
      if (interval.other != other)
        break;
      std::pair<int64_t, int64_t> one = {offset + interval.after,
                                         offset + interval.before};
      end = std::max(end, one.second);
      // Insertion sort: intervals arrive nearly in order.
      intervals.push_back(one);
      for (size_t at = intervals.size() - 1; at > 0 && one < intervals[at - 1];
           --at)
        std::swap(intervals[at], intervals[at - 1]);
    }
  }
}

void Packer::put(unsigned index, int64_t offset) {
  offsets[index] = offset;
  auto insert = [&](Placed &list) {
    std::pair<int64_t, unsigned> entry = {offset, index};
    list.insert(llvm::upper_bound(list, entry), entry);
  };
  insert(placed);
  if (!blocks[index]->isSimple())
    return insert(others);
  const Piece &piece = blocks[index]->pieces.front();
  for (auto span : piece.spans)
    occupancy.take(span, offset + piece.begin, offset + piece.end);
}

unsigned Packer::place(ArrayRef<unsigned> order, bool isFirstGap) {
  offsets.assign(blocks.size(), -1);
  placed.clear();
  others.clear();
  occupancy.clear();
  int64_t needed = 0;
  unsigned last = 0;
  for (unsigned index : order) {
    findConflicts(index, isFirstGap);
    int64_t end = 0, found = -1, foundGap = 0;
    for (auto [after, before] : intervals) {
      if (int64_t gap = after - end;
          gap >= 0 && (found < 0 || gap < foundGap)) {
        found = end;
        foundGap = gap;
        if (isFirstGap)
          break;
      }
      end = std::max(end, before);
    }
    int64_t offset = found < 0 ? end : found;
    put(index, offset);
    if (int64_t bytes = offset + blocks[index]->bytes; bytes > needed) {
      needed = bytes;
      last = index;
    }
    if (best && needed >= *best)
      return last;
  }
  best = needed;
  bestOffsets = offsets;
  return last;
}

std::vector<unsigned> Packer::orderBy(Kind kind) const {
  std::vector<double> keys;
  for (const MemoryBlock *block : blocks) {
    auto [spans, moments] = spansOf(*block);
    keys.push_back(block->bytes * (kind == Large ? 1
                                   : kind == Long
                                       ? lengthOf(*block)
                                       : moments / std::max(spans, 1.0)));
  }
  std::vector<unsigned> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
  });
  return order;
}

void Packer::search() {
  struct Attempt {
    std::vector<unsigned> order;
    bool isFirstGap;
  };
  std::vector<Attempt> attempts;
  for (bool isFirstGap : {false, true})
    for (Kind kind : {Large, Long, Steady})
      attempts.push_back({orderBy(kind), isFirstGap});
  indexConflicts();
  int64_t left = kMostTriedPairs;
  for (int64_t i = 0; i < kMostTries; ++i)
    for (auto &[order, isFirstGap] : attempts) {
      unsigned last = place(order, isFirstGap);
      if (isClose() || (left -= conflicts.pairs) < 0)
        return;
      // The block that ended highest moves half way to the front of the order.
      auto it = llvm::find(order, last);
      std::rotate(order.begin() + (it - order.begin()) / 2, it, it + 1);
    }
}

/// The bytes needed, as a step function: from each moment until the next
/// entry's.
static std::vector<std::pair<unsigned, int64_t>>
findLevels(ArrayRef<MemoryBlock *> blocks) {
  std::vector<std::pair<unsigned, int64_t>> changes;
  for (const MemoryBlock *block : blocks)
    for (const Piece &piece : block->pieces)
      for (auto [first, last] : piece.spans) {
        changes.push_back({first, piece.end - piece.begin});
        changes.push_back({last + 1, piece.begin - piece.end});
      }
  llvm::sort(changes);
  std::vector<std::pair<unsigned, int64_t>> levels;
  int64_t now = 0;
  for (auto [moment, bytes] : changes) {
    now += bytes;
    if (levels.empty() || levels.back().first != moment)
      levels.push_back({moment, 0});
    levels.back().second = now;
  }
  return levels;
}

int64_t pcc::findPeak(ArrayRef<MemoryBlock *> blocks) {
  int64_t most = 0;
  for (auto [moment, bytes] : findLevels(blocks))
    most = std::max(most, bytes);
  return most;
}

int64_t pcc::pack(ArrayRef<MemoryBlock *> blocks) {
  Packer packer(blocks);
  packer.search();
  for (auto [block, offset] : llvm::zip(blocks, packer.bestOffsets))
    block->offset = offset;
  return *packer.best;
}

int64_t pcc::packWithin(ArrayRef<MemoryBlock *> blocks, int64_t enough,
                        int64_t pairs) {
  int64_t least = findPeak(blocks), best = -1;
  int64_t unused = std::max<int64_t>(enough - least, 0);
  std::vector<int64_t> offsets;
  int64_t attempts = kSeeds * int64_t(std::size(kBundles));
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    auto [unlike, part] = kBundles[attempt % std::size(kBundles)];
    Bundles bundles(blocks, least + unused / part, unlike);
    SmallVector<MemoryBlock *> list = bundles.list();
    int64_t bytes = pack(list);
    if (bytes > enough)
      bytes = fit(list, Conflicts(list, /*ofSimple=*/true), enough,
                  pairs / attempts, attempt);
    if (best < 0 || bytes < best) {
      best = bytes;
      bundles.spread(blocks);
      offsets.clear();
      for (MemoryBlock *block : blocks)
        offsets.push_back(block->offset);
    }
    if (best <= enough)
      break;
  }
  for (auto [block, offset] : llvm::zip(blocks, offsets))
    block->offset = offset;
  return best;
}
