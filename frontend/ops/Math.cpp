//===- Math.cpp - Elementwise arithmetic ----------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include "frontend/binding/Elementwise.h"
#include "frontend/onnx/ElementTypes.h"
#include "frontend/onnx/ProgramNode.h"
#include <cmath>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

static double addF(In x) { return x[0].f + x[1].f; }
static int64_t addI(In x) { return x[0].i + x[1].i; }
static double subF(In x) { return x[0].f - x[1].f; }
static int64_t subI(In x) { return x[0].i - x[1].i; }
static double mulF(In x) { return x[0].f * x[1].f; }
static int64_t mulI(In x) { return x[0].i * x[1].i; }
static double divF(In x) { return x[0].f / x[1].f; }
static int64_t divI(In x) { return x[1].i ? x[0].i / x[1].i : 0; }
static double powF(In x) { return std::pow(x[0].f, x[1].f); }
static int64_t powI(In x) { return std::llround(std::pow(x[0].i, x[1].i)); }
static double fmodF(In x) { return std::fmod(x[0].f, x[1].f); }
static int64_t fmodI(In x) { return x[1].i ? x[0].i % x[1].i : 0; }
static double modF(In x) {
  double r = fmodF(x);
  return r && (r < 0) != (x[1].f < 0) ? r + x[1].f : r;
}
static int64_t modI(In x) {
  int64_t r = fmodI(x);
  return r && (r < 0) != (x[1].i < 0) ? r + x[1].i : r;
}
static double maxF(In x) {
  double best = x[0].f;
  for (Scalar s : x)
    best = std::max(best, s.f);
  return best;
}
static int64_t maxI(In x) {
  int64_t best = x[0].i;
  for (Scalar s : x)
    best = std::max(best, s.i);
  return best;
}
static double minF(In x) {
  double best = x[0].f;
  for (Scalar s : x)
    best = std::min(best, s.f);
  return best;
}
static int64_t minI(In x) {
  int64_t best = x[0].i;
  for (Scalar s : x)
    best = std::min(best, s.i);
  return best;
}
static double negF(In x) { return -x[0].f; }
static int64_t negI(In x) { return -x[0].i; }
static double absF(In x) { return std::fabs(x[0].f); }
static int64_t absI(In x) { return std::abs(x[0].i); }
static double roundF(In x) { return std::nearbyint(x[0].f); }
static double sqrtF(In x) { return std::sqrt(x[0].f); }
static double expF(In x) { return std::exp(x[0].f); }
static double logF(In x) { return std::log(x[0].f); }
static double cosF(In x) { return std::cos(x[0].f); }
static double sinF(In x) { return std::sin(x[0].f); }
static double tanhF(In x) { return std::tanh(x[0].f); }
static double erfF(In x) { return std::erf(x[0].f); }
static double floorF(In x) { return std::floor(x[0].f); }
static double ceilF(In x) { return std::ceil(x[0].f); }
static double reciprocalF(In x) { return 1.0 / x[0].f; }
static double sigmoidF(In x) { return 1.0 / (1.0 + std::exp(-x[0].f)); }
static double reluF(In x) { return std::max(0.0, x[0].f); }

static LogicalResult foldIntDiv(Binder &b) {
  Tensor divisor = *b.tensor(1);
  if (!divisor.isFloat())
    for (int64_t i : divisor.core().ints())
      if (i == 0)
        return b.error() << "divides by zero";
  return foldMath<divF, divI>(b);
}

/// Elementwise operators up to opset 6. With `broadcast`, the second operand's
/// dims are those of the first from `axis` on, by default the last ones;
/// without it, the shapes are equal.
template <ImportFn Build>
static LogicalResult buildOld(Binder &b) {
  Shape shape = b.shape(0), other = b.shape(1);
  if (!b.intAttr("broadcast", 0)) {
    if (shape != other)
      return b.error() << "the shapes of its operands do not fit";
    return Build(b);
  }
  int64_t rank = shape.size(), count = other.size();
  int64_t axis = b.intAttr("axis", rank - count);
  if (axis < 0 || axis + count > rank)
    return b.error() << "has no such axis";
  other.append(rank - axis - count, 1);
  Item items[] = {b.item(0), b.item(1)};
  if (items[1].tensor)
    items[1].tensor = items[1].tensor->reshape(other);
  else
    items[1].value = b.reshape(items[1].value, other);
  Binder aligned(b.translation, b.builder, b.loc, b.node, b.opset, items);
  if (failed(Build(aligned)))
    return failure();
  b.set(0, aligned.getResults()[0]);
  return success();
}

/// The other operand in the common shape and the value of a uniform constant
/// operand, if it scales floats.
static std::optional<std::pair<Value, double>>
scaledBy(Binder &b, unsigned constant, unsigned other) {
  std::optional<double> factor = b.uniform(constant);
  auto shape = broadcastShapes({b.shape(0), b.shape(1)});
  if (!factor || !shape || !isa<FloatType>(b.element(other)))
    return std::nullopt;
  return std::pair(b.broadcast(b.value(other), *shape), *factor);
}

static LogicalResult buildAdd(Binder &b) {
  auto values = broadcastAll(b);
  if (failed(values))
    return failure();
  b.set(0, Value(SumOp::create(b.builder, b.loc, values->front().getType(),
                               *values)));
  return success();
}

template <typename Op>
static LogicalResult buildBinary(Binder &b) {
  auto values = broadcastAll(b);
  if (failed(values))
    return failure();
  Value result = values->front();
  for (Value value : llvm::drop_begin(*values))
    result = b.binary<Op>(result, value);
  b.set(0, result);
  return success();
}

/// A maximum or minimum. If it clamps by a number, no gradient passes at the
/// bound.
template <typename Op>
static LogicalResult buildExtremum(Binder &b) {
  if (b.numInputs() != 2 || clampsOf(b.node) != Clamps::ByNumbers)
    return buildBinary<Op>(b);
  auto values = broadcastAll(b);
  if (failed(values))
    return failure();
  Arithmetic a(b);
  Value x = values->front(), bound = values->back();
  Value isOutside = std::is_same_v<Op, MaxOp> ? a.lessOrEqual(x, bound)
                                              : a.lessOrEqual(bound, x);
  b.set(0, a.where(isOutside, bound, x));
  return success();
}

static LogicalResult buildMul(Binder &b) {
  for (unsigned i : {0u, 1u})
    if (auto scaled = scaledBy(b, i, 1 - i)) {
      b.set(0, b.scale(scaled->first, scaled->second));
      return success();
    }
  return buildBinary<MulOp>(b);
}

static LogicalResult buildDiv(Binder &b) {
  if (auto scaled = scaledBy(b, 1, 0); scaled && scaled->second != 0) {
    b.set(0, b.scale(scaled->first, 1.0 / scaled->second));
    return success();
  }
  return buildBinary<DivOp>(b);
}

/// For floats, the exponents 1, 2, 3 and 4 become multiplications, one half
/// becomes sqrt. The result has the base's type; integers are raised in f64.
static LogicalResult buildPow(Binder &b) {
  std::optional<double> exponent = b.uniform(1);
  bool isFloat = isa<FloatType>(b.element(0));
  auto shape = broadcastShapes({b.shape(0), b.shape(1)});
  if (!shape)
    return b.error() << "the shapes of its operands do not fit";
  Arithmetic a(b);
  if (isFloat && exponent && *shape == b.shape(0)) {
    Value x = b.value(0), result = x;
    if (*exponent == 0.5) {
      b.set(0, b.unary<SqrtOp>(x));
      return success();
    }
    if (*exponent == std::floor(*exponent) && *exponent >= 1 &&
        *exponent <= 4) {
      for (int i = 1; i < *exponent; ++i)
        result = b.binary<MulOp>(result, x);
      b.set(0, result);
      return success();
    }
  }
  Type compute = isFloat ? b.element(0) : b.builder.getF64Type();
  Value x = a.cast(b.broadcast(b.value(0), *shape), compute);
  Value y = a.cast(b.broadcast(b.value(1), *shape), compute);
  b.set(0, a.cast(a.pow(x, y), b.element(0)));
  return success();
}

template <typename Op>
static LogicalResult buildUnary(Binder &b) {
  if (!isa<FloatType>(b.element(0)))
    return b.error() << "takes floats";
  b.set(0, b.unary<Op>(b.value(0)));
  return success();
}

/// The square root of std() has a gradient of 0 at 0.
static LogicalResult buildSqrt(Binder &b) {
  if (!isDeviation(b.node))
    return buildUnary<SqrtOp>(b);
  Arithmetic a(b);
  Value x = b.value(0), zero = a.splat(x, 0), isZero = a.equal(x, zero);
  Value root = a.sqrt(a.where(isZero, a.splat(x, 1), x));
  b.set(0, a.where(isZero, zero, root));
  return success();
}

static LogicalResult buildNeg(Binder &b) {
  Arithmetic a(b);
  b.set(0, a.mul(b.value(0), -1));
  return success();
}

static LogicalResult buildMean(Binder &b) {
  if (failed(buildAdd(b)))
    return failure();
  b.set(0, b.scale(b.getResults()[0].value, 1.0 / b.numInputs()));
  return success();
}

/// Reports a remainder of floats whose sign the specification leaves undefined.
static LogicalResult checkMod(Binder &b) {
  if (b.intAttr("fmod", 0) || b.opset >= 28 || !isa<FloatType>(b.element(0)))
    return success();
  return b.error() << "needs fmod = 1 for floats before opset 28";
}

static LogicalResult foldMod(Binder &b) {
  if (failed(checkMod(b)))
    return failure();
  return b.intAttr("fmod", 0) ? foldMath<fmodF, fmodI>(b)
                              : foldMath<modF, modI>(b);
}

/// The remainder has the divisor's sign; with fmod, the dividend's.
static LogicalResult buildMod(Binder &b) {
  auto values = broadcastAll(b);
  if (failed(values) || failed(checkMod(b)))
    return failure();
  Arithmetic a(b);
  Value x = (*values)[0], y = (*values)[1], r = a.rem(x, y);
  if (!b.intAttr("fmod", 0)) {
    Value zero = a.splat(r, 0);
    Value differ = a.negate(a.equal(a.less(r, zero), a.less(y, zero)));
    Value wraps = a.both(a.negate(a.equal(r, zero)), differ);
    r = a.where(wraps, a.add(r, y), r);
  }
  b.set(0, r);
  return success();
}

static LogicalResult buildReciprocal(Binder &b) {
  Value x = b.value(0);
  Value one = b.constant(Tensor::splat(b.element(0), b.shape(0), ofFloat(1)));
  b.set(0, b.binary<DivOp>(one, x));
  return success();
}

static LogicalResult castTo(Binder &b, Type element) {
  // Evaluates masks now: no gradient passes a bool.
  std::optional<Tensor> known = b.item(0).tensor;
  if (!known && !isa<FloatType>(element))
    known = b.tensor(0);
  if (known)
    b.set(0, known->castTo(element));
  else
    b.set(0, Arithmetic(b).cast(b.value(0), element));
  return success();
}

/// Casts to unsigned bytes: the number modulo 256.
static LogicalResult castToByte(Binder &b, Type element) {
  Type from = b.element(0);
  if (failed(castTo(b, element)))
    return failure();
  const Item &cast = b.getResults()[0];
  if (cast.tensor) {
    b.set(0, Tensor::map(element, *cast.tensor, [](In in) {
            return ofInt(static_cast<uint8_t>(in[0].i));
          }));
  } else if (!from.isInteger(1)) {
    Arithmetic a(b);
    Value rest = a.rem(cast.value, a.splat(cast.value, 256));
    b.set(0, a.wrap(rest, 256));
  }
  return success();
}

static LogicalResult importCast(Binder &b) {
  int64_t to = b.intAttr("to", 0);
  Type element =
      elementType(b.builder.getContext(), to, b.translation.isForward());
  if (element)
    return to == onnx::TensorProto::UINT8 ? castToByte(b, element)
                                          : castTo(b, element);
  InFlightDiagnostic diag = b.error();
  std::string name = onnx::TensorProto::DataType_IsValid(to)
                         ? onnx::TensorProto::DataType_Name(
                               static_cast<onnx::TensorProto::DataType>(to))
                         : std::to_string(to);
  diag << "casts to " << name << ", which is not supported";
  if (to == onnx::TensorProto::COMPLEX128)
    diag.attachNote(b.loc)
        << "PyTorch's TorchScript exporter writes some casts to bf16 this way: "
           "export with attn_implementation=\"eager\" or dynamo=True";
  return diag;
}

static LogicalResult importCastLike(Binder &b) {
  return castTo(b, b.element(1));
}

ArrayRef<OpEntry> pcc::frontend::mathOps() {
  constexpr int64_t any = kAnyOpset;
  static const std::vector<KnownAttribute> old =
      attributes(intAttr("axis"), flagAttr("broadcast"),
                 intsAttr("consumed_inputs").until(5));
  static const OpEntry table[] = {
      {"Abs", 6, any, 1, foldMath<absF, absI>, buildAbs},
      {"Add", 1, 6, 2, nullptr, buildOld<buildAdd>, old},
      {"Add", 7, any, 2, foldMath<addF, addI>, buildAdd},
      {"Cast", 6, any, 1, importCast, importCast,
       attributes(intAttr("to").required(), flagAttr("saturate").since(19),
                  stringAttr("round_mode").only("up|down|nearest").since(24))},
      {"CastLike", 15, any, 2, importCastLike, importCastLike,
       attributes(flagAttr("saturate").since(19),
                  stringAttr("round_mode").only("up|down|nearest").since(24))},
      {"Ceil", 6, any, 1, foldMath<ceilF, nullptr>, buildCeil},
      {"Cos", 7, any, 1, foldMath<cosF, nullptr>, buildUnary<CosOp>},
      {"Div", 1, 6, 2, nullptr, buildOld<buildDiv>, old},
      {"Div", 7, any, 2, foldIntDiv, buildDiv},
      {"Erf", 9, any, 1, foldMath<erfF, nullptr>, buildUnary<ErfOp>},
      {"Exp", 6, any, 1, foldMath<expF, nullptr>, buildUnary<ExpOp>},
      {"Floor", 6, any, 1, foldMath<floorF, nullptr>, buildUnary<FloorOp>},
      {"Log", 6, any, 1, foldMath<logF, nullptr>, buildUnary<LogOp>},
      {"Max", 6, any, atLeast(1), foldMath<maxF, maxI>, buildExtremum<MaxOp>},
      {"Min", 6, any, atLeast(1), foldMath<minF, minI>, buildExtremum<MinOp>},
      {"Mean", 8, any, atLeast(1), nullptr, buildMean},
      {"Mod", 10, any, 2, foldMod, buildMod, attributes(flagAttr("fmod"))},
      {"Mul", 1, 6, 2, nullptr, buildOld<buildMul>, old},
      {"Mul", 7, any, 2, foldMath<mulF, mulI>, buildMul},
      {"Neg", 6, any, 1, foldMath<negF, negI>, buildNeg},
      {"Pow", 1, 6, 2, nullptr, buildOld<buildPow>,
       attributes(intAttr("axis"), flagAttr("broadcast"))},
      {"Pow", 7, any, 2, foldMath<powF, powI>, buildPow},
      {"Reciprocal", 6, any, 1, foldMath<reciprocalF, nullptr>,
       buildReciprocal},
      {"Relu", 6, any, 1, foldMath<reluF, nullptr>, buildUnary<ReluOp>},
      {"Round", 11, any, 1, foldMath<roundF, nullptr>, buildUnary<RoundOp>},
      {"Sigmoid", 6, any, 1, foldMath<sigmoidF, nullptr>,
       buildUnary<SigmoidOp>},
      {"Sin", 7, any, 1, foldMath<sinF, nullptr>, buildUnary<SinOp>},
      {"Sqrt", 6, any, 1, foldMath<sqrtF, nullptr>, buildSqrt},
      {"Sub", 1, 6, 2, nullptr, buildOld<buildBinary<SubOp>>, old},
      {"Sub", 7, any, 2, foldMath<subF, subI>, buildBinary<SubOp>},
      {"Sum", 6, any, atLeast(1), nullptr, buildAdd},
      {"Tanh", 6, any, 1, foldMath<tanhF, nullptr>, buildUnary<TanhOp>},
  };
  return table;
}
