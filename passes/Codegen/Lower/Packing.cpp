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
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/Packing.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <optional>

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

  /// The fewest bytes that were needed, and the offsets with which they were.
  std::optional<int64_t> best;
  std::vector<int64_t> bestOffsets;

  bool isClose() const { return best && *best <= least + least / kClose; }

private:
  /// How blocks are ordered: of what is large little fits into gaps that others
  /// leave; what is needed from early to late meets more; what is needed for
  /// long at a time has fewer gaps to lie in than what comes and goes.
  enum Kind { Large, Long, Steady };
  std::vector<unsigned> orderBy(Kind kind) const;
  /// Finds out what blocks refuse each other.
  void findRefusals();
  /// Adds to `refused`, or to the last of these, what two pieces refuse.
  void refuse(const Piece &piece, const Piece &other);
  /// Places blocks in this order, each into the tightest gap that holds it or
  /// the first. Returns the block that ends last.
  unsigned place(ArrayRef<unsigned> order, bool isFirstGap);

  ArrayRef<MemoryBlock *> blocks;
  int64_t least;
  /// By block.
  std::vector<SmallVector<Refusal, 0>> refusals;
  int64_t pairs = 0;
  std::vector<int64_t> offsets;
  std::vector<std::pair<int64_t, int64_t>> refused;
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
        refusals[a].push_back({b, after, before});
        refusals[b].push_back({a, -before, -after});
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

/// How many moments a span of a block has on average.
static double meanSpanOf(const MemoryBlock &block) {
  double spans = 0, moments = 0;
  for (const Piece &piece : block.pieces)
    for (auto [first, last] : piece.spans) {
      ++spans;
      moments += last - first + 1;
    }
  return spans > 0 ? moments / spans : 0;
}

unsigned Packer::place(ArrayRef<unsigned> order, bool isFirstGap) {
  offsets.assign(blocks.size(), -1);
  int64_t needed = 0;
  unsigned last = 0;
  for (unsigned index : order) {
    refused.clear();
    for (const Refusal &refusal : refusals[index])
      if (int64_t offset = offsets[refusal.other]; offset >= 0)
        refused.push_back({offset + refusal.after, offset + refusal.before});
    llvm::sort(refused);
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
    if (int64_t bytes = offset + blocks[index]->bytes; bytes > needed) {
      needed = bytes;
      last = index;
    }
    // Another order needs no more than that.
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
    double moments = kind == Long     ? lengthOf(*block)
                     : kind == Steady ? meanSpanOf(*block)
                                      : 1;
    keys.push_back(block->bytes * moments);
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
      unsigned last = place(order, isFirstGap);
      if (isClose() || (left -= pairs) < 0)
        return;
      // What has found no room comes earlier.
      auto it = llvm::find(order, last);
      std::rotate(order.begin() + (it - order.begin()) / 2, it, it + 1);
    }
}

int64_t pcc::findMost(ArrayRef<MemoryBlock *> blocks) {
  std::vector<std::pair<unsigned, int64_t>> changes;
  for (const MemoryBlock *block : blocks)
    for (const Piece &piece : block->pieces)
      for (auto [first, last] : piece.spans) {
        changes.push_back({first, piece.end - piece.begin});
        changes.push_back({last + 1, piece.begin - piece.end});
      }
  // What is over makes room first.
  llvm::sort(changes);
  int64_t now = 0, most = 0;
  for (auto [moment, bytes] : changes)
    most = std::max(most, now += bytes);
  return most;
}

int64_t pcc::pack(ArrayRef<MemoryBlock *> blocks) {
  Packer packer(blocks, findMost(blocks));
  packer.search();
  for (auto [block, offset] : llvm::zip(blocks, packer.bestOffsets))
    block->offset = offset;
  return *packer.best;
}
