//===- Sort.cpp - TopK ----------------------------------------------------===//
//
// An element's rank is the number of elements before it in sorted order; the
// element of rank r is result r. Comparing all pairs costs the square of the
// row's length, but uses only differentiable ops:
//
//   x       3 1 2      ranks   0 2 1      the elements by rank        3 2 1
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The longest row, whose pairs are all compared.
static constexpr int64_t kLongestRow = 4096;

/// The rank of each element of x along `dim`, as floats; equal elements keep
/// their order.
static Value ranks(Binder &b, Arithmetic &a, Value x, int64_t dim,
                   bool largest) {
  Shape pairs(tensorType(x).getShape());
  int64_t extent = pairs[dim];
  pairs.insert(pairs.begin() + dim + 1, extent);
  Value own = a.spread(x, pairs, dim + 1), other = a.spread(x, pairs, dim);
  Value isBefore = largest ? a.less(own, other) : a.less(other, own);
  Type i64 = b.builder.getI64Type();
  Value isEarlier =
      a.less(a.iota(pairs, dim + 1, i64), a.iota(pairs, dim, i64));
  isBefore = a.either(isBefore, a.both(a.equal(own, other), isEarlier));
  return a.reduce<ReduceOp>(a.cast(isBefore, b.builder.getF32Type()), dim + 1);
}

static LogicalResult buildTopK(Binder &b) {
  Shape shape = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", -1), shape.size());
  std::optional<Tensor> given = b.opset < 10 ? std::nullopt : b.tensor(1);
  if (!axis || (b.opset >= 10 && (!given || given->size() != 1)))
    return b.error() << "needs an axis, and a number of elements that is known "
                        "at compile time";
  int64_t count = given ? given->at(int64_t(0)).i : b.intAttr("k", 0);
  int64_t dim = *axis, extent = shape[dim];
  if (count < 1 || count > extent)
    return b.error() << "cannot take " << count << " of " << extent
                     << " elements";
  if (extent > kLongestRow)
    return b.error() << "sorts " << extent
                     << " elements, more than the supported " << kLongestRow;
  Arithmetic a(b);
  // Integers are added as f64, which is exact up to 2^53.
  Value x = b.value(0);
  if (!isa<FloatType>(b.element(0)))
    x = a.cast(x, b.builder.getF64Type());
  Value rank = ranks(b, a, x, dim, b.intAttr("largest", 1));
  Shape wide = shape;
  wide.insert(wide.begin() + dim, count);
  Value hit = a.equal(a.spread(rank, wide, dim),
                      a.iota(wide, dim, b.builder.getF32Type()));
  auto pick = [&](Value from) {
    return a.reduce<ReduceOp>(a.where(hit, from, a.splat(from, 0)), dim + 1);
  };
  b.set(0, a.cast(pick(a.spread(x, wide, dim)), b.element(0)));
  Value places = pick(a.iota(wide, dim + 1, b.builder.getF32Type()));
  b.set(1, a.cast(places, b.builder.getI64Type()));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::sortOps() {
  static const OpEntry table[] = {
      {"TopK", 1, kAnyOpset, between(1, 2), nullptr, buildTopK,
       attributes(intAttr("axis"), intAttr("k").until(9).required(),
                  flagAttr("largest").since(11), flagAttr("sorted").since(11))},
  };
  return table;
}
