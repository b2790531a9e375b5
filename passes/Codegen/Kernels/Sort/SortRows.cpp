//===- SortRows.cpp - Rows that are added up in the order of their ids ----===//
//
// A sum of rows by ids has as many units as its table has columns, unless equal
// ids stand side by side: then whoever has the first of them adds up all, with
// nobody else at that row. So for devices ids are sorted before:
//
//     ids            3 1 3 2
//     rank           2 0 3 1     how many ids are before one: less, or equal
//                                and further to the front
//     order          1 3 0 2     where each rank's id is
//     sorted         1 2 3 3
//
// A few ids are compared with all others, which a device does much faster than
// one unit walks over them; of many that would be too much, and they are sorted
// digit by digit (SortByDigits.cpp). Rows of equal ids stay in their order, so
// that the sum is what it was before, bit for bit.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Sort/SortRows.h"
#include "passes/Codegen/Kernels/Prepare.h"
#include "passes/Codegen/Kernels/Sort/SortByDigits.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Keys and numbers of rows are exact in f32 below this.
static constexpr int64_t kExact = 1 << 24;

/// Column j is before row i if keys[j] - (j < i ? 1 : 0) < keys[i].
static Sorted sortByComparing(Numbers &m, Value keys) {
  int64_t count = nn::tensorType(keys).getNumElements();
  SmallVector<int64_t> pairs = {count, count};
  auto ofRow = [&](Value x) { return m.spread(x, pairs, {0}); };
  auto ofColumn = [&](Value x) { return m.spread(x, pairs, {1}); };
  Value number = m.count(count);
  Value isEarlier =
      m.compare(nn::Relation::Less, ofColumn(number), ofRow(number));
  Value other = m.of<nn::SubOp>(ofColumn(keys), m.cast(isEarlier, m.i32()));
  Value rank = m.countWhere(m.compare(nn::Relation::Less, other, ofRow(keys)));

  Value place = m.cast(number, m.f32());
  Value isHere = m.compare(nn::Relation::Equal, ofColumn(rank), ofRow(place));
  Value order = m.cast(m.sumWhere(isHere, ofColumn(place)), m.i32());
  Value sorted = m.sumWhere(isHere, ofColumn(m.cast(keys, m.f32())));
  return {m.cast(sorted, m.i32()), order};
}

/// About what comparing all costs: a pair is looked at twice, and has two sums.
static double costOfComparing(int64_t count) {
  return 3 * double(count) * double(count) + 2 * kLaunchCost;
}

void codegen::sortRows(nn::EmbeddingGradOp op) {
  RankedTensorType table = nn::tensorType(op.getDtable());
  int64_t count = nn::tensorType(op.getIds()).getNumElements();
  int64_t rows = table.getDimSize(0);
  if (count < 2 || count >= kExact || rows + 2 > kExact ||
      op->hasAttr(kSortedAttr))
    return;
  OpBuilder b(op);
  Numbers m(b, op.getLoc());

  // Rows of this table; ids of none are before or behind all of them.
  Value keys = m.cast(m.reshape(op.getIds(), {count}), m.i64());
  if (Value offset = op.getOffset())
    keys =
        m.of<nn::SubOp>(keys, m.spread(m.cast(offset, m.i64()), {count}, {}));
  keys = m.of<nn::MaxOp>(keys, m.splat(-1, keys));
  keys = m.of<nn::MinOp>(keys, m.splat(rows, keys));
  keys = m.cast(keys, m.i32());

  DigitPlan plan = planDigits(count, rows + 2);
  Sorted sorted;
  if (plan.cost < costOfComparing(count)) {
    Value one = m.splat(1, keys);
    sorted = sortByDigits(m, m.add(keys, one), plan);
    sorted.keys = m.of<nn::SubOp>(sorted.keys, one);
  } else {
    sorted = sortByComparing(m, keys);
  }

  SmallVector<int64_t> shape = {count};
  llvm::append_range(shape, table.getShape().drop_front());
  Value dy = m.at(sorted.order, m.reshape(op.getDy(), shape));
  auto sum = nn::EmbeddingGradOp::create(b, op.getLoc(), table, dy, sorted.keys,
                                         /*offset=*/Value());
  sum->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  sum->setAttr(kSortedAttr, b.getUnitAttr());
  op->replaceAllUsesWith(sum);
  op->erase();
}
