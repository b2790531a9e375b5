//===- RouteRows.cpp - Rows of tokens in the order of experts -------------===//
//
// Pairs of token and choice are sorted by expert; the sort is stable. For two
// choices of two tokens among the experts 0 to 2, of which this rank has 1 and
// 2 (offset 1):
//
//     ids      2 0 | 1 2
//     keys     1 2 | 0 1     the rank's expert, or 2, the number of its experts
//     order    2 0 3 1       the pairs by key: three rows, and one other pair
//     pairs    2 0 3 -1      experts  0 1 1 -1      tokens  1 0 1 -1
//     rows     1 -1 | 0 2    the row of each pair
//     ends     1 3           keys below 1, and below 2
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Sort/RouteRows.h"
#include "passes/Codegen/Kernels/Sort/SortByDigits.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

void codegen::routeRows(nn::RouteOp op) {
  OpBuilder b(op);
  Numbers m(b, op.getLoc());
  RankedTensorType ids = nn::tensorType(op.getIds());
  int64_t count = ids.getNumElements(), choices = ids.getShape().back(),
          rows = nn::tensorType(op.getTokens()).getNumElements(),
          experts = nn::tensorType(op.getEnds()).getNumElements();
  Value expert = m.cast(m.reshape(op.getIds(), {count}), m.i32());
  if (op.getOffset())
    expert = m.of<nn::SubOp>(
        expert, m.spread(m.cast(op.getOffset(), m.i32()), {count}, {}));
  Value none = m.splat(experts, expert), zero = m.splat(0, expert);
  Value keys = m.where(
      m.compare(nn::Relation::Less, expert, none),
      m.where(m.compare(nn::Relation::Less, expert, zero), none, expert), none);
  Sorted sorted = sortByDigits(m, keys, planDigits(count, experts + 1),
                               /*wantsPositions=*/true);

  Value key = m.from(sorted.keys, 0, rows),
        pair = m.from(sorted.order, 0, rows);
  Value isRow = m.compare(nn::Relation::Less, key, m.splat(experts, key));
  Value noRow = m.splat(-1, key);
  op.getExperts().replaceAllUsesWith(m.where(isRow, key, noRow));
  op.getPairs().replaceAllUsesWith(m.where(isRow, pair, noRow));
  Value token = m.of<nn::DivOp>(pair, m.splat(choices, pair));
  op.getTokens().replaceAllUsesWith(m.where(isRow, token, noRow));

  Value ofRank = m.compare(nn::Relation::Less, keys, none);
  Value row = m.where(ofRank, sorted.positions, m.splat(-1, sorted.positions));
  // With fewer rows than pairs, the last pairs may have none.
  bool isBounded = rows < count;
  if (isBounded)
    row = m.where(m.compare(nn::Relation::Less, row, m.splat(rows, row)), row,
                  m.splat(-1, row));
  op.getRows().replaceAllUsesWith(m.reshape(row, ids.getShape()));

  SmallVector<int64_t> all = {experts, count};
  Value isBefore =
      m.compare(nn::Relation::LessOrEqual, m.spread(keys, all, {1}),
                m.spread(m.count(experts), all, {0}));
  Value ends = m.cast(m.countWhere(isBefore), m.i32());
  if (isBounded)
    ends = m.of<nn::MinOp>(ends, m.splat(rows, ends));
  op.getEnds().replaceAllUsesWith(ends);
  op.erase();
}
