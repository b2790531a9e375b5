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

using namespace mlir;
using namespace pcc;

/// How often places are looked for, of how many pairs of blocks at most.
static constexpr int64_t kMostTries = 32, kMostPairs = int64_t(1) << 24;

/// Which part of the bytes needed may be left unused.
static constexpr int64_t kClose = 200;

void Piece::touch(unsigned moment, bool begins) {
  if (spans.empty() || (begins && spans.back().second < moment))
    spans.push_back({moment, moment});
  else
    spans.back().second = moment;
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

/// Offsets between these two, both excluded, are refused.
using Refused = std::pair<int64_t, int64_t>;

/// A piece that has its place.
struct Placed {
  int64_t begin, end;
  const Piece *piece;
};

} // namespace

/// Places blocks in this order. Returns the bytes needed, and which block makes
/// them so many.
static std::pair<int64_t, unsigned> packInOrder(ArrayRef<MemoryBlock *> blocks,
                                                ArrayRef<unsigned> order) {
  std::vector<Placed> placed;
  std::vector<Refused> refused;
  std::pair<int64_t, unsigned> peak = {0, 0};
  for (unsigned index : order) {
    MemoryBlock *block = blocks[index];
    refused.clear();
    for (const Placed &there : placed)
      for (const Piece &piece : block->pieces)
        if (piece.overlaps(*there.piece))
          refused.push_back({there.begin - piece.end, there.end - piece.begin});
    llvm::sort(refused);
    int64_t end = 0, best = -1, bestGap = 0;
    for (auto [after, before] : refused) {
      if (int64_t gap = after - end; gap >= 0 && (best < 0 || gap < bestGap)) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, before);
    }
    block->offset = best < 0 ? end : best;
    if (int64_t needed = block->offset + block->bytes; needed > peak.first)
      peak = {needed, index};
    for (const Piece &piece : block->pieces)
      placed.push_back(
          {block->offset + piece.begin, block->offset + piece.end, &piece});
  }
  return peak;
}

/// The most bytes that pieces need at one moment, and that moment.
static std::pair<int64_t, unsigned> findMost(ArrayRef<MemoryBlock *> blocks) {
  std::vector<std::pair<unsigned, int64_t>> changes;
  for (const MemoryBlock *block : blocks)
    for (const Piece &piece : block->pieces)
      for (auto [first, last] : piece.spans) {
        changes.push_back({first, piece.end - piece.begin});
        changes.push_back({last + 1, piece.begin - piece.end});
      }
  // What is over makes room first.
  llvm::sort(changes);
  int64_t now = 0;
  std::pair<int64_t, unsigned> most = {0, 0};
  for (auto [moment, bytes] : changes)
    if ((now += bytes) > most.first)
      most = {now, moment};
  return most;
}

int64_t pcc::pack(ArrayRef<MemoryBlock *> blocks) {
  auto [least, moment] = findMost(blocks);
  std::vector<unsigned> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  auto isThen = [&, moment = moment](unsigned index) {
    return llvm::any_of(blocks[index]->pieces, [&](const Piece &piece) {
      return llvm::any_of(piece.spans, [&](std::pair<unsigned, unsigned> span) {
        return span.first <= moment && moment <= span.second;
      });
    });
  };
  auto sortBy = [&](auto key) {
    llvm::sort(order, [&](unsigned a, unsigned b) {
      auto ka = key(a), kb = key(b);
      return ka != kb ? ka > kb : a < b;
    });
  };
  std::optional<int64_t> best;
  std::vector<int64_t> offsets(blocks.size());
  int64_t tries = std::clamp<int64_t>(
      kMostPairs / (1 + blocks.size() * blocks.size()), 1, kMostTries);
  for (int64_t i = 0; i < tries; ++i) {
    if (i == 0)
      sortBy([&](unsigned index) {
        return std::pair(false, blocks[index]->bytes);
      });
    if (i == tries / 2)
      sortBy([&](unsigned index) {
        return std::pair(isThen(index), blocks[index]->bytes);
      });
    auto [bytes, last] = packInOrder(blocks, order);
    if (!best || bytes < *best) {
      best = bytes;
      for (auto [block, offset] : llvm::zip(blocks, offsets))
        offset = block->offset;
    }
    if (bytes <= least + least / kClose)
      break;
    // What has found no room comes earlier.
    auto it = llvm::find(order, last);
    std::rotate(order.begin() + (it - order.begin()) / 2, it, it + 1);
  }
  for (auto [block, offset] : llvm::zip(blocks, offsets))
    block->offset = offset;
  return best.value_or(0);
}
