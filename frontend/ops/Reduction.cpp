//===- Reduction.cpp - Operators that reduce over dims --------------------===//

#include "frontend/binding/Arithmetic.h"
#include "frontend/binding/Indices.h"
#include "frontend/onnx/ProgramNode.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

namespace {
struct Reduction {
  SmallVector<int64_t> dims;
  /// `shape` lacks the reduced dims; `kept`, the node's result shape, has them
  /// as dims of extent 1 with keepdims.
  Shape shape, kept;
  int64_t count = 1;
};
} // namespace

static FailureOr<Reduction> reduction(Binder &b) {
  auto axes = b.ints(1, "axes");
  if (failed(axes))
    return failure();
  Shape from = b.shape(0);
  llvm::SmallDenseSet<int64_t> reduced;
  bool none = !*axes || (*axes)->empty();
  if (none && !b.intAttr("noop_with_empty_axes", 0))
    for (size_t d = 0; d < from.size(); ++d)
      reduced.insert(d);
  if (*axes)
    for (int64_t axis : **axes) {
      auto dim = normalizeAxis(axis, from.size());
      if (!dim)
        return b.error() << "has no such axis";
      reduced.insert(*dim);
    }
  Reduction r;
  bool keep = b.intAttr("keepdims", 1);
  for (auto [d, extent] : llvm::enumerate(from)) {
    if (!reduced.contains(d)) {
      r.shape.push_back(extent);
      r.kept.push_back(extent);
      continue;
    }
    r.dims.push_back(d);
    r.count *= extent;
    if (keep)
      r.kept.push_back(1);
  }
  return r;
}

enum class Fold { Sum, Mean, Prod, Max, Min };

template <Fold Kind>
static LogicalResult foldReduce(Binder &b) {
  auto r = reduction(b);
  if (failed(r))
    return failure();
  Tensor input = *b.item(0).tensor;
  Tensor t(input.element(), r->shape);
  std::vector<bool> hasValue(t.size());
  auto combine = [](auto x, auto y) {
    switch (Kind) {
    case Fold::Prod:
      return x * y;
    case Fold::Max:
      return std::max(x, y);
    case Fold::Min:
      return std::min(x, y);
    default:
      return x + y;
    }
  };
  forEachIndex(input.shape(), [&](ArrayRef<int64_t> index) {
    int64_t number = 0;
    for (auto [d, i] : llvm::enumerate(index))
      if (!llvm::is_contained(r->dims, static_cast<int64_t>(d)))
        number = number * input.shape()[d] + i;
    Scalar &to = t.elements()[number], from = input.at(index);
    if (!hasValue[number])
      to = from;
    else if (input.isFloat())
      to.f = combine(to.f, from.f);
    else
      to.i = combine(to.i, from.i);
    hasValue[number] = true;
  });
  for (Scalar &s : t.elements()) {
    if (Kind == Fold::Mean && t.isFloat())
      s.f /= r->count;
    else if (Kind == Fold::Mean)
      s.i /= r->count;
    s = roundTo(t.element(), s);
  }
  b.set(0, t.reshape(r->kept));
  return success();
}

/// Builds a reduction by `Formula`, which gets the operand and the reduced
/// dims, and restores dims to keep.
template <Value (*Formula)(Binder &, Arithmetic &, Value, const Reduction &)>
static LogicalResult buildReduce(Binder &b) {
  auto r = reduction(b);
  if (failed(r))
    return failure();
  Arithmetic a(b);
  b.set(0, b.reshape(Formula(b, a, b.value(0), *r), r->kept));
  return success();
}

/// The same for operators that take floats only.
template <Value (*Formula)(Binder &, Arithmetic &, Value, const Reduction &)>
static LogicalResult buildFloats(Binder &b) {
  if (!isa<FloatType>(b.element(0)))
    return b.error() << "takes floats";
  return buildReduce<Formula>(b);
}

static Value sum(Binder &, Arithmetic &a, Value x, const Reduction &r) {
  return a.reduce<ReduceOp>(x, r.dims);
}

/// The same for operators that also take integers. These are computed in f64,
/// exact up to 2^53, and truncated.
template <Value (*Formula)(Binder &, Arithmetic &, Value, const Reduction &)>
static LogicalResult buildNumbers(Binder &b) {
  if (isa<FloatType>(b.element(0)))
    return buildReduce<Formula>(b);
  auto r = reduction(b);
  if (failed(r))
    return failure();
  if (b.element(0).isInteger(1))
    return b.error() << "takes numbers, not bools";
  // Counts of flags up to 2^24 are exact in f32.
  Value x = b.value(0);
  auto flags = x.getDefiningOp<CastOp>();
  bool isCount = flags &&
                 tensorType(flags.getInput()).getElementType().isInteger(1) &&
                 r->count <= int64_t(1) << 24;
  Arithmetic a(b);
  x = isCount ? a.cast(flags.getInput(), b.builder.getF32Type())
              : a.cast(x, b.builder.getF64Type());
  Value result = a.cast(Formula(b, a, x, *r), b.element(0));
  b.set(0, b.reshape(result, r->kept));
  return success();
}

static Value mean(Binder &b, Arithmetic &a, Value x, const Reduction &r) {
  return b.scale(sum(b, a, x, r), 1.0 / r.count);
}
static Value l1(Binder &b, Arithmetic &a, Value x, const Reduction &r) {
  return sum(b, a, a.abs(x), r);
}
static Value sumSquare(Binder &b, Arithmetic &a, Value x, const Reduction &r) {
  return sum(b, a, a.mul(x, x), r);
}
/// The gradient at zeros is 0, as in PyTorch: no root of 0 is taken.
static Value l2(Binder &b, Arithmetic &a, Value x, const Reduction &r) {
  Value squares = sumSquare(b, a, x, r), zero = a.splat(squares, 0);
  Value isZero = a.equal(squares, zero);
  Value safe = a.where(isZero, a.splat(squares, 1), squares);
  return a.where(isZero, zero, a.sqrt(safe));
}
static Value logSum(Binder &b, Arithmetic &a, Value x, const Reduction &r) {
  return a.log(sum(b, a, x, r));
}
static Value logSumExp(Binder &, Arithmetic &a, Value x, const Reduction &r) {
  Value max = a.reduce<ReduceMaxOp>(x, r.dims);
  Value shifted = a.sub(x, a.spread(max, tensorType(x).getShape(), r.dims));
  return a.add(max, a.log(a.reduce<ReduceOp>(a.exp(shifted), r.dims)));
}
template <typename Op>
static Value combine(Binder &, Arithmetic &a, Value x, const Reduction &r) {
  return a.reduce<Op>(x, r.dims);
}

/// A maximum or minimum. The TorchScript exporter writes the same for max(dim)
/// and for amax over one dim; max(dim) is assumed, which is more common in
/// models. Maxima in files of other tools share the gradient, as maxima of a
/// whole tensor do.
template <typename Op>
static Value best(Binder &b, Arithmetic &a, Value x, const Reduction &r) {
  TieGradient ties = tieGradientOf(b.node);
  bool isOfDim = r.dims.size() == 1 && (b.has(1) || b.ints("axes").has_value());
  if (ties == TieGradient::Unknown && isOfDim && b.translation.isOfTorch())
    ties = TieGradient::First;
  return ties == TieGradient::First ? a.reduceToFirst<Op>(x, r.dims)
                                    : a.reduce<Op>(x, r.dims);
}

/// The longest row of scores whose largest is chosen by nn.top_k, which
/// recognizes routers: as many as a model has experts.
static constexpr int64_t kMostExperts = 1024;

/// ArgMax of floats along an axis, as the one choice of a row.
static Value chooseLargest(Binder &b, int64_t axis) {
  RowsAlong rows(b, b.rank(0), axis);
  Value x = rows.toLast(b.value(0));
  Shape one(tensorType(x).getShape());
  one.back() = 1;
  Value ids = TopKOp::create(b.builder, b.loc,
                             b.typeOf(one, b.builder.getI32Type()), x);
  return rows.fromLast(Arithmetic(b).cast(ids, b.builder.getI64Type()));
}

template <typename Best>
static LogicalResult buildArg(Binder &b) {
  Shape shape = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", 0), shape.size());
  if (!axis)
    return b.error() << "has no such axis";
  if (failed(b.checkConstant(shape)))
    return failure();
  Arithmetic a(b);
  bool isLast = b.intAttr("select_last_index", 0);
  bool isChoice = std::is_same_v<Best, ReduceMaxOp> && !isLast &&
                  isa<FloatType>(b.element(0)) && shape[*axis] <= kMostExperts;
  Value found = isChoice ? chooseLargest(b, *axis)
                         : a.findBest<Best>(b.value(0), *axis, isLast);
  if (b.intAttr("keepdims", 1))
    shape[*axis] = 1;
  else
    shape.erase(shape.begin() + *axis);
  b.set(0, b.reshape(found, shape));
  return success();
}

/// The element type of sums. The TorchScript exporter writes cumsum of bools,
/// which is of integers in PyTorch, although ONNX does not allow it.
static Type elementOfSums(Binder &b) {
  return b.element(0).isInteger(1) ? b.builder.getI64Type() : b.element(0);
}

static LogicalResult foldCumSum(Binder &b) {
  Tensor input = *b.tensor(0);
  if (b.tensor(1)->size() != 1)
    return b.error() << "needs one axis";
  auto axis = normalizeAxis(b.tensor(1)->at(int64_t(0)).i, input.rank());
  if (!axis)
    return b.error() << "has no such axis";
  bool exclusive = b.intAttr("exclusive", 0), reverse = b.intAttr("reverse", 0);
  // Computes each sum once along dims where the input is uniform.
  Shape shape(input.core().shape());
  shape[*axis] = input.shape()[*axis];
  Tensor from = input.core().expand(shape), t(elementOfSums(b), shape);
  int64_t stride = product(ArrayRef(shape).drop_front(*axis + 1)),
          size = t.size(), extent = shape[*axis];
  std::vector<Scalar> sums(size);
  for (int64_t i = 0; i < size; ++i) {
    int64_t n = reverse ? size - 1 - i : i, here = n / stride % extent;
    Scalar before = input.isFloat() ? ofFloat(0) : ofInt(0), with = from.at(n);
    if (here != (reverse ? extent - 1 : 0))
      before = sums[reverse ? n + stride : n - stride];
    if (input.isFloat())
      with.f += before.f;
    else
      with.i += before.i;
    sums[n] = with;
    t.elements()[n] = roundTo(t.element(), exclusive ? before : with);
  }
  b.set(0, t.expand(input.shape()));
  return success();
}

/// A sum over a square mask: element j adds the elements i up to j.
static LogicalResult buildCumSum(Binder &b) {
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
  b.set(0, a.cast(a.reduce<ReduceOp>(terms, dim + 1), elementOfSums(b)));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::reductionOps() {
  constexpr int64_t any = kAnyOpset;
  static const std::vector<KnownAttribute> byDims =
      attributes(intsAttr("axes").until(17), flagAttr("keepdims"),
                 flagAttr("noop_with_empty_axes").since(18));
  static const std::vector<KnownAttribute> byAxis =
      attributes(intAttr("axis"), flagAttr("keepdims"),
                 flagAttr("select_last_index").since(12));
  static const OpEntry table[] = {
      {"ArgMax", 1, any, 1, nullptr, buildArg<ReduceMaxOp>, byAxis},
      {"ArgMin", 1, any, 1, nullptr, buildArg<ReduceMinOp>, byAxis},
      {"CumSum", 11, any, 2, foldCumSum, buildCumSum,
       attributes(flagAttr("exclusive"), flagAttr("reverse"))},
      {"ReduceL1", 1, any, between(1, 2), nullptr, buildNumbers<l1>, byDims},
      {"ReduceL2", 1, any, between(1, 2), nullptr, buildFloats<l2>, byDims},
      {"ReduceLogSum", 1, any, between(1, 2), nullptr, buildFloats<logSum>,
       byDims},
      {"ReduceLogSumExp", 1, any, between(1, 2), nullptr,
       buildFloats<logSumExp>, byDims},
      {"ReduceMax", 1, any, between(1, 2), foldReduce<Fold::Max>,
       buildReduce<best<ReduceMaxOp>>, byDims},
      {"ReduceMean", 1, any, between(1, 2), foldReduce<Fold::Mean>,
       buildNumbers<mean>, byDims},
      {"ReduceMin", 1, any, between(1, 2), foldReduce<Fold::Min>,
       buildReduce<best<ReduceMinOp>>, byDims},
      {"ReduceProd", 1, any, between(1, 2), foldReduce<Fold::Prod>,
       buildReduce<combine<ReduceProdOp>>, byDims},
      {"ReduceSum", 1, any, between(1, 2), foldReduce<Fold::Sum>,
       buildNumbers<sum>,
       attributes(intsAttr("axes").until(12), flagAttr("keepdims"),
                  flagAttr("noop_with_empty_axes").since(13))},
      {"ReduceSumSquare", 1, any, between(1, 2), nullptr,
       buildNumbers<sumSquare>, byDims},
  };
  return table;
}
