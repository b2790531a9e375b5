//===- TableIndex.cpp - Operators that take or put elements by index ------===//
//
// All are row look-ups in a table, or sums into its rows: the index of an
// element is made a row number by integer arithmetic.
//
//===----------------------------------------------------------------------===//

#include "frontend/Arithmetic.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

static int64_t product(ArrayRef<int64_t> shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

static int64_t strideOf(ArrayRef<int64_t> shape, int64_t dim) {
  return product(shape.drop_front(dim + 1));
}

/// For indices along one axis of the data: the row-major number of each
/// element that they name. Null, with an error, where the shapes do not fit.
static Value elementNumbers(Binder &b, Arithmetic &a, int64_t axis) {
  Shape from = b.shape(0), shape = b.shape(1);
  bool fits = from.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = static_cast<int64_t>(d) == axis || shape[d] <= from[d];
  if (!fits) {
    b.error() << "the shapes of its operands do not fit";
    return nullptr;
  }
  if (failed(b.checkConstant(shape)))
    return nullptr;
  Type i64 = b.builder.getI64Type();
  Value index = a.wrap(a.cast(b.value(1), i64), from[axis]);
  Value number = a.mul(index, strideOf(from, axis));
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (d != axis && shape[d] > 1)
      number = a.add(number, a.mul(a.iota(shape, d, i64), strideOf(from, d)));
  return number;
}

static LogicalResult foldGatherElements(Binder &b) {
  Tensor data = *b.item(0).tensor, indices = *b.item(1).tensor;
  auto axis = normalizeAxis(b.intAttr("axis", 0), data.rank());
  if (!axis || data.rank() != indices.rank())
    return b.error() << "the shapes of its operands do not fit";
  Tensor t(data.element(), indices.shape());
  size_t n = 0;
  bool inside = true;
  forEachIndex(indices.shape(), [&](ArrayRef<int64_t> index) {
    Shape at(index);
    int64_t which = indices.at(index).i;
    at[*axis] = which < 0 ? which + data.shape()[*axis] : which;
    for (auto [i, extent] : llvm::zip(at, data.shape()))
      inside &= i >= 0 && i < extent;
    if (inside)
      t.elements()[n++] = data.at(at);
  });
  if (!inside)
    return b.error() << "an index lies outside the data";
  b.set(0, t);
  return success();
}

static LogicalResult buildGatherElements(Binder &b) {
  auto axis = normalizeAxis(b.intAttr("axis", 0), b.rank(0));
  if (!axis)
    return b.error() << "has no such axis";
  Arithmetic a(b);
  Value number = elementNumbers(b, a, *axis);
  if (!number)
    return failure();
  Value flat = b.reshape(b.value(0), {product(b.shape(0))});
  b.set(0, a.take(flat, number, 0));
  return success();
}

namespace {
/// Indices whose last dim names the first dims of the data.
struct Deep {
  /// Row numbers, of the indices' other dims.
  Value number;
  /// How many rows there are, and what one row holds.
  int64_t rows;
  Shape row;
};
} // namespace

/// `batch` leading dims are the same for data and indices.
static FailureOr<Deep> deepIndices(Binder &b, Arithmetic &a, int64_t batch) {
  Shape from = b.shape(0), shape = b.shape(1);
  int64_t depth = shape.empty() ? 0 : shape.back();
  int64_t rank = from.size();
  if (shape.empty() || depth < 1 || batch < 0 || batch + depth > rank ||
      batch >= static_cast<int64_t>(shape.size()) ||
      ArrayRef<int64_t>(from).take_front(batch) !=
          ArrayRef<int64_t>(shape).take_front(batch))
    return b.error() << "the indices do not fit the data";
  ArrayRef<int64_t> named = ArrayRef<int64_t>(from).take_front(batch + depth);
  ArrayRef<int64_t> outer = ArrayRef<int64_t>(shape).drop_back();
  Type i64 = b.builder.getI64Type();
  Value ids = a.cast(b.value(1), i64), number;
  auto addTerm = [&](Value index, int64_t dim) {
    Value term = a.mul(index, strideOf(named, dim));
    number = number ? a.add(number, term) : term;
  };
  for (int64_t d = 0; d < batch; ++d)
    addTerm(a.iota(outer, d, i64), d);
  for (int64_t d = 0; d < depth; ++d) {
    Value part = SelectOp::create(b.builder, b.loc, b.typeOf(outer, i64), ids,
                                  shape.size() - 1, d);
    addTerm(a.wrap(part, from[batch + d]), batch + d);
  }
  return Deep{number, product(named),
              Shape(from.begin() + batch + depth, from.end())};
}

LogicalResult pcc::frontend::buildGatherRows(Binder &b) {
  Arithmetic a(b);
  FailureOr<Deep> deep = deepIndices(b, a, b.intAttr("batch_dims", 0));
  if (failed(deep))
    return failure();
  Value table = b.reshape(b.value(0), {deep->rows, product(deep->row)});
  Value rows = a.take(table, deep->number, 0);
  Shape shape(tensorType(deep->number).getShape());
  llvm::append_range(shape, deep->row);
  b.set(0, b.reshape(rows, shape));
  return success();
}

/// Rows of `updates` put at rows `number` of `data`, all [rows, columns].
static FailureOr<Value> putRows(Binder &b, Arithmetic &a, Value data,
                                Value number, Value updates) {
  std::string reduction = b.stringAttr("reduction", "none");
  if (reduction != "none" && reduction != "add")
    return b.error() << "reduction '" << reduction << "' is not supported";
  if (!isa<FloatType>(tensorType(data).getElementType()))
    return b.error() << "takes floats";
  auto scatter = [&](Value rows) -> Value {
    return EmbeddingGradOp::create(b.builder, b.loc, data.getType(), rows,
                                   number, Value());
  };
  if (reduction == "add")
    return a.add(data, scatter(updates));
  // An element that two updates name has no defined value.
  Value hit = a.less(a.splat(data, 0), scatter(a.splat(updates, 1)));
  return a.where(hit, scatter(updates), data);
}

static LogicalResult buildScatterElements(Binder &b) {
  Shape from = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", 0), from.size());
  if (!axis)
    return b.error() << "has no such axis";
  if (b.shape(1) != b.shape(2) || b.element(0) != b.element(2))
    return b.error() << "the updates do not fit the indices";
  Arithmetic a(b);
  Value number = elementNumbers(b, a, *axis);
  if (!number)
    return failure();
  int64_t count = product(b.shape(1));
  auto put =
      putRows(b, a, b.reshape(b.value(0), {product(from), 1}),
              b.reshape(number, {count}), b.reshape(b.value(2), {count, 1}));
  if (failed(put))
    return failure();
  b.set(0, b.reshape(*put, from));
  return success();
}

LogicalResult pcc::frontend::buildScatterND(Binder &b) {
  Arithmetic a(b);
  FailureOr<Deep> deep = deepIndices(b, a, 0);
  if (failed(deep))
    return failure();
  Shape expected(tensorType(deep->number).getShape());
  int64_t count = product(expected), columns = product(deep->row);
  llvm::append_range(expected, deep->row);
  if (expected != b.shape(2) || b.element(0) != b.element(2))
    return b.error() << "the updates do not fit the indices";
  auto put = putRows(b, a, b.reshape(b.value(0), {deep->rows, columns}),
                     b.reshape(deep->number, {count}),
                     b.reshape(b.value(2), {count, columns}));
  if (failed(put))
    return failure();
  b.set(0, b.reshape(*put, b.shape(0)));
  return success();
}

/// A new dim that is `on` at the index and `off` elsewhere.
static LogicalResult buildOneHot(Binder &b) {
  std::optional<double> depth = b.uniform(1);
  if (!depth || b.shape(2) != Shape({2}))
    return b.error() << "needs a constant depth and two values";
  Shape from = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", -1), from.size() + 1);
  if (!axis || !(*depth >= 1) || *depth > 1 << 28)
    return b.error() << "has no such axis, or a depth that cannot be held";
  int64_t extent = static_cast<int64_t>(*depth);
  Arithmetic a(b);
  Type i64 = b.builder.getI64Type();
  Value index = a.wrap(a.cast(b.value(0), i64), extent);
  Shape shape = from;
  shape.insert(shape.begin() + *axis, extent);
  if (failed(b.checkConstant(shape)))
    return failure();
  Value hit = a.equal(a.spread(index, shape, *axis), a.iota(shape, *axis, i64));
  auto valueAt = [&](int64_t i) {
    Value scalar = SelectOp::create(
        b.builder, b.loc, b.typeOf({}, b.element(2)), b.value(2), 0, i);
    return b.broadcast(scalar, shape);
  };
  b.set(0, a.where(hit, valueAt(1), valueAt(0)));
  return success();
}

/// The elements above or below a diagonal, zeros elsewhere.
LogicalResult pcc::frontend::buildTrilu(Binder &b) {
  Shape shape = b.shape(0);
  int64_t rank = shape.size();
  if (rank < 2)
    return b.error() << "needs a matrix";
  if (b.has(1) && !b.uniform(1))
    return b.error() << "the diagonal must be known at compile time";
  int64_t k = b.has(1) ? static_cast<int64_t>(*b.uniform(1)) : 0;
  bool upper = b.intAttr("upper", 1);
  int64_t rows = shape[rank - 2], columns = shape[rank - 1];
  if (failed(b.checkConstant({rows, columns})))
    return failure();
  Tensor mask(b.builder.getI1Type(), {rows, columns});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      mask.elements()[i * columns + j] = ofInt(upper ? j - i >= k : j - i <= k);
  Arithmetic a(b);
  Value x = b.value(0), kept = b.constant(mask.expand(shape));
  b.set(0, a.where(kept, x, a.splat(x, 0)));
  return success();
}

/// A sum over a square: element j gets the elements i that come before it.
LogicalResult pcc::frontend::buildCumSum(Binder &b) {
  std::optional<double> given = b.uniform(1);
  Shape shape = b.shape(0);
  auto axis = given ? normalizeAxis(static_cast<int64_t>(*given), shape.size())
                    : std::nullopt;
  if (!axis)
    return b.error() << "has no such axis";
  bool exclusive = b.intAttr("exclusive", 0), reverse = b.intAttr("reverse", 0);
  int64_t extent = shape[*axis], dim = *axis;
  if (failed(b.checkConstant({extent, extent})))
    return failure();
  Shape square = shape;
  square.insert(square.begin() + dim, extent);
  Shape place(square.size(), 1);
  place[dim] = place[dim + 1] = extent;
  Tensor mask(b.builder.getI1Type(), {extent, extent});
  for (int64_t j = 0; j < extent; ++j)
    for (int64_t i = 0; i < extent; ++i)
      mask.elements()[j * extent + i] =
          ofInt(i == j ? !exclusive : (reverse ? i > j : i < j));
  Arithmetic a(b);
  // Integers are added as f64, which is exact up to 2^53.
  bool isFloat = isa<FloatType>(b.element(0));
  Value x = b.value(0);
  if (!isFloat)
    x = a.cast(x, b.builder.getF64Type());
  Value wide = a.spread(x, square, dim);
  Value kept = b.constant(mask.reshape(place).expand(square));
  Value terms = a.where(kept, wide, a.splat(wide, 0));
  b.set(0, a.cast(a.reduce<ReduceOp>(terms, dim + 1), b.element(0)));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::indexOps() {
  constexpr int64_t any = kAnyOpset;
  static const OpEntry table[] = {
      {"GatherElements", 11, any, 2, foldGatherElements, buildGatherElements},
      {"OneHot", 9, any, 3, nullptr, buildOneHot},
      {"Scatter", 9, 10, 3, nullptr, buildScatterElements},
      {"ScatterElements", 11, any, 3, nullptr, buildScatterElements},
  };
  return table;
}
