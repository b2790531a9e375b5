//===- Activation.cpp - Elementwise functions of one operand --------------===//
//
// Formulas of the ONNX specification, arranged so that neither they nor their
// derivatives compute an infinity in an unused branch. At kinks the derivatives
// are PyTorch's.
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include "frontend/onnx/ProgramNode.h"
#include <limits>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

LogicalResult pcc::frontend::buildAbs(Binder &b) {
  Arithmetic a(b);
  b.set(0, a.abs(b.value(0)));
  return success();
}

static LogicalResult buildSign(Binder &b) {
  Arithmetic a(b);
  Value x = b.value(0), zero = a.splat(x, 0);
  Value below = a.where(a.less(x, zero), a.splat(x, -1), zero);
  b.set(0, a.where(a.less(zero, x), a.splat(x, 1), below));
  return success();
}

static Value ceil(Binder &b, Arithmetic &a, Value x) {
  return a.mul(b.unary<FloorOp>(a.mul(x, -1)), -1);
}

LogicalResult pcc::frontend::buildCeil(Binder &b) {
  return buildFormula<ceil>(b);
}

/// alpha (exp(x * rate) - 1) for x <= 0, else x.
static Value expBelowZero(Arithmetic &a, Value x, double alpha,
                          double rate = 1) {
  Value zero = a.splat(x, 0), isBelow = a.lessOrEqual(x, zero);
  Value power = a.exp(a.mul(a.where(isBelow, x, zero), rate));
  return a.where(isBelow, a.mul(a.add(power, -1), alpha), x);
}

static Value elu(Binder &b, Arithmetic &a, Value x) {
  return expBelowZero(a, x, b.floatAttr("alpha", 1));
}

static Value selu(Binder &b, Arithmetic &a, Value x) {
  double alpha = b.floatAttr("alpha", 1.67326319217681884765625);
  double gamma = b.floatAttr("gamma", 1.05070102214813232421875);
  return a.mul(expBelowZero(a, x, alpha), gamma);
}

static Value celu(Binder &b, Arithmetic &a, Value x) {
  double alpha = b.floatAttr("alpha", 1);
  return expBelowZero(a, x, alpha, 1 / alpha);
}

static Value leakyRelu(Binder &b, Arithmetic &a, Value x) {
  Value below = a.mul(x, b.floatAttr("alpha", 0.01f));
  return a.where(a.lessOrEqual(x, a.splat(x, 0)), below, x);
}

static Value thresholdedRelu(Binder &b, Arithmetic &a, Value x) {
  Value threshold = a.splat(x, b.floatAttr("alpha", 1));
  return a.where(a.less(threshold, x), x, a.splat(x, 0));
}

/// Clamps x to constant bounds, at which the gradient is 0; either may be null.
static Value clamp(Arithmetic &a, Value x, Value low, Value high) {
  if (low)
    x = a.where(a.lessOrEqual(x, low), low, x);
  if (high)
    x = a.where(a.lessOrEqual(high, x), high, x);
  return x;
}

/// alpha x + beta, clamped to [0, 1].
static Value hardSigmoid(Arithmetic &a, Value x, double alpha, double beta) {
  Value line = a.add(a.mul(x, alpha), beta);
  return clamp(a, line, a.splat(x, 0), a.splat(x, 1));
}

static Value hardSigmoid(Binder &b, Arithmetic &a, Value x) {
  return hardSigmoid(a, x, b.floatAttr("alpha", 0.2f),
                     b.floatAttr("beta", 0.5f));
}

static Value hardSwish(Binder &, Arithmetic &a, Value x) {
  return a.mul(x, hardSigmoid(a, x, 1.0 / 6, 0.5));
}

static Value softplus(Binder &, Arithmetic &a, Value x) {
  Value rest = a.log(a.add(a.exp(a.mul(a.abs(x), -1)), 1));
  return a.add(a.max(x, a.splat(x, 0)), rest);
}

static Value mish(Binder &b, Arithmetic &a, Value x) {
  return a.mul(x, b.unary<TanhOp>(softplus(b, a, x)));
}

static Value softsign(Binder &, Arithmetic &a, Value x) {
  return a.div(x, a.add(a.abs(x), 1));
}

static Value shrink(Binder &b, Arithmetic &a, Value x) {
  double bias = b.floatAttr("bias", 0), lambd = b.floatAttr("lambd", 0.5);
  Value below = a.less(x, a.splat(x, -lambd));
  Value above = a.less(a.splat(x, lambd), x);
  return a.where(below, a.add(x, bias),
                 a.where(above, a.add(x, -bias), a.splat(x, 0)));
}

static Value isInf(Binder &b, Arithmetic &a, Value x) {
  double infinity = std::numeric_limits<double>::infinity();
  Value up = a.equal(x, a.splat(x, infinity));
  Value down = a.equal(x, a.splat(x, -infinity));
  Value none = a.splat(up, 0);
  return a.either(b.intAttr("detect_positive", 1) ? up : none,
                  b.intAttr("detect_negative", 1) ? down : none);
}

/// Up to opset 6 a slope of one dim holds one number per channel, dim 1.
static LogicalResult buildPRelu(Binder &b) {
  Shape from = b.shape(0), given = b.shape(1);
  if (b.opset < 7 && given.size() == 1 && from.size() > 2)
    given.append(from.size() - 2, 1);
  auto shape = broadcastShapes({from, given});
  if (!shape || *shape != from)
    return b.error() << "the slope does not fit the input";
  Arithmetic a(b);
  Value x = b.value(0);
  Value slope = b.broadcast(b.reshape(b.value(1), given), *shape);
  b.set(0, a.where(a.lessOrEqual(x, a.splat(x, 0)), a.mul(slope, x), x));
  return success();
}

/// Bounds are attributes up to opset 10, later optional scalar operands.
static LogicalResult buildClip(Binder &b) {
  Arithmetic a(b);
  Value x = b.value(0);
  auto bound = [&](unsigned i, StringRef name) -> Value {
    if (b.opset < 11)
      return findAttribute(b.node, name) ? a.splat(x, b.floatAttr(name, 0))
                                         : Value();
    if (!b.has(i))
      return Value();
    if (auto known = b.uniform(i))
      return a.splat(x, *known);
    return b.broadcast(b.reshape(b.value(i), {}), b.shape(0));
  };
  for (unsigned i : {1u, 2u})
    if (b.opset >= 11 && b.has(i) && b.element(i) != b.element(0))
      return b.error() << "its bounds are of another type";
  Value low = bound(1, "min"), high = bound(2, "max");
  auto isKnown = [&](unsigned i) {
    return b.opset < 11 || !b.has(i) || b.uniform(i);
  };
  if (isKnown(1) && isKnown(2) && clampsOf(b.node) != Clamps::ByTensors) {
    b.set(0, clamp(a, x, low, high));
    return success();
  }
  if (low)
    x = a.max(x, low);
  if (high)
    x = a.min(x, high);
  b.set(0, x);
  return success();
}

ArrayRef<OpEntry> pcc::frontend::activationOps() {
  constexpr int64_t any = kAnyOpset;
  static const OpEntry table[] = {
      {"Celu", 12, any, 1, nullptr, buildFormula<celu>,
       attributes(floatAttr("alpha"))},
      {"Clip", 6, any, between(1, 3), nullptr, buildClip,
       attributes(floatAttr("max").until(10), floatAttr("min").until(10))},
      {"Elu", 6, any, 1, nullptr, buildFormula<elu>,
       attributes(floatAttr("alpha"))},
      {"HardSigmoid", 6, any, 1, nullptr, buildFormula<hardSigmoid>,
       attributes(floatAttr("alpha"), floatAttr("beta"))},
      {"HardSwish", 14, any, 1, nullptr, buildFormula<hardSwish>},
      {"IsInf", 10, any, 1, nullptr, buildFormula<isInf>,
       attributes(flagAttr("detect_negative"), flagAttr("detect_positive"))},
      {"LeakyRelu", 6, any, 1, nullptr, buildFormula<leakyRelu>,
       attributes(floatAttr("alpha"))},
      {"Mish", 18, any, 1, nullptr, buildFormula<mish>},
      {"PRelu", 6, any, 2, nullptr, buildPRelu},
      {"Selu", 6, any, 1, nullptr, buildFormula<selu>,
       attributes(floatAttr("alpha"), floatAttr("gamma"))},
      {"Shrink", 9, any, 1, nullptr, buildFormula<shrink>,
       attributes(floatAttr("bias"), floatAttr("lambd"))},
      {"Sign", 9, any, 1, nullptr, buildSign},
      {"Softplus", 1, any, 1, nullptr, buildFormula<softplus>},
      {"Softsign", 1, any, 1, nullptr, buildFormula<softsign>},
      {"ThresholdedRelu", 10, any, 1, nullptr, buildFormula<thresholdedRelu>,
       attributes(floatAttr("alpha"))},
  };
  return table;
}
