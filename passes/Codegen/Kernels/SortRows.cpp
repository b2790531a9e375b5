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
// An id is compared with all others, which a device does much faster than one
// unit walks over them. Rows of equal ids stay in their order, so that the sum
// is what it was before, bit for bit.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Prepare.h"

using namespace mlir;
using namespace pcc;

/// Ids and numbers of rows are exact in f32 below this.
static constexpr int64_t kExact = 1 << 24;

namespace {
/// Makes nn ops on numbers of so many rows, in one place.
class RowNumbers {
public:
  RowNumbers(OpBuilder &b, Location loc, int64_t count)
      : b(b), loc(loc), count(count) {}

  Value cast(Value x, Type type) {
    auto from = nn::tensorType(x);
    if (from.getElementType() == type)
      return x;
    return nn::CastOp::create(b, loc, from.clone(type), x);
  }
  /// 0, 1, 2 and so on.
  Value numbers(Type type) {
    auto values = llvm::to_vector(llvm::seq<int32_t>(0, count));
    auto ints = RankedTensorType::get({count}, b.getI32Type());
    return cast(nn::ConstantOp::create(
                    b, loc, DenseElementsAttr::get(ints, ArrayRef(values))),
                type);
  }
  Value splat(int64_t value) {
    auto type = RankedTensorType::get({count}, b.getI32Type());
    return nn::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, ArrayRef(int32_t(value))));
  }
  /// A value for each row (dim 0) or column (1) of count x count.
  Value along(int64_t dim, Value x) {
    auto type = RankedTensorType::get({count, count},
                                      nn::tensorType(x).getElementType());
    return nn::BroadcastOp::create(b, loc, type, x, ArrayRef<int64_t>{dim});
  }
  Value compare(nn::Relation relation, Value x, Value y) {
    return nn::CompareOp::create(b, loc, nn::tensorType(x).clone(b.getI1Type()),
                                 relation, x, y);
  }
  /// Of each row the sum of the columns of `x` for which a condition holds.
  Value sumWhere(Value condition, Value x) {
    auto type = nn::tensorType(x);
    Value zero = nn::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getZeroAttr(b.getF32Type())));
    Value terms = nn::WhereOp::create(b, loc, type, condition, x, zero);
    return nn::ReduceOp::create(b, loc,
                                RankedTensorType::get({count}, b.getF32Type()),
                                terms, ArrayRef<int64_t>{1});
  }

private:
  OpBuilder &b;
  Location loc;
  int64_t count;
};
} // namespace

void codegen::sortRows(nn::EmbeddingGradOp op) {
  auto table = nn::tensorType(op.getDtable());
  int64_t count = nn::tensorType(op.getIds()).getNumElements();
  if (count < 2 || count >= kExact || op->hasAttr(kSortedAttr))
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  RowNumbers rows(b, loc, count);

  // Ids that are in no table are one before or behind all that may be.
  Value ids = op.getIds();
  Type idType = nn::tensorType(ids).getElementType();
  ids = nn::ReshapeOp::create(b, loc, RankedTensorType::get({count}, idType),
                              ids);
  if (!idType.isInteger(32)) {
    auto wide = RankedTensorType::get({count}, b.getI64Type());
    ids = rows.cast(ids, b.getI64Type());
    Value lowest = rows.cast(rows.splat(-1), b.getI64Type());
    Value highest = rows.cast(rows.splat(kExact - 1), b.getI64Type());
    ids = nn::MaxOp::create(b, loc, wide, ids, lowest);
    ids = nn::MinOp::create(b, loc, wide, ids, highest);
    ids = rows.cast(ids, i32);
  } else {
    ids = nn::MaxOp::create(b, loc, ids.getType(), ids, rows.splat(-1));
    ids = nn::MinOp::create(b, loc, ids.getType(), ids, rows.splat(kExact - 1));
  }

  // Column j is before row i if ids[j] - (j < i ? 1 : 0) < ids[i].
  Value number = rows.numbers(i32);
  Value isEarlier = rows.compare(nn::Relation::Less, rows.along(1, number),
                                 rows.along(0, number));
  Value other =
      nn::SubOp::create(b, loc, nn::tensorType(isEarlier).clone(i32),
                        rows.along(1, ids), rows.cast(isEarlier, i32));
  Value isBefore = rows.compare(nn::Relation::Less, other, rows.along(0, ids));
  Value one = rows.along(1, rows.cast(rows.splat(1), f32));
  Value rank = rows.sumWhere(isBefore, one);

  Value place = rows.numbers(f32);
  Value isHere = rows.compare(nn::Relation::Equal, rows.along(1, rank),
                              rows.along(0, place));
  Value order = rows.cast(rows.sumWhere(isHere, rows.along(1, place)), i32);
  Value sorted =
      rows.cast(rows.sumWhere(isHere, rows.along(1, rows.cast(ids, f32))), i32);

  SmallVector<int64_t> shape = {count};
  llvm::append_range(shape, table.getShape().drop_front());
  auto type =
      RankedTensorType::get(shape, nn::tensorType(op.getDy()).getElementType());
  Value dy = nn::ReshapeOp::create(b, loc, type, op.getDy());
  dy = nn::EmbeddingOp::create(b, loc, type, order, dy, /*offset=*/Value());
  auto sum =
      nn::EmbeddingGradOp::create(b, loc, table, dy, sorted, op.getOffset());
  sum->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  sum->setAttr(kSortedAttr, b.getUnitAttr());
  op->replaceAllUsesWith(sum);
  op->erase();
}
