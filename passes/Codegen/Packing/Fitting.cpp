//===- Fitting.cpp - Moving blocks until they fit -------------------------===//
//
// Lowers the height and evicts the blocks that end above it. Evicted blocks are
// inserted again one by one. Each goes to the offset where the conflicting
// blocks weigh least, and evicts those:
//
//     height ----------------    ----------------    ----------------
//                a a b b         a a b b             a a b b c
//            d d d . c . .       d d d . . e e       d d d . c e e
//
//     e is evicted               e evicts c          c is inserted again
//
// A block that evicted others gains weight each time, so evicting it again
// becomes more expensive. Every kStepsToCompact steps all blocks are compacted,
// upwards and downwards in turn, which merges the free ranges.
//
// Once every block is inserted, the height is lowered again, by a fraction of
// the distance to the goal: larger steps hardly ever succeed.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Packing/Fitting.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <random>

using namespace mlir;
using namespace pcc;

/// The number of insertions between two compactions.
static constexpr unsigned kStepsToCompact = 30;

/// By how many tenths of the remaining distance the height is lowered.
static constexpr int64_t kLowered = 1;

namespace {

class Fitter {
public:
  Fitter(ArrayRef<MemoryBlock *> blocks, const Conflicts &conflicts,
         int64_t pairs, unsigned seed)
      : blocks(blocks), conflicts(conflicts), left(pairs), random(seed) {}

  /// Lowers the height towards `enough` while pairs are left.
  void lower(int64_t enough);

private:
  bool isIn(unsigned block) const { return offsets[block] >= 0; }
  void evict(unsigned block);
  /// Inserts all evicted blocks; returns false when no pairs are left.
  bool insertAll();
  /// Removes the heaviest block from `evicted` and returns it.
  unsigned takeHeaviest();
  /// Inserts a block at the offset where conflicting blocks weigh least, and
  /// evicts those.
  void insert(unsigned block);
  /// Compacts the inserted blocks downwards or upwards.
  void compact(bool isUp);

  ArrayRef<MemoryBlock *> blocks;
  const Conflicts &conflicts;
  int64_t left, height = 0;
  /// By block; -1 for an evicted block.
  std::vector<int64_t> offsets;
  std::vector<int64_t> weights;
  std::vector<unsigned> evicted;
  /// Offsets at which the weight of the conflicting blocks changes, with the
  /// change.
  std::vector<std::pair<int64_t, int64_t>> changes;
  std::mt19937 random;
};

} // namespace

static int64_t findEnd(ArrayRef<MemoryBlock *> blocks) {
  int64_t end = 0;
  for (const MemoryBlock *block : blocks)
    end = std::max(end, block->offset + block->bytes);
  return end;
}

void Fitter::evict(unsigned block) {
  offsets[block] = -1;
  evicted.push_back(block);
}

unsigned Fitter::takeHeaviest() {
  auto worst = llvm::max_element(
      evicted, [&](unsigned a, unsigned b) { return weights[a] < weights[b]; });
  unsigned block = *worst;
  evicted.erase(worst);
  return block;
}

void Fitter::insert(unsigned block) {
  ArrayRef<ConflictInterval> intervals = conflicts.of[block];
  left -= intervals.size();
  int64_t top = height - blocks[block]->bytes, weight = 0;
  // Candidate offsets: both ends of the height, and the ends of all conflict
  // intervals.
  changes.clear();
  changes.push_back({0, 0});
  changes.push_back({top, 0});
  for (const ConflictInterval &interval : intervals) {
    if (!isIn(interval.other))
      continue;
    int64_t after = offsets[interval.other] + interval.after,
            before = offsets[interval.other] + interval.before;
    if (before <= 0 || after >= top)
      continue;
    int64_t other = weights[interval.other];
    if (after < 0)
      weight += other;
    else
      changes.push_back({after, other});
    if (before <= top)
      changes.push_back({before, -other});
  }
  // Conflict intervals are open: one that ends or begins at an offset does not
  // include it.
  llvm::sort(changes);
  int64_t least = -1, found = 0;
  unsigned count = 0;
  for (size_t i = 0; i < changes.size();) {
    int64_t offset = changes[i].first;
    for (; i < changes.size() && changes[i].first == offset &&
           changes[i].second <= 0;
         ++i)
      weight += changes[i].second;
    // Without conflicts the lowest offset wins; among equal weights above zero
    // the choice is random.
    if (least < 0 || weight < least) {
      least = weight;
      found = offset;
      count = 1;
    } else if (weight == least && weight > 0 && random() % ++count == 0) {
      found = offset;
    }
    for (; i < changes.size() && changes[i].first == offset; ++i)
      weight += changes[i].second;
  }
  offsets[block] = found;
  if (least == 0)
    return;
  ++weights[block];
  for (const ConflictInterval &interval : intervals)
    if (isIn(interval.other) &&
        offsets[interval.other] + interval.after < found &&
        found < offsets[interval.other] + interval.before)
      evict(interval.other);
}

void Fitter::compact(bool isUp) {
  // Compacting upwards is compacting downwards with mirrored offsets.
  auto mirrored = [&](unsigned block, int64_t offset) {
    return isUp ? height - blocks[block]->bytes - offset : offset;
  };
  std::vector<std::pair<int64_t, unsigned>> order;
  for (unsigned block = 0; block < blocks.size(); ++block)
    if (isIn(block)) {
      order.push_back({mirrored(block, offsets[block]), block});
      offsets[block] = -1;
    }
  llvm::sort(order);
  std::vector<std::pair<int64_t, int64_t>> intervals;
  for (auto [was, block] : order) {
    left -= conflicts.of[block].size();
    intervals.clear();
    for (const ConflictInterval &interval : conflicts.of[block])
      if (isIn(interval.other)) {
        int64_t after = offsets[interval.other] + interval.after,
                before = offsets[interval.other] + interval.before;
        intervals.push_back(
            isUp ? std::pair(mirrored(block, before), mirrored(block, after))
                 : std::pair(after, before));
      }
    llvm::sort(intervals);
    int64_t end = 0;
    for (auto [after, before] : intervals) {
      if (after >= end)
        break;
      end = std::max(end, before);
    }
    if (end + blocks[block]->bytes > height)
      evicted.push_back(block);
    else
      offsets[block] = mirrored(block, end);
  }
}

bool Fitter::insertAll() {
  bool isUp = false;
  for (unsigned step = 1; !evicted.empty(); ++step) {
    if (left < 0)
      return false;
    if (step % kStepsToCompact == 0)
      compact(isUp = !isUp);
    if (!evicted.empty())
      insert(takeHeaviest());
  }
  return true;
}

void Fitter::lower(int64_t enough) {
  offsets.resize(blocks.size());
  // Offsets are multiples of the greatest common divisor of all sizes.
  int64_t unit = 0;
  for (const MemoryBlock *block : blocks) {
    enough = std::max(enough, block->bytes);
    unit = std::gcd(unit, block->bytes);
    for (const Piece &piece : block->pieces)
      unit = std::gcd(unit, std::gcd(piece.begin, piece.end));
  }
  while (true) {
    for (auto [block, offset] : llvm::zip(blocks, offsets))
      offset = block->offset;
    int64_t end = findEnd(blocks);
    if (end <= enough)
      return;
    int64_t lowered = (end - enough) * kLowered / 10;
    height = std::max(enough, end - std::max(lowered, unit)) / unit * unit;
    weights.assign(blocks.size(), 1);
    evicted.clear();
    for (unsigned block = 0; block < blocks.size(); ++block)
      if (offsets[block] + blocks[block]->bytes > height)
        evict(block);
    if (!insertAll())
      return;
    for (auto [block, offset] : llvm::zip(blocks, offsets))
      block->offset = offset;
  }
}

int64_t pcc::fit(ArrayRef<MemoryBlock *> blocks, const Conflicts &conflicts,
                 int64_t enough, int64_t pairs, unsigned seed) {
  Fitter(blocks, conflicts, pairs, seed).lower(enough);
  return findEnd(blocks);
}
