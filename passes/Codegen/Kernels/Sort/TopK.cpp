//===- TopK.cpp - The order of a row by comparing all pairs ---------------===//
//
// An element's rank is the number of elements before it. The element of rank r
// is result r:
//
//     x       3 1 2      ranks   0 2 1      indices by rank    0 2 1
//
// All pairs of a row are compared.
//
//===----------------------------------------------------------------------===//

#include "dialects/Dist/Layout.h"
#include "passes/Codegen/Kernels/Prepare.h"
#include "passes/Codegen/Kernels/Sort/Numbers.h"
#include "passes/Codegen/Kernels/Sort/SortRows.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

using nn::Relation;

/// Whether each element of x : [rows, extent] has each other one before it, as
/// bools [rows, extent, extent]: a larger one, or an equal one at a lower
/// index. NaNs are larger than numbers and equal to each other.
static Value isBefore(Numbers &n, Value x) {
  SmallVector<int64_t> shape(nn::tensorType(x).getShape());
  int64_t extent = shape.back();
  shape.push_back(extent);
  auto own = [&](Value v) { return n.spread(v, shape, {0, 1}); };
  auto other = [&](Value v) { return n.spread(v, shape, {0, 2}); };
  auto either = [&](Value a, Value b) { return n.where(a, n.splat(1, a), b); };
  Value count = n.count(extent);
  Value isEarlier = n.compare(Relation::Less, n.spread(count, shape, {2}),
                              n.spread(count, shape, {1}));
  Value none = n.splat(0, isEarlier);
  Value isLarger = n.compare(Relation::Less, own(x), other(x));
  Value isEqual = n.compare(Relation::Equal, own(x), other(x));
  Value amongNumbers = either(isLarger, n.where(isEqual, isEarlier, none));
  Value isNumber = n.compare(Relation::Equal, x, x);
  Value afterNaN = either(own(isNumber), isEarlier);
  return n.where(other(isNumber), n.where(own(isNumber), amongNumbers, none),
                 afterNaN);
}

void codegen::orderByRanks(nn::TopKOp op) {
  RankedTensorType type = nn::tensorType(op.getInput()),
                   ids = nn::tensorType(op.getIds());
  int64_t extent = type.getShape().back(), count = ids.getShape().back();
  bool isWide = type.getElementTypeBitWidth() > 32;
  if (count <= kMostChosen && !isWide)
    return;
  OpBuilder b(op);
  Numbers n(b, op.getLoc());
  int64_t rows = type.getNumElements() / extent;
  Value rank = n.cast(
      n.countWhere(isBefore(n, n.reshape(op.getInput(), {rows, extent}))),
      n.i32());
  SmallVector<int64_t> shape = {rows, count, extent};
  Value isChosen = n.compare(Relation::Equal, n.spread(rank, shape, {0, 2}),
                             n.spread(n.count(count), shape, {1}));
  Value index = n.spread(n.cast(n.count(extent), n.f32()), shape, {2});
  Value found = n.cast(n.sumWhere(isChosen, index), n.i32());
  found = n.reshape(found, ids.getShape());
  if (dist::ShardingAttr sharding = dist::getSharding(op.getIds()))
    dist::setShardings(found.getDefiningOp(), sharding);
  op.replaceAllUsesWith(found);
  op.erase();
}
