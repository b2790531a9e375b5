//===- Packing.cpp - Places for what does not live at once ----------------===//
//
// A block of several pieces may lie around others, which use what a piece of it
// does not need at the time: here block b begins with its first piece where a
// is over, and its second piece has always been there.
//
//     offset
//     64   b.1 b.1 b.1 b.1
//     0    a   a   b.0 b.0
//
// So where it may begin follows from each pair of a piece of it and one that is
// there already: any offset is refused that would put the one over the other.
//
// Blocks are placed one after the other, and all depends on the order. Where a
// few orders do not give what would be enough, others are made of these: what
// ends behind that comes earlier, how much is drawn.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/Packing.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <optional>
#include <random>

using namespace mlir;
using namespace pcc;

/// How many orders are tried of each kind, and how many pairs of blocks that
/// must not overlap are looked at in all of them.
static constexpr int64_t kMostTries = 8, kMostPairs = int64_t(1) << 21;

/// Which part of the bytes needed may be left unused.
static constexpr int64_t kClose = 100;

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
    // The first that is not over when this one begins.
    const auto *it =
        llvm::partition_point(more, [&](std::pair<unsigned, unsigned> past) {
          return past.second < span.first;
        });
    return it != more.end() && it->first <= span.second;
  });
}

namespace {

/// A block begins nowhere between these two distances, both excluded, from
/// where another one does.
struct Refusal {
  unsigned other;
  int64_t after, before;
};

/// Looks for places of blocks whose pieces lie as they do.
class Packer {
public:
  Packer(ArrayRef<MemoryBlock *> blocks, int64_t least)
      : blocks(blocks), least(least) {}

  /// Tries orders until one needs hardly more than what is alive at once.
  void search();
  /// Tries orders, and what is drawn from them, until one needs no more than
  /// `enough` bytes or `left` pairs were looked at.
  void draw(int64_t enough, int64_t left);

  /// The fewest bytes that were needed, and the offsets with which they were.
  std::optional<int64_t> best;
  std::vector<int64_t> bestOffsets;

  bool isClose() const { return best && *best <= least + least / kClose; }

private:
  /// How blocks are ordered: of what is large little fits into gaps that others
  /// leave; what is needed from early to late meets more; what is needed for
  /// long at a time has fewer gaps to lie in than what comes and goes, and so
  /// has what is needed for long in all.
  enum Kind { Large, Long, Steady, Lasting };
  std::vector<unsigned> orderBy(Kind kind) const;
  /// The most bytes that are needed at a moment when each block is.
  std::vector<int64_t> findCrowds() const;
  /// Has what ends behind `enough` come earlier.
  std::vector<unsigned> advance(ArrayRef<unsigned> order, int64_t enough);
  /// Finds out what blocks refuse each other.
  void findRefusals();
  /// Adds to `refused`, or to the last of these, what two pieces refuse.
  void refuse(const Piece &piece, const Piece &other);
  /// Finds what placed blocks refuse one, in order; where the first gap will
  /// do, up to there.
  void findRefused(unsigned index, bool isFirstGap);
  /// Places blocks in this order, each into the tightest gap that holds it or
  /// the first. Returns the block that ends last; unless it goes `toTheEnd`, as
  /// soon as another order needs no more.
  unsigned place(ArrayRef<unsigned> order, bool isFirstGap, bool toTheEnd);

  ArrayRef<MemoryBlock *> blocks;
  int64_t least;
  /// By block, those because of another one together; and by both where these
  /// begin, from 1 on, or 0.
  std::vector<SmallVector<Refusal, 0>> refusals;
  std::vector<unsigned> begins;
  int64_t pairs = 0;
  /// What is placed, by offset.
  std::vector<std::pair<int64_t, unsigned>> placed;
  std::vector<int64_t> offsets;
  std::vector<std::pair<int64_t, int64_t>> refused;
  std::mt19937 random;
};

} // namespace

void Packer::refuse(const Piece &piece, const Piece &other) {
  int64_t after = other.begin - piece.end, before = other.end - piece.begin;
  // Slots that follow each other mostly refuse what the ones before have.
  bool isBeside = !refused.empty() && after < refused.back().second &&
                  refused.back().first < before;
  if (isBeside && refused.back().first <= after &&
      before <= refused.back().second)
    return;
  if (!piece.overlaps(other))
    return;
  if (isBeside)
    refused.back() = {std::min(refused.back().first, after),
                      std::max(refused.back().second, before)};
  else
    refused.push_back({after, before});
}

void Packer::findRefusals() {
  refusals.resize(blocks.size());
  begins.assign(blocks.size() * blocks.size(), 0);
  auto add = [&](unsigned block, const Refusal &refusal) {
    refusals[block].push_back(refusal);
    unsigned &begin = begins[block * blocks.size() + refusal.other];
    if (begin == 0)
      begin = refusals[block].size();
  };
  for (unsigned b = 0; b < blocks.size(); ++b)
    for (unsigned a = 0; a < b; ++a) {
      refused.clear();
      for (const Piece &piece : blocks[a]->pieces)
        for (const Piece &other : blocks[b]->pieces)
          refuse(piece, other);
      llvm::sort(refused);
      for (size_t i = 0; i < refused.size();) {
        auto [after, before] = refused[i++];
        for (; i < refused.size() && refused[i].first < before; ++i)
          before = std::max(before, refused[i].second);
        add(a, {b, after, before});
        add(b, {a, -before, -after});
        ++pairs;
      }
    }
}

/// From the first moment of a block to its last.
static unsigned lengthOf(const MemoryBlock &block) {
  unsigned first = ~0u, last = 0;
  for (const Piece &piece : block.pieces)
    if (!piece.spans.empty()) {
      first = std::min(first, piece.spans.front().first);
      last = std::max(last, piece.spans.back().second);
    }
  return first > last ? 0 : last - first + 1;
}

/// How many spans a block has, and how many moments all of these.
static std::pair<double, double> spansOf(const MemoryBlock &block) {
  double spans = 0, moments = 0;
  for (const Piece &piece : block.pieces)
    for (auto [first, last] : piece.spans) {
      ++spans;
      moments += last - first + 1;
    }
  return {spans, moments};
}

void Packer::findRefused(unsigned index, bool isFirstGap) {
  refused.clear();
  const unsigned *begin = &begins[index * blocks.size()];
  int64_t bytes = blocks[index]->bytes, end = 0;
  for (auto [offset, other] : placed) {
    // What lies further on refuses nothing up to there.
    if (isFirstGap && offset - bytes >= end)
      break;
    ArrayRef<Refusal> all = refusals[index];
    for (size_t i = begin[other]; i > 0 && i <= all.size(); ++i) {
      const Refusal &refusal = all[i - 1];
      if (refusal.other != other)
        break;
      std::pair<int64_t, int64_t> one = {offset + refusal.after,
                                         offset + refusal.before};
      end = std::max(end, one.second);
      // They come nearly in order.
      refused.push_back(one);
      for (size_t at = refused.size() - 1; at > 0 && one < refused[at - 1];
           --at)
        std::swap(refused[at], refused[at - 1]);
    }
  }
}

unsigned Packer::place(ArrayRef<unsigned> order, bool isFirstGap,
                       bool toTheEnd) {
  offsets.assign(blocks.size(), -1);
  placed.clear();
  int64_t needed = 0;
  unsigned last = 0;
  for (unsigned index : order) {
    findRefused(index, isFirstGap);
    int64_t end = 0, found = -1, foundGap = 0;
    for (auto [after, before] : refused) {
      if (int64_t gap = after - end;
          gap >= 0 && (found < 0 || gap < foundGap)) {
        found = end;
        foundGap = gap;
        if (isFirstGap)
          break;
      }
      end = std::max(end, before);
    }
    int64_t offset = offsets[index] = found < 0 ? end : found;
    placed.insert(llvm::upper_bound(placed, std::pair(offset, index)),
                  {offset, index});
    if (int64_t bytes = offset + blocks[index]->bytes; bytes > needed) {
      needed = bytes;
      last = index;
    }
    if (!toTheEnd && best && needed >= *best)
      return last;
  }
  if (!best || needed < *best) {
    best = needed;
    bestOffsets = offsets;
  }
  return last;
}

std::vector<unsigned> Packer::orderBy(Kind kind) const {
  std::vector<double> keys;
  for (const MemoryBlock *block : blocks) {
    auto [spans, moments] = spansOf(*block);
    keys.push_back(block->bytes * (kind == Large  ? 1
                                   : kind == Long ? lengthOf(*block)
                                   : kind == Steady
                                       ? moments / std::max(spans, 1.0)
                                       : moments));
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
  findRefusals();
  int64_t left = kMostPairs;
  for (int64_t i = 0; i < kMostTries; ++i)
    for (auto &[order, isFirstGap] : attempts) {
      unsigned last = place(order, isFirstGap, /*toTheEnd=*/false);
      if (isClose() || (left -= pairs) < 0)
        return;
      // What has found no room comes earlier.
      auto it = llvm::find(order, last);
      std::rotate(order.begin() + (it - order.begin()) / 2, it, it + 1);
    }
}

/// By moment from which on it is so, the bytes needed.
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

std::vector<int64_t> Packer::findCrowds() const {
  auto levels = findLevels(blocks);
  std::vector<int64_t> crowds;
  for (const MemoryBlock *block : blocks) {
    int64_t most = 0;
    for (const Piece &piece : block->pieces)
      for (auto [first, last] : piece.spans)
        for (auto it = llvm::lower_bound(levels, std::pair(first, int64_t(0)),
                                         llvm::less_first());
             it != levels.end() && it->first <= last; ++it)
          most = std::max(most, it->second);
    crowds.push_back(most);
  }
  return crowds;
}

std::vector<unsigned> Packer::advance(ArrayRef<unsigned> order,
                                      int64_t enough) {
  constexpr unsigned kParts = 1000;
  std::vector<std::pair<uint64_t, size_t>> keys;
  for (auto [at, block] : llvm::enumerate(order)) {
    bool isBehind = offsets[block] + blocks[block]->bytes > enough;
    keys.push_back({at * (isBehind ? random() % kParts : kParts), at});
  }
  llvm::sort(keys);
  std::vector<unsigned> other;
  for (auto [key, at] : keys)
    other.push_back(order[at]);
  return other;
}

void Packer::draw(int64_t enough, int64_t left) {
  struct Attempt {
    std::vector<unsigned> order;
    bool isFirstGap;
  };
  std::vector<Attempt> attempts;
  std::vector<int64_t> crowds = findCrowds();
  for (Kind kind : {Large, Long, Steady, Lasting}) {
    std::vector<unsigned> order = orderBy(kind);
    std::vector<std::pair<int64_t, size_t>> keys;
    for (auto [at, block] : llvm::enumerate(order))
      keys.push_back({-crowds[block], at});
    llvm::sort(keys);
    std::vector<unsigned> crowded;
    for (auto [crowd, at] : keys)
      crowded.push_back(order[at]);
    for (bool isFirstGap : {false, true}) {
      attempts.push_back({order, isFirstGap});
      attempts.push_back({crowded, isFirstGap});
    }
  }
  findRefusals();
  while (true)
    for (auto &[order, isFirstGap] : attempts) {
      place(order, isFirstGap, /*toTheEnd=*/true);
      if (*best <= enough || (left -= pairs) < 0)
        return;
      order = advance(order, enough);
    }
}

int64_t pcc::findMost(ArrayRef<MemoryBlock *> blocks) {
  int64_t most = 0;
  for (auto [moment, bytes] : findLevels(blocks))
    most = std::max(most, bytes);
  return most;
}

static int64_t assign(ArrayRef<MemoryBlock *> blocks, const Packer &packer) {
  for (auto [block, offset] : llvm::zip(blocks, packer.bestOffsets))
    block->offset = offset;
  return *packer.best;
}

int64_t pcc::pack(ArrayRef<MemoryBlock *> blocks) {
  Packer packer(blocks, findMost(blocks));
  packer.search();
  return assign(blocks, packer);
}

int64_t pcc::packWithin(ArrayRef<MemoryBlock *> blocks, int64_t enough,
                        int64_t pairs) {
  Packer packer(blocks, findMost(blocks));
  packer.draw(enough, pairs);
  return assign(blocks, packer);
}
