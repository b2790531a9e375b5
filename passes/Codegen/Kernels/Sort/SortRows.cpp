//===- SortRows.cpp - Summing rows in the order of ids --------------------===//
//
// A sum of rows by ids has only one work item per block of columns. If equal
// ids are adjacent, the work item of the first can sum all rows of the id,
// without conflicts. So for devices the ids are sorted first:
//
//     ids            3 1 3 2
//     rank           2 0 3 1     ids that precede: lower ones, and equal ones
//                                at an earlier index
//     order          1 3 0 2     the index of each rank's id
//     sorted         1 2 3 3
//
// A few ids are compared with all others, which a device does much faster than
// one work item walks over them. Many ids are radix sorted (SortByDigits.cpp).
// Rows of equal ids keep their order, so the sum is the same bit for bit.
//
// Text has very frequent tokens, and the work item of such a token would run
// long after all others have finished. So many rows are cut into groups. Rows
// that continue the last id of the group before are summed per group, as parts.
// All other rows are summed as above, by the work item of the first row of an
// id in its group. Then the parts are summed by their ids, as rows are:
//
//     sorted         1 2 2 | 2 2 2 | 2 3 3       groups of 3
//     parts                  2 2 2   2           of ids 2 and 2
//     rows           1 2 2 |         . 3 3
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Sort/SortRows.h"
#include "passes/Codegen/Kernels/Prepare.h"
#include "passes/Codegen/Kernels/Sort/SortByDigits.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Keys and row numbers are exact in f32 below this.
static constexpr int64_t kExact = 1 << 24;
/// Below any key, and not a valid row.
static constexpr int64_t kNoKey = -2;
/// The approximate number of rows that are summed one after the other, and the
/// number of rows from which on three more kernels pay off.
static constexpr int64_t kGroupRows = 32, kGroupedRows = 8192;

bool codegen::isOrder(Operation *op) {
  return op->hasAttr(kSortedAttr) && !isa<nn::EmbeddingGradOp>(op);
}

/// Column j precedes row i if keys[j] - (j < i ? 1 : 0) < keys[i].
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

/// The approximate cost of comparing all pairs, in two kernels: one with a sum
/// over all pairs, for the ranks, and one with two, for the keys and their
/// order.
static double costOfComparing(int64_t count) {
  return 3 * double(count) * double(count) + 2 * kLaunchCost;
}

namespace {
/// Marks created ops as part of the computation of an order.
struct Marker : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint /*previous*/) override {
    op->setAttr(kSortedAttr, UnitAttr::get(op->getContext()));
  }
};

/// Sums rows in the order of their ids.
class RowSum {
public:
  /// `op` is the sum to replace.
  RowSum(nn::EmbeddingGradOp op, const Sorted &sorted)
      : b(op), order(op.getContext(), &marker), m(b, op.getLoc()),
        o(order, op.getLoc()), op(op), sorted(sorted),
        count(nn::tensorType(sorted.keys).getNumElements()) {
    order.setInsertionPoint(op);
  }

  void replace() { op->replaceAllUsesWith(sumOf(takeRows(), sorted.keys)); }
  /// The same with groups of `group` rows; `group` divides the number of rows.
  void replaceByGroups(int64_t group);

private:
  Value takeRows();
  nn::EmbeddingGradOp sumOf(Value rows, Value ids);
  Value findContinued(int64_t group);
  Value addParts(int64_t group);

  Marker marker;
  OpBuilder b, order;
  /// `m` builds values in memory, `o` values that each kernel recomputes.
  Numbers m, o;
  nn::EmbeddingGradOp op;
  Sorted sorted;
  int64_t count;
};
} // namespace

/// The rows, in order.
Value RowSum::takeRows() {
  SmallVector<int64_t> shape = {count};
  llvm::append_range(shape,
                     nn::tensorType(op.getDtable()).getShape().drop_front());
  return o.at(sorted.order, m.reshape(op.getDy(), shape));
}

nn::EmbeddingGradOp RowSum::sumOf(Value rows, Value ids) {
  auto sum = nn::EmbeddingGradOp::create(b, op.getLoc(),
                                         op.getDtable().getType(), rows, ids,
                                         /*offset=*/Value());
  sum->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  sum->setAttr(kSortedAttr, b.getUnitAttr());
  return sum;
}

/// i1 of each row: whether it has the id with which the group before ends.
Value RowSum::findContinued(int64_t group) {
  int64_t groups = count / group;
  Value number = o.count(groups);
  Value before = o.of<nn::SubOp>(
      o.of<nn::MulOp>(number, o.splat(group, number)), o.splat(1, number));
  before = o.at(o.of<nn::MaxOp>(before, o.splat(0, before)), sorted.keys);
  before = o.where(o.compare(nn::Relation::Less, o.splat(0, number), number),
                   before, o.splat(kNoKey, before));
  before = o.reshape(o.spread(before, {groups, group}, {0}), {count});
  return o.compare(nn::Relation::Equal, before, sorted.keys);
}

/// For each group, the sum of the rows that continue the id of the group
/// before.
Value RowSum::addParts(int64_t group) {
  int64_t groups = count / group;
  Value number = o.spread(o.count(groups), {groups, group}, {0});
  number = o.reshape(number, {count});
  Value rows = takeRows();
  SmallVector<int64_t> shape(nn::tensorType(rows).getShape());
  shape.front() = groups;
  auto type = RankedTensorType::get(shape, m.f32());
  auto sum = nn::EmbeddingGradOp::create(
      b, op.getLoc(), type, rows,
      o.where(findContinued(group), number, o.splat(kNoKey, number)),
      /*offset=*/Value());
  sum->setAttr(kSortedAttr, b.getUnitAttr());
  sum->setAttr(kGroupAttr, b.getI64IntegerAttr(group));
  sum->setAttr(kGroupSumsAttr, b.getUnitAttr());
  return sum;
}

void RowSum::replaceByGroups(int64_t group) {
  Value parts = addParts(group);
  Value ids =
      o.where(findContinued(group), o.splat(kNoKey, sorted.keys), sorted.keys);
  auto ownRows = sumOf(takeRows(), ids);
  ownRows->setAttr(kGroupAttr, b.getI64IntegerAttr(group));
  Value first = o.reshape(sorted.keys, {count / group, group});
  first = nn::SelectOp::create(order, op.getLoc(),
                               nn::tensorType(first).clone({count / group}),
                               first, /*dim=*/1, /*index=*/0);
  auto partRows = sumOf(parts, first);

  // Both sums are added in place to the other operand of the user.
  auto user = op->hasOneUse() ? dyn_cast<nn::SumOp>(*op->getUsers().begin())
                              : nn::SumOp();
  if (user && user.getNumOperands() == 2) {
    b.setInsertionPoint(user);
    unsigned own = user.getOperand(0) == op.getDtable() ? 0 : 1;
    auto sum = nn::SumOp::create(
        b, user.getLoc(), user.getType(),
        ValueRange{user.getOperand(1 - own), ownRows.getDtable()});
    sum->setDiscardableAttrs(user->getDiscardableAttrDictionary());
    user->setOperands({sum, partRows.getDtable()});
    return;
  }
  auto sum =
      nn::SumOp::create(b, op.getLoc(), op.getDtable().getType(),
                        ValueRange{ownRows.getDtable(), partRows.getDtable()});
  op->replaceAllUsesWith(sum);
}

/// Rows of a group, close to kGroupRows; 0: no groups.
static int64_t groupOf(int64_t count) {
  for (int64_t i = 0; count >= kGroupedRows && i < kGroupRows / 2; ++i)
    for (int64_t group : {kGroupRows - i, kGroupRows + i})
      if (count % group == 0)
        return group;
  return 0;
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

  // Keys are rows of this table; ids outside it sort before or after all rows.
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

  RowSum sum(op, sorted);
  if (int64_t group = groupOf(count))
    sum.replaceByGroups(group);
  else
    sum.replace();
  op->erase();
}
