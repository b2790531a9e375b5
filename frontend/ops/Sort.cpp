//===- Sort.cpp - TopK ----------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include "frontend/binding/Indices.h"
#include <limits>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The longest row; if more than a few elements are taken, all pairs of a row
/// are compared.
static constexpr int64_t kLongestRow = 4096;

/// Numbers whose order is the reverse of that of x, for floats and f64 of
/// integers. A NaN, the largest of x, becomes one of the least.
static Value reversed(Arithmetic &a, Value x) {
  Value least = a.splat(x, -std::numeric_limits<double>::infinity());
  return a.where(a.equal(x, x), a.mul(x, -1), least);
}

/// The indices of the elements, then the elements.
static LogicalResult buildTopK(Binder &b) {
  Shape shape = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", -1), shape.size());
  std::optional<Tensor> given = b.opset < 10 ? std::nullopt : b.tensor(1);
  if (!axis || (b.opset >= 10 && (!given || given->size() != 1)))
    return b.error() << "needs an axis, and a number of elements that is known "
                        "at compile time";
  int64_t count = given ? given->at(int64_t(0)).i : b.intAttr("k", 0);
  int64_t extent = shape[*axis];
  if (count < 1 || count > extent)
    return b.error() << "cannot take " << count << " of " << extent
                     << " elements";
  if (extent > kLongestRow)
    return b.error() << "sorts " << extent
                     << " elements, more than the supported " << kLongestRow;
  Arithmetic a(b);
  RowsAlong rows(b, shape.size(), *axis);
  Value x = rows.toLast(b.value(0)), scores = x;
  // Integers are compared as f64, which is exact up to 2^53.
  if (!isa<FloatType>(b.element(0)))
    scores = a.cast(scores, b.builder.getF64Type());
  if (!b.intAttr("largest", 1))
    scores = reversed(a, scores);
  Shape chosen(tensorType(x).getShape());
  chosen.back() = count;
  Value ids = TopKOp::create(b.builder, b.loc,
                             b.typeOf(chosen, b.builder.getI32Type()), scores);
  b.set(0, rows.fromLast(rows.pick(x, ids)));
  b.set(1, rows.fromLast(a.cast(ids, b.builder.getI64Type())));
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
