//===- Bundles.cpp - Bundles of blocks with similar spans -----------------===//
//
// A layer writes most residuals of a microbatch in the order of its forward
// pass and reads them in the reverse order in its backward pass. So their spans
// begin shortly after each other and end shortly before. In this example b is
// needed a little longer than a; as one block they need a's bytes at two more
// moments.
//
//     moment     0  1  2  3  4  5          0  1  2  3  4  5
//     a             [--------]         ab  [--------------]
//     b          [--------------]
//
// At the moments of peak demand, bundling may add few bytes only.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Packing/Bundles.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;

/// The most rounds of merging.
static constexpr unsigned kMostRounds = 12;

using Spans = SmallVector<std::pair<unsigned, unsigned>, 1>;

static double countMoments(const Spans &spans) {
  double moments = 0;
  for (auto [first, last] : spans)
    moments += last - first + 1;
  return moments;
}

/// The number of moments that two lists of spans have in common.
static double countCommon(const Spans &spans, const Spans &others) {
  double moments = 0;
  for (const auto *a = spans.begin(), *b = others.begin();
       a != spans.end() && b != others.end();) {
    unsigned first = std::max(a->first, b->first),
             last = std::min(a->second, b->second);
    if (first <= last)
      moments += last - first + 1;
    ++(a->second < b->second ? a : b);
  }
  return moments;
}

/// Adds `bytes` at all moments of the spans.
static void add(std::vector<std::pair<unsigned, int64_t>> &levels,
                const Spans &spans, int64_t bytes) {
  for (auto [first, last] : spans)
    for (auto it = llvm::lower_bound(levels, std::pair(first, INT64_MIN));
         it != levels.end() && it->first <= last; ++it)
      it->second += bytes;
}

Bundles::Bundles(ArrayRef<MemoryBlock *> blocks, int64_t most, double unlike) {
  std::vector<unsigned> moments;
  int64_t largest = 0;
  for (auto [i, block] : llvm::enumerate(blocks)) {
    Bundle &bundle = bundles.emplace_back();
    bundle.block = *block;
    bundle.members.push_back(i);
    bundle.moments = countMoments(block->pieces.front().spans);
    largest = std::max(largest, block->bytes);
    for (const Piece &piece : block->pieces)
      for (auto [first, last] : piece.spans) {
        moments.push_back(first);
        moments.push_back(last + 1);
      }
  }
  llvm::sort(moments);
  moments.erase(llvm::unique(moments), moments.end());
  Levels levels;
  for (unsigned moment : moments)
    levels.push_back({moment, 0});
  for (MemoryBlock *block : blocks)
    for (const Piece &piece : block->pieces)
      add(levels, piece.spans, piece.end - piece.begin);
  for (unsigned i = 0; i < kMostRounds; ++i)
    if (!merge(most, unlike, largest, levels))
      return;
}

bool Bundles::join(Bundle &bundle, Bundle &other, int64_t most,
                   Levels &levels) {
  Piece &piece = bundle.block.pieces.front();
  const Piece &more = other.block.pieces.front();
  Piece both = piece;
  both.merge(more);
  int64_t bytes = bundle.block.bytes + other.block.bytes;
  add(levels, piece.spans, -bundle.block.bytes);
  add(levels, more.spans, -other.block.bytes);
  add(levels, both.spans, bytes);
  bool isMore = llvm::any_of(both.spans, [&](auto span) {
    auto it = llvm::lower_bound(levels, std::pair(span.first, INT64_MIN));
    for (; it != levels.end() && it->first <= span.second; ++it)
      if (it->second > most)
        return true;
    return false;
  });
  if (isMore) {
    add(levels, both.spans, -bytes);
    add(levels, piece.spans, bundle.block.bytes);
    add(levels, more.spans, other.block.bytes);
    return false;
  }
  piece.spans = std::move(both.spans);
  piece.end += other.block.bytes;
  bundle.block.bytes = bytes;
  bundle.moments = countMoments(piece.spans);
  llvm::append_range(bundle.members, other.members);
  other.members.clear();
  return true;
}

bool Bundles::merge(int64_t most, double unlike, int64_t largest,
                    Levels &levels) {
  auto isSimple = [](const Bundle &bundle) {
    return bundle.block.pieces.size() == 1 &&
           !bundle.block.pieces.front().spans.empty();
  };
  struct Pair {
    double difference;
    unsigned bundle, other;
  };
  std::vector<Pair> found;
  for (auto [a, bundle] : llvm::enumerate(bundles)) {
    if (!isSimple(bundle))
      continue;
    Pair best = {unlike, unsigned(a), unsigned(a)};
    const Spans &spans = bundle.block.pieces.front().spans;
    for (auto [b, other] : llvm::enumerate(bundles)) {
      int64_t bytes = bundle.block.bytes + other.block.bytes;
      if (a == b || !isSimple(other) || bytes > largest)
        continue;
      const Spans &others = other.block.pieces.front().spans;
      if (spans.back().second < others.front().first ||
          others.back().second < spans.front().first)
        continue;
      double common = countCommon(spans, others);
      double unneeded = bundle.block.bytes * (other.moments - common) +
                        other.block.bytes * (bundle.moments - common);
      double difference =
          unneeded / (bytes * (bundle.moments + other.moments - common));
      if (difference < best.difference)
        best = {difference, unsigned(a), unsigned(b)};
    }
    if (best.other != a)
      found.push_back(best);
  }
  llvm::sort(found, [](const Pair &a, const Pair &b) {
    return std::tie(a.difference, a.bundle, a.other) <
           std::tie(b.difference, b.bundle, b.other);
  });
  // Each bundle is merged at most once a round; the next round computes the
  // differences of the merged ones.
  std::vector<bool> isTaken(bundles.size());
  bool isAny = false;
  for (const Pair &pair : found) {
    if (isTaken[pair.bundle] || isTaken[pair.other] ||
        !join(bundles[pair.bundle], bundles[pair.other], most, levels))
      continue;
    isTaken[pair.bundle] = isTaken[pair.other] = isAny = true;
  }
  llvm::erase_if(bundles,
                 [](const Bundle &bundle) { return bundle.members.empty(); });
  return isAny;
}

SmallVector<MemoryBlock *> Bundles::list() {
  SmallVector<MemoryBlock *> found;
  for (Bundle &bundle : bundles)
    found.push_back(&bundle.block);
  return found;
}

void Bundles::spread(ArrayRef<MemoryBlock *> blocks) const {
  for (const Bundle &bundle : bundles) {
    int64_t offset = bundle.block.offset;
    for (unsigned member : bundle.members) {
      blocks[member]->offset = offset;
      offset += blocks[member]->bytes;
    }
  }
}
