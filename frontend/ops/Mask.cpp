//===- Mask.cpp - Operators that depend on positions ----------------------===//

#include "analysis/Expressions.h"
#include "frontend/binding/Arithmetic.h"
#include "frontend/onnx/ElementTypes.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Ones on a diagonal; only the operand's shape and type are used.
static LogicalResult importEyeLike(Binder &b) {
  Shape shape = b.shape(0);
  Type element =
      findAttribute(b.node, "dtype")
          ? elementType(b.builder.getContext(), b.intAttr("dtype", 0),
                        b.translation.isForward())
          : b.element(0);
  if (shape.size() != 2 || !element || failed(b.checkConstant(shape)))
    return b.error() << "needs a matrix of a type that is supported";
  int64_t k = b.intAttr("k", 0);
  Tensor t(element, shape);
  for (int64_t i = 0; i < shape[0]; ++i)
    for (int64_t j = 0; j < shape[1]; ++j) {
      bool isOne = j - i == k;
      t.elements()[i * shape[1] + j] =
          isa<FloatType>(element) ? ofFloat(isOne) : ofInt(isOne);
    }
  b.set(0, t);
  return success();
}

/// The shape of OneHot's result; `axis` is set to the dim of the depth.
static FailureOr<Shape> shapeOfOneHot(Binder &b, int64_t &axis) {
  std::optional<double> depth = b.uniform(1);
  if (!depth || b.shape(2) != Shape({2}))
    return b.error() << "needs a constant depth and two values";
  Shape shape = b.shape(0);
  auto at = normalizeAxis(b.intAttr("axis", -1), shape.size() + 1);
  if (!at || !(*depth >= 1) || *depth > 1 << 28)
    return b.error()
           << "has no such axis, or a depth that is not between 1 and 2^28";
  axis = *at;
  shape.insert(shape.begin() + axis, static_cast<int64_t>(*depth));
  if (failed(b.checkConstant(shape)))
    return failure();
  return shape;
}

/// Adds a dim that is `on` at the index and `off` elsewhere.
static LogicalResult buildOneHot(Binder &b) {
  int64_t axis;
  FailureOr<Shape> shape = shapeOfOneHot(b, axis);
  if (failed(shape))
    return failure();
  Arithmetic a(b);
  Type i64 = b.builder.getI64Type();
  Value index = a.wrap(a.cast(b.value(0), i64), (*shape)[axis]);
  Value hit = a.equal(a.spread(index, *shape, axis), a.iota(*shape, axis, i64));
  auto valueAt = [&](int64_t i) {
    Value scalar = SelectOp::create(
        b.builder, b.loc, b.typeOf({}, b.element(2)), b.value(2), 0, i);
    return b.broadcast(scalar, *shape);
  };
  b.set(0, a.where(hit, valueAt(1), valueAt(0)));
  return success();
}

/// OneHot of constants. Exporters write it for the repeats of
/// repeat_interleave.
static LogicalResult foldOneHot(Binder &b) {
  int64_t axis;
  FailureOr<Shape> shape = shapeOfOneHot(b, axis);
  if (failed(shape))
    return failure();
  if (product(*shape) > kLargestFolded)
    return buildOneHot(b);
  Tensor indices = *b.tensor(0), values = *b.tensor(2);
  Tensor t(values.element(), *shape);
  size_t n = 0;
  forEachIndex(*shape, [&](ArrayRef<int64_t> at) {
    Shape from(at);
    from.erase(from.begin() + axis);
    Scalar index = indices.at(from);
    int64_t place = indices.isFloat() ? static_cast<int64_t>(index.f) : index.i;
    bool isHit = at[axis] == (place < 0 ? place + (*shape)[axis] : place);
    t.elements()[n++] = values.at(int64_t(isHit));
  });
  b.set(0, t);
  return success();
}

static LogicalResult buildTrilu(Binder &b);

static LogicalResult foldTrilu(Binder &b) {
  Tensor input = *b.tensor(0);
  if (input.size() > kLargestFolded &&
      product(input.core().shape()) <= kLargestFolded)
    return buildTrilu(b);
  if (b.has(1) && b.tensor(1)->size() != 1)
    return b.error() << "needs one diagonal";
  int64_t k = b.has(1) ? b.tensor(1)->at(int64_t(0)).i : 0;
  bool upper = b.intAttr("upper", 1);
  int64_t rank = input.rank();
  if (rank < 2)
    return b.error() << "needs a matrix";
  Tensor t(input.element(), input.shape());
  size_t n = 0;
  Scalar zero = input.isFloat() ? ofFloat(0) : ofInt(0);
  forEachIndex(input.shape(), [&](ArrayRef<int64_t> index) {
    int64_t above = index[rank - 1] - index[rank - 2] - k;
    bool kept = upper ? above >= 0 : above <= 0;
    t.elements()[n++] = kept ? input.at(index) : zero;
  });
  b.set(0, t);
  return success();
}

/// Keeps a diagonal and the elements above or below it; the others are zeros.
static LogicalResult buildTrilu(Binder &b) {
  Shape shape = b.shape(0);
  int64_t rank = shape.size();
  if (rank < 2)
    return b.error() << "needs a matrix";
  if (b.has(1) && !b.uniform(1))
    return b.error() << "the diagonal must be known at compile time";
  int64_t k = b.has(1) ? static_cast<int64_t>(*b.uniform(1)) : 0;
  bool upper = b.intAttr("upper", 1);
  int64_t rows = shape[rank - 2], columns = shape[rank - 1];
  Arithmetic a(b);
  Value x = b.value(0), kept;
  if (rows * columns > kLargestFolded) {
    kept = buildBand(b.builder, b.loc, shape, upper ? k : 1 - rows,
                     upper ? columns - 1 : k);
  } else {
    Tensor mask(b.builder.getI1Type(), {rows, columns});
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        mask.elements()[i * columns + j] =
            ofInt(upper ? j - i >= k : j - i <= k);
    kept = b.constant(mask.expand(shape));
  }
  b.set(0, a.where(kept, x, a.splat(x, 0)));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::maskOps() {
  static const OpEntry table[] = {
      {"EyeLike", 9, kAnyOpset, 1, nullptr, importEyeLike,
       attributes(intAttr("dtype"), intAttr("k"))},
      {"OneHot", 9, kAnyOpset, 3, foldOneHot, buildOneHot,
       attributes(intAttr("axis"))},
      {"Trilu", 14, kAnyOpset, between(1, 2), foldTrilu, buildTrilu,
       attributes(flagAttr("upper"))},
  };
  return table;
}
