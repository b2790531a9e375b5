//===- Constant.cpp - Operators that compute constants --------------------===//
//
// Operators that build shapes, positions and masks. Most have no form at run
// time in a model of static shapes: they are folded, or the import fails.
//
//===----------------------------------------------------------------------===//

#include "analysis/Dependence.h"
#include "frontend/binding/Arithmetic.h"
#include "frontend/onnx/RowEnds.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The shape is static, so the operand's value is not needed.
static LogicalResult importShape(Binder &b) {
  Shape shape = b.shape(0);
  int64_t rank = shape.size();
  auto clamp = [&](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  int64_t start = clamp(b.intAttr("start", 0));
  int64_t end = clamp(b.intAttr("end", rank));
  b.set(0, Tensor::ofInts(b.builder.getContext(),
                          ArrayRef<int64_t>(shape).slice(
                              start, std::max<int64_t>(0, end - start))));
  return success();
}

static LogicalResult importSize(Binder &b) {
  b.set(
      0,
      Tensor::ofInts(b.builder.getContext(), product(b.shape(0))).reshape({}));
  return success();
}

static LogicalResult importConstant(Binder &b) {
  Builder &builder = b.builder;
  auto list = [&](Type element, const auto &values, auto scalar,
                  bool isScalar) {
    Tensor t(element, {static_cast<int64_t>(values.size())});
    for (auto [to, from] : llvm::zip(t.elements(), values))
      to = scalar(from);
    b.set(0, isScalar ? t.reshape({}) : t);
    return success();
  };
  if (const auto *value = findAttribute(b.node, "value")) {
    FailureOr<Tensor> t = b.translation.load(b.loc, value->t());
    if (failed(t))
      return failure();
    b.set(0, *t);
    return success();
  }
  auto f32 = builder.getF32Type();
  auto i64 = builder.getI64Type();
  if (const auto *value = findAttribute(b.node, "value_float"))
    return list(f32, ArrayRef<float>(value->f()), ofFloat, true);
  if (const auto *value = findAttribute(b.node, "value_floats"))
    return list(f32, value->floats(), ofFloat, false);
  if (const auto *value = findAttribute(b.node, "value_int"))
    return list(i64, ArrayRef<int64_t>(value->i()), ofInt, true);
  if (const auto *value = findAttribute(b.node, "value_ints"))
    return list(i64, value->ints(), ofInt, false);
  return b.error() << "a constant of strings or a sparse one is not supported";
}

static LogicalResult importConstantOfShape(Binder &b) {
  SmallVector<int64_t> shape = b.tensor(0)->ints();
  if (failed(b.checkConstant(shape)))
    return failure();
  Tensor value = Tensor::splat(b.builder.getF32Type(), {1}, ofFloat(0));
  if (const auto *attribute = findAttribute(b.node, "value")) {
    FailureOr<Tensor> t = b.translation.load(b.loc, attribute->t());
    if (failed(t))
      return failure();
    value = *t;
  }
  if (value.size() != 1)
    return b.error() << "needs one value";
  b.set(0, Tensor::splat(value.element(), shape, value.at(int64_t(0))));
  return success();
}

static LogicalResult importRange(Binder &b) {
  Tensor start = *b.tensor(0), limit = *b.tensor(1), delta = *b.tensor(2);
  if (start.size() != 1 || limit.size() != 1 || delta.size() != 1)
    return b.error() << "needs three numbers";
  auto read = [](const Tensor &t) {
    Scalar s = t.at(int64_t(0));
    return t.isFloat() ? s.f : static_cast<double>(s.i);
  };
  double from = read(start), step = read(delta);
  double steps = std::max(0.0, std::ceil((read(limit) - from) / step));
  if (!(steps <= 1 << 28))
    return b.error() << "a range needs a finite number of steps";
  int64_t n = steps;
  Tensor t(start.element(), {n});
  for (auto [i, to] : llvm::enumerate(t.elements())) {
    double value = from + i * step;
    to = roundTo(t.element(), t.isFloat() ? ofFloat(value) : ofInt(value));
  }
  b.set(0, t);
  return success();
}

static LogicalResult importTile(Binder &b) {
  Tensor input = *b.tensor(0);
  SmallVector<int64_t> repeats = b.tensor(1)->ints();
  Shape shape(input.shape());
  if (repeats.size() != shape.size())
    return b.error() << "needs a repeat for every dim";
  for (auto [extent, repeat] : llvm::zip(shape, repeats))
    if (repeat < 0 || llvm::MulOverflow(extent, repeat, extent))
      return b.error() << "cannot repeat " << repeat << " times";
  if (failed(b.checkConstant(shape)))
    return failure();
  Tensor t(input.element(), shape);
  size_t n = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    Shape at(index);
    for (auto [i, extent] : llvm::zip(at, input.shape()))
      i %= extent;
    t.elements()[n++] = input.at(at);
  });
  b.set(0, t);
  return success();
}

/// Repeats each dim along a new dim before it.
static LogicalResult buildTile(Binder &b) {
  std::optional<Tensor> repeats = b.tensor(1);
  Shape from = b.shape(0), wide, to;
  if (!repeats || repeats->size() != static_cast<int64_t>(from.size()))
    return b.error() << "needs a constant repeat for every dim";
  SmallVector<int64_t> dims;
  for (auto [extent, repeat] : llvm::zip(from, repeats->ints())) {
    if (repeat < 1)
      return b.error() << "cannot repeat " << repeat << " times";
    wide.push_back(repeat);
    dims.push_back(wide.size());
    wide.push_back(extent);
    to.push_back(extent * repeat);
  }
  Value spread = BroadcastOp::create(
      b.builder, b.loc, b.typeOf(wide, b.element(0)), b.value(0), dims);
  b.set(0, b.reshape(spread, to));
  return success();
}

/// The number of marks depends on the data. Only the last mark of each row, of
/// a node with kRowEnds, has a static shape.
static LogicalResult buildNonZero(Binder &b) {
  Shape rows = b.shape(0);
  if (!b.intAttr(kRowEnds, 0) || rows.size() != 2) {
    InFlightDiagnostic diag = b.error()
                              << "its operands must be known at compile time";
    diag.attachNote(b.loc) << "it computes with values that depend on the "
                              "model's inputs or weights";
    if (dependsOn(b.value(0),
                  [](Value v) { return v.getDefiningOp<TopKOp>() != nullptr; }))
      diag.attachNote(b.loc)
          << "they depend on the experts that a router chooses: export the "
             "model with experts_implementation=\"batched_mm\", or by "
             "pcc-export";
    return diag;
  }
  Arithmetic a(b);
  Value x = b.value(0);
  Value index = a.iota(rows, 1, b.builder.getI64Type());
  Value place = a.where(a.equal(x, a.splat(x, 0)), a.splat(index, -1), index);
  b.set(0, b.reshape(a.reduce<ReduceMaxOp>(place, 1), {rows[0], 1}));
  return success();
}

static LogicalResult importNonZero(Binder &b) {
  if (b.intAttr(kRowEnds, 0))
    return buildNonZero(b);
  Tensor input = *b.tensor(0);
  std::vector<Shape> found;
  forEachIndex(input.shape(), [&](ArrayRef<int64_t> index) {
    Scalar s = input.at(index);
    if (input.isFloat() ? s.f != 0 : s.i != 0)
      found.emplace_back(index);
  });
  int64_t count = found.size();
  Tensor t(b.builder.getI64Type(), {input.rank(), count});
  for (int64_t d = 0; d < input.rank(); ++d)
    for (int64_t i = 0; i < count; ++i)
      t.elements()[d * count + i] = ofInt(found[i][d]);
  b.set(0, t);
  return success();
}

ArrayRef<OpEntry> pcc::frontend::constantOps() {
  static const OpEntry table[] = {
      {"Constant", 1, 10, 0, nullptr, importConstant,
       attributes(tensorAttr("value").required())},
      {"Constant", 11, kAnyOpset, 0, nullptr, importConstant,
       attributes(tensorAttr("value"), sparseTensorAttr("sparse_value"),
                  floatAttr("value_float").since(12),
                  floatsAttr("value_floats").since(12),
                  intAttr("value_int").since(12),
                  intsAttr("value_ints").since(12),
                  stringAttr("value_string").since(12),
                  stringsAttr("value_strings").since(12))},
      {"ConstantOfShape", 9, kAnyOpset, 1, importConstantOfShape, nullptr,
       attributes(tensorAttr("value"))},
      {"NonZero", 9, kAnyOpset, 1, importNonZero, buildNonZero, attributes(),
       /*foldsWeights=*/true},
      {"Range", 11, kAnyOpset, 3, importRange, nullptr,
       attributes(intAttr("stash_type").only("1").since(27))},
      {"Shape", 1, kAnyOpset, 1, nullptr, importShape,
       attributes(intAttr("end").since(15), intAttr("start").since(15))},
      {"Size", 1, kAnyOpset, 1, nullptr, importSize},
      {"Tile", 6, kAnyOpset, 2, importTile, buildTile},
  };
  return table;
}
