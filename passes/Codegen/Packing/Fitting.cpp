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

/// An insertion sort ends when changes have moved by more places on average.
static constexpr int64_t kMostMoves = 16;

namespace {

class Fitter {
public:
  Fitter(ArrayRef<MemoryBlock *> blocks, const Conflicts &conflicts,
         int64_t pairs, unsigned seed)
      : blocks(blocks), conflicts(conflicts), left(pairs), random(seed) {}

  /// Lowers the height towards `enough` while pairs are left.
  void lower(int64_t enough);

private:
  /// Inserts a block at an offset.
  void put(unsigned block, int64_t offset);
  void evict(unsigned block);
  /// Inserts all evicted blocks; returns false when no pairs are left.
  bool insertAll();
  /// Removes the heaviest block from `evicted` and returns it.
  unsigned takeHeaviest();
  /// Inserts a block at the offset where conflicting blocks weigh least, and
  /// evicts those.
  void insert(unsigned block);
  /// Collects the ends of the conflict intervals of a block in `changes`, in
  /// ascending order.
  void findChanges(unsigned block);
  /// Returns the least weight of conflicting blocks over all offsets up to
  /// `top`, and an offset of that weight.
  std::pair<int64_t, int64_t> findLightest(int64_t top);
  /// Compacts the inserted blocks downwards or upwards.
  void compact(bool isUp);
  /// The lowest offset of a block, or with `isUp` the highest, at which no
  /// inserted block conflicts; it may be outside of the height.
  int64_t findFree(unsigned block, bool isUp);

  struct Place {
    bool isIn() const { return conflict; }

    /// Of an evicted block: the last one.
    int64_t offset = 0;
    uint32_t weight = 1;
    /// The weight in conflicts: zero if the block is evicted.
    uint32_t conflict = 1;
  };
  /// An end of a conflict interval, where the weight of the conflicting blocks
  /// changes: it grows behind an `after`, and shrinks at a `before`.
  struct Change {
    int64_t offset;
    /// Of the other block; zero if that is evicted.
    uint32_t weight;
    /// Twice the index of the interval, plus 1 for its `before`.
    uint32_t end;

    bool isBefore() const { return end % 2; }
    int64_t change() const {
      return isBefore() ? -static_cast<int64_t>(weight) : weight;
    }
  };

  ArrayRef<MemoryBlock *> blocks;
  const Conflicts &conflicts;
  int64_t left, height = 0;
  /// By block.
  std::vector<Place> places;
  std::vector<unsigned> evicted;
  std::vector<Change> changes;
  /// By block: the `end` of all changes, in the order of its last insertion.
  /// Other blocks move little from one insertion to the next, so the order
  /// mostly still holds.
  std::vector<std::vector<uint32_t>> orders;
  /// The conflict intervals of a block with the inserted blocks, as offsets.
  std::vector<std::pair<int64_t, int64_t>> intervals;
  std::mt19937 random;
};

} // namespace

static int64_t findEnd(ArrayRef<MemoryBlock *> blocks) {
  int64_t end = 0;
  for (const MemoryBlock *block : blocks)
    end = std::max(end, block->offset + block->bytes);
  return end;
}

void Fitter::put(unsigned block, int64_t offset) {
  Place &place = places[block];
  place.offset = offset;
  place.conflict = place.weight;
}

void Fitter::evict(unsigned block) {
  places[block].conflict = 0;
  evicted.push_back(block);
}

unsigned Fitter::takeHeaviest() {
  auto worst = llvm::max_element(evicted, [&](unsigned a, unsigned b) {
    return places[a].weight < places[b].weight;
  });
  unsigned block = *worst;
  evicted.erase(worst);
  return block;
}

void Fitter::findChanges(unsigned block) {
  ArrayRef<ConflictInterval> all = conflicts.of[block];
  std::vector<uint32_t> &order = orders[block];
  if (order.empty()) {
    order.resize(2 * all.size());
    std::iota(order.begin(), order.end(), 0);
  }
  changes.resize(order.size());
  Change *first = changes.data(), *last = first;
  for (uint32_t end : order) {
    auto [other, after, before] = all[end / 2];
    const Place &place = places[other];
    *last++ = {place.offset + (end % 2 ? before : after), place.conflict, end};
  }
  // Insertion sort, unless the order has changed too much.
  int64_t moves = kMostMoves * changes.size();
  for (Change *next = first; next != last && moves >= 0; ++next) {
    if (next == first || next->offset >= next[-1].offset)
      continue;
    Change change = *next, *at = next;
    do {
      *at = at[-1];
      --at;
    } while (at != first && change.offset < at[-1].offset);
    *at = change;
    moves -= next - at;
  }
  if (moves < 0)
    llvm::sort(changes, [](const Change &a, const Change &b) {
      return a.offset < b.offset;
    });
  for (auto [end, change] : llvm::zip_equal(order, changes))
    end = change.end;
}

std::pair<int64_t, int64_t> Fitter::findLightest(int64_t top) {
  int64_t least = -1, found = 0, weight = 0;
  uint32_t count = 0;
  const Change *next = changes.data(), *end = next + changes.size();
  // Candidates are both ends of the height, and the ends of all conflict
  // intervals.
  auto consider = [&](int64_t offset) {
    bool isCandidate = offset == 0 || offset == top;
    // Conflict intervals are open: one that ends or begins at an offset does
    // not include it.
    int64_t begun = 0;
    for (; next != end && next->offset == offset; ++next) {
      isCandidate |= next->weight != 0;
      (next->isBefore() ? weight : begun) += next->change();
    }
    // Without conflicts the lowest offset wins; among equal weights above zero
    // the choice is random.
    if (isCandidate && (least < 0 || weight < least)) {
      least = weight;
      found = offset;
      count = 1;
    } else if (isCandidate && weight == least &&
               static_cast<uint32_t>(random()) % ++count == 0) {
      found = offset;
    }
    weight += begun;
  };
  for (; next != end && next->offset < 0; ++next)
    weight += next->change();
  consider(0);
  while (least > 0 && next != end && next->offset < top)
    consider(next->offset);
  if (least > 0 && top > 0)
    consider(top);
  return {least, found};
}

void Fitter::insert(unsigned block) {
  ArrayRef<ConflictInterval> all = conflicts.of[block];
  left -= all.size();
  findChanges(block);
  auto [least, found] = findLightest(height - blocks[block]->bytes);
  if (least > 0)
    ++places[block].weight;
  put(block, found);
  if (least == 0)
    return;
  for (const ConflictInterval &interval : all) {
    const Place &other = places[interval.other];
    if (!other.isIn() || other.offset + interval.after >= found ||
        found >= other.offset + interval.before)
      continue;
    evict(interval.other);
    if ((least -= other.weight) == 0)
      return;
  }
}

int64_t Fitter::findFree(unsigned block, bool isUp) {
  intervals.clear();
  for (const ConflictInterval &interval : conflicts.of[block])
    if (const Place &other = places[interval.other]; other.isIn())
      intervals.push_back(
          {other.offset + interval.after, other.offset + interval.before});
  int64_t offset = isUp ? height - blocks[block]->bytes : 0, tried;
  do {
    tried = offset;
    for (auto [after, before] : intervals)
      if (after < offset && offset < before)
        offset = isUp ? after : before;
  } while (offset != tried);
  return offset;
}

void Fitter::compact(bool isUp) {
  std::vector<std::pair<int64_t, unsigned>> order;
  for (unsigned block = 0; block < blocks.size(); ++block)
    if (Place &place = places[block]; place.isIn()) {
      order.push_back(
          {isUp ? -(place.offset + blocks[block]->bytes) : place.offset,
           block});
      place.conflict = 0;
    }
  llvm::sort(order);
  for (auto [key, block] : order) {
    left -= conflicts.of[block].size();
    int64_t offset = findFree(block, isUp);
    if (offset < 0 || offset + blocks[block]->bytes > height) {
      evicted.push_back(block);
    } else {
      put(block, offset);
    }
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
  orders.resize(blocks.size());
  // Offsets are multiples of the greatest common divisor of all sizes.
  int64_t unit = 0;
  for (const MemoryBlock *block : blocks) {
    enough = std::max(enough, block->bytes);
    unit = std::gcd(unit, block->bytes);
    for (const Piece &piece : block->pieces)
      unit = std::gcd(unit, std::gcd(piece.begin, piece.end));
  }
  while (true) {
    places.assign(blocks.size(), Place());
    for (auto [block, place] : llvm::zip(blocks, places))
      place.offset = block->offset;
    int64_t end = findEnd(blocks);
    if (end <= enough)
      return;
    int64_t lowered = (end - enough) * kLowered / 10;
    height = std::max(enough, end - std::max(lowered, unit)) / unit * unit;
    evicted.clear();
    for (unsigned block = 0; block < blocks.size(); ++block)
      if (places[block].offset + blocks[block]->bytes > height)
        evict(block);
    if (!insertAll())
      return;
    for (auto [block, place] : llvm::zip(blocks, places))
      block->offset = place.offset;
  }
}

int64_t pcc::fit(ArrayRef<MemoryBlock *> blocks, const Conflicts &conflicts,
                 int64_t enough, int64_t pairs, unsigned seed) {
  Fitter(blocks, conflicts, pairs, seed).lower(enough);
  return findEnd(blocks);
}
