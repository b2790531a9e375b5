//===- Softmax.cpp - Softmax, log-softmax and hardmax ---------------------===//

#include "frontend/binding/Arithmetic.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

namespace {
/// The operand reshaped to `shape`, whose dim `dim` is a row.
struct Rows {
  Shape shape;
  int64_t dim;
};
} // namespace

/// Before opset 13 the default axis is 1, and the dims from it on form a row.
static FailureOr<Rows> findRows(Binder &b) {
  Shape shape = b.shape(0);
  int64_t rank = shape.size();
  auto axis = normalizeAxis(b.intAttr("axis", b.opset < 13 ? 1 : -1), rank);
  if (!axis || !isa<FloatType>(b.element(0)))
    return b.error() << "has no such axis, or its elements are not floats";
  if (b.opset >= 13 || *axis == rank - 1)
    return Rows{shape, *axis};
  ArrayRef<int64_t> extents = shape;
  return Rows{
      {product(extents.take_front(*axis)), product(extents.drop_front(*axis))},
      1};
}

/// nn.softmax works on the last dim, so the axis is swapped with it before and
/// after.
static LogicalResult buildSoftmax(Binder &b) {
  FailureOr<Rows> rows = findRows(b);
  if (failed(rows))
    return failure();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rows->shape.size()));
  std::swap(permutation[rows->dim], permutation.back());
  Value x = b.transpose(b.reshape(b.value(0), rows->shape), permutation);
  Value y = b.transpose(b.unary<SoftmaxOp>(x), permutation);
  b.set(0, b.reshape(y, b.shape(0)));
  return success();
}

static LogicalResult buildLogSoftmax(Binder &b) {
  FailureOr<Rows> rows = findRows(b);
  if (failed(rows))
    return failure();
  Arithmetic a(b);
  Value x = b.reshape(b.value(0), rows->shape);
  b.set(0, b.reshape(a.logSoftmax(x, rows->dim), b.shape(0)));
  return success();
}

/// One at the first maximum of each row.
static LogicalResult buildHardmax(Binder &b) {
  FailureOr<Rows> rows = findRows(b);
  if (failed(rows))
    return failure();
  Arithmetic a(b);
  Value x = b.reshape(b.value(0), rows->shape);
  Value first = a.findBest<ReduceMaxOp>(x, rows->dim, /*last=*/false);
  Value index = a.iota(rows->shape, rows->dim, b.builder.getI64Type());
  Value hit = a.equal(index, a.spread(first, rows->shape, rows->dim));
  b.set(0, b.reshape(a.cast(hit, b.element(0)), b.shape(0)));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::softmaxOps() {
  static const OpEntry table[] = {
      {"Hardmax", 1, kAnyOpset, 1, nullptr, buildHardmax,
       attributes(intAttr("axis"))},
      {"LogSoftmax", 1, kAnyOpset, 1, nullptr, buildLogSoftmax,
       attributes(intAttr("axis"))},
      {"Softmax", 1, kAnyOpset, 1, nullptr, buildSoftmax,
       attributes(intAttr("axis"))},
  };
  return table;
}
