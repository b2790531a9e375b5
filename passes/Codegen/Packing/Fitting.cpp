//===- Fitting.cpp - Blocks moved until they fit --------------------------===//
//
// The height is lowered, and what ends above it is taken out. One after the
// other these are put where they are in the way of the least, and that is taken
// out instead:
//
//     height ----------------    ----------------    ----------------
//                a a b b         a a b b             a a b b c
//            d d d . c . .       d d d . . e e       d d d . c e e
//
//     e is out                   c is, in its place  all lie below
//
// What was put in its place by force before is harder to take out again: each
// has a weight, which grows each time. Now and then all is pressed down, or up,
// so that what is free lies together.
//
// Where all is in, the height is lowered again, by a part of what is left to be
// won: what is far from fitting hardly ever comes to fit.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Packing/Fitting.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <random>

using namespace mlir;
using namespace pcc;

/// After how many blocks all is pressed together.
static constexpr unsigned kStepsToPress = 30;

/// How much of what is left to be won the height is lowered by, in tenths.
static constexpr int64_t kLowered = 1;

namespace {

class Fitter {
public:
  Fitter(ArrayRef<MemoryBlock *> blocks, const Refusals &refusals,
         int64_t pairs, unsigned seed)
      : blocks(blocks), refusals(refusals), left(pairs), random(seed) {}

  /// Lowers the height to `enough` as long as pairs are left.
  void lower(int64_t enough);

private:
  bool isIn(unsigned block) const { return offsets[block] >= 0; }
  void takeOut(unsigned block);
  /// Puts in all that is out; fails where no pairs are left.
  bool putAllIn();
  /// The one that is out which was refused most often.
  unsigned takeWorst();
  /// Puts a block where what is in the way weighs least, and takes that out.
  void putIn(unsigned block);
  /// Puts all that is in as low, or as high, as it can lie.
  void press(bool isUp);

  ArrayRef<MemoryBlock *> blocks;
  const Refusals &refusals;
  int64_t left, height = 0;
  /// By block; of one that is out, -1.
  std::vector<int64_t> offsets;
  std::vector<int64_t> weights;
  std::vector<unsigned> outside;
  /// Where the weight of what is in the way changes, and by how much.
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

void Fitter::takeOut(unsigned block) {
  offsets[block] = -1;
  outside.push_back(block);
}

unsigned Fitter::takeWorst() {
  auto worst = llvm::max_element(
      outside, [&](unsigned a, unsigned b) { return weights[a] < weights[b]; });
  unsigned block = *worst;
  outside.erase(worst);
  return block;
}

void Fitter::putIn(unsigned block) {
  ArrayRef<Refusal> refused = refusals.of[block];
  left -= refused.size();
  int64_t top = height - blocks[block]->bytes, weight = 0;
  // It begins at an end of what it meets, or of all.
  changes.clear();
  changes.push_back({0, 0});
  changes.push_back({top, 0});
  for (const Refusal &refusal : refused) {
    if (!isIn(refusal.other))
      continue;
    int64_t after = offsets[refusal.other] + refusal.after,
            before = offsets[refusal.other] + refusal.before;
    if (before <= 0 || after >= top)
      continue;
    int64_t other = weights[refusal.other];
    if (after < 0)
      weight += other;
    else
      changes.push_back({after, other});
    if (before <= top)
      changes.push_back({before, -other});
  }
  // What ends at an offset is in the way of nothing there, nor is what begins.
  llvm::sort(changes);
  int64_t least = -1, found = 0;
  unsigned count = 0;
  for (size_t i = 0; i < changes.size();) {
    int64_t offset = changes[i].first;
    for (; i < changes.size() && changes[i].first == offset &&
           changes[i].second <= 0;
         ++i)
      weight += changes[i].second;
    // The lowest of those with nothing in the way, any of others.
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
  for (const Refusal &refusal : refused)
    if (isIn(refusal.other) && offsets[refusal.other] + refusal.after < found &&
        found < offsets[refusal.other] + refusal.before)
      takeOut(refusal.other);
}

void Fitter::press(bool isUp) {
  // Up is down with all turned round.
  auto turned = [&](unsigned block, int64_t offset) {
    return isUp ? height - blocks[block]->bytes - offset : offset;
  };
  std::vector<std::pair<int64_t, unsigned>> order;
  for (unsigned block = 0; block < blocks.size(); ++block)
    if (isIn(block)) {
      order.push_back({turned(block, offsets[block]), block});
      offsets[block] = -1;
    }
  llvm::sort(order);
  std::vector<std::pair<int64_t, int64_t>> refused;
  for (auto [was, block] : order) {
    left -= refusals.of[block].size();
    refused.clear();
    for (const Refusal &refusal : refusals.of[block])
      if (isIn(refusal.other)) {
        int64_t after = offsets[refusal.other] + refusal.after,
                before = offsets[refusal.other] + refusal.before;
        refused.push_back(
            isUp ? std::pair(turned(block, before), turned(block, after))
                 : std::pair(after, before));
      }
    llvm::sort(refused);
    int64_t end = 0;
    for (auto [after, before] : refused) {
      if (after >= end)
        break;
      end = std::max(end, before);
    }
    if (end + blocks[block]->bytes > height)
      outside.push_back(block);
    else
      offsets[block] = turned(block, end);
  }
}

bool Fitter::putAllIn() {
  bool isUp = false;
  for (unsigned step = 1; !outside.empty(); ++step) {
    if (left < 0)
      return false;
    if (step % kStepsToPress == 0)
      press(isUp = !isUp);
    if (!outside.empty())
      putIn(takeWorst());
  }
  return true;
}

void Fitter::lower(int64_t enough) {
  offsets.resize(blocks.size());
  // Whatever all sizes are multiples of, offsets are multiples of, too.
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
    outside.clear();
    for (unsigned block = 0; block < blocks.size(); ++block)
      if (offsets[block] + blocks[block]->bytes > height)
        takeOut(block);
    if (!putAllIn())
      return;
    for (auto [block, offset] : llvm::zip(blocks, offsets))
      block->offset = offset;
  }
}

int64_t pcc::fit(ArrayRef<MemoryBlock *> blocks, const Refusals &refusals,
                 int64_t enough, int64_t pairs, unsigned seed) {
  Fitter(blocks, refusals, pairs, seed).lower(enough);
  return findEnd(blocks);
}
