//===- SortByDigits.cpp - Radix sort of many keys -------------------------===//
//
// An LSD radix sort: keys are sorted stably by their lowest digit, then by the
// next. Kernels cannot write to computed addresses, so each position of the
// result finds its key. For a digit below 4, and blocks of 3 keys:
//
//     digits                2 0 1   3 0 1     the blocks b = 0, 1
//     rank in its block     2 0 1   2 0 1     keys of the block before it
//
//     digit r               0 1 2 3 4
//     less[r, 0]            0 1 2 3 3         keys of the block below r
//     less[r, 1]            0 1 2 2 3
//     start[r, 0]           0 2 4 5           the position of the first r of
//     start[r, 1]           1 3 5 5           block b: after the lower digits
//                                             of all blocks and the r's of
//                                             earlier blocks
//
// For position p: its digit r is the last with start[r, 0] <= p, its block b
// the last with start[r, b] <= p, and its rank there is p - start[r, b] +
// less[r, b]. For example, position 3 has digit 1, of block 1, rank 1.
// Conversely, the key of digit r, block b and rank k is at position k +
// start[r, b] - less[r, b].
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Sort/SortByDigits.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// The most digits; with more, launches dominate.
static constexpr int64_t kMostDigits = 4;
/// Kernels per digit.
static constexpr double kLaunches = 5;

DigitPlan codegen::planDigits(int64_t count, int64_t bound) {
  DigitPlan best;
  int64_t bits = llvm::Log2_64_Ceil(bound);
  for (int64_t digits = 1; digits <= kMostDigits; ++digits) {
    int64_t base = int64_t(1) << llvm::divideCeil(bits, digits);
    for (int64_t block = 1; block <= count; ++block) {
      if (count % block)
        continue;
      // A key is compared with its block and with all digits; a position with
      // all digits, all blocks and the keys of one block.
      double keys(count), blocks = keys / double(block);
      double work = keys * (2 * double(block) + 2 * double(base) + blocks) +
                    double(base) * blocks * blocks;
      double cost = double(digits) * (work + kLaunches * kLaunchCost);
      if (!best.digits || cost < best.cost)
        best = {digits, base, block, cost};
    }
  }
  return best;
}

namespace {
/// Sorts by one digit.
class DigitPass {
public:
  /// `digit` is by key.
  DigitPass(Numbers &m, const DigitPlan &plan, Value digit);

  /// The index of the key that belongs at each position, i32.
  Value order();
  /// The position of each key, i32.
  Value positions();

private:
  Value rankInBlock();
  void countDigits();
  /// start - less of digits of blocks.
  Value beforeOf(Value digit, Value block) {
    Value cell = m.add(m.of<nn::MulOp>(digit, m.splat(blocks, digit)), block);
    return m.at(cell, m.reshape(before, {base * blocks}));
  }

  Numbers &m;
  Value digit;
  int64_t count, base, block, blocks;
  /// [base, blocks], f32; see above. `less` has another row first.
  Value less, start;
  /// start - less, and ranks in blocks, [blocks, block].
  Value before, ranks;
};
} // namespace

/// [blocks, block], f32.
Value DigitPass::rankInBlock() {
  Value number =
      m.reshape(m.spread(m.count(block), {blocks, block}, {1}), {count});
  Value key = m.add(m.of<nn::MulOp>(digit, m.splat(block, digit)), number);
  key = m.reshape(key, {blocks, block});
  SmallVector<int64_t> pairs = {blocks, block, block};
  return m.countWhere(m.compare(nn::Relation::Less,
                                m.spread(key, pairs, {0, 2}),
                                m.spread(key, pairs, {0, 1})));
}

void DigitPass::countDigits() {
  Value byBlock = m.reshape(digit, {blocks, block});
  SmallVector<int64_t> all = {base + 1, blocks, block};
  less =
      m.countWhere(m.compare(nn::Relation::Less, m.spread(byBlock, all, {1, 2}),
                             m.spread(m.count(base + 1), all, {0})));
  // Earlier blocks count digits up to r, the others digits below r.
  SmallVector<int64_t> pairs = {base, blocks, blocks};
  Value block = m.count(blocks);
  Value isBefore = m.compare(nn::Relation::Less, m.spread(block, pairs, {2}),
                             m.spread(block, pairs, {1}));
  start =
      m.sum(m.where(isBefore, m.spread(m.from(less, 1, base), pairs, {0, 2}),
                    m.spread(m.from(less, 0, base), pairs, {0, 2})));
}

DigitPass::DigitPass(Numbers &m, const DigitPlan &plan, Value digit)
    : m(m), digit(digit), count(nn::tensorType(digit).getNumElements()),
      base(plan.base), block(plan.block), blocks(count / plan.block) {
  ranks = rankInBlock();
  countDigits();
  less = m.from(less, 0, base);
  before = m.of<nn::SubOp>(start, less);
}

Value DigitPass::positions() {
  Value ownBlock =
      m.reshape(m.spread(m.count(blocks), {blocks, block}, {0}), {count});
  Value rank = m.reshape(ranks, {count});
  return m.cast(m.add(rank, beforeOf(digit, ownBlock)), m.i32());
}

Value DigitPass::order() {
  Value first = m.sum(less);

  Value place = m.cast(m.count(count), m.f32());
  // The last of the ascending columns that is at most the position.
  auto last = [&](Value columns, int64_t extent) {
    Value known =
        m.countWhere(m.compare(nn::Relation::LessOrEqual, columns,
                               m.spread(place, {count, extent}, {0})));
    return m.cast(m.of<nn::SubOp>(known, m.splat(1, known)), m.i32());
  };
  Value r = last(m.spread(first, {count, base}, {1}), base);
  Value b = last(m.at(r, start), blocks);
  Value rank = m.of<nn::SubOp>(place, beforeOf(r, b));
  SmallVector<int64_t> all = {count, block};
  Value isIt =
      m.compare(nn::Relation::Equal, m.at(b, ranks), m.spread(rank, all, {0}));
  Value number =
      m.sumWhere(isIt, m.spread(m.cast(m.count(block), m.f32()), all, {1}));
  return m.add(m.of<nn::MulOp>(b, m.splat(block, b)), m.cast(number, m.i32()));
}

Sorted codegen::sortByDigits(Numbers &m, Value keys, const DigitPlan &plan,
                             bool wantsPositions) {
  Sorted now = {keys, nullptr};
  int64_t divisor = 1;
  for (int64_t i = 0; i < plan.digits; ++i, divisor *= plan.base) {
    Value digit = now.keys;
    if (i)
      digit = m.of<nn::DivOp>(digit, m.splat(divisor, digit));
    if (i + 1 < plan.digits)
      digit = m.of<nn::RemOp>(digit, m.splat(plan.base, digit));
    DigitPass pass(m, plan, digit);
    Value order = pass.order();
    if (wantsPositions) {
      Value positions = pass.positions();
      now.positions =
          now.positions ? m.at(now.positions, positions) : positions;
    }
    now.keys = m.at(order, now.keys);
    now.order = now.order ? m.at(order, now.order) : order;
  }
  return now;
}
