//===- Training.cpp - Operators of ai.onnx.preview.training ---------------===//
//
// Optimizers as formulas, and Gradient as the derivative of the ops translated
// so far.
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include "frontend/binding/Differentiate.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Builds dy/dx for each name in `xs`.
static LogicalResult buildGradient(Binder &b) {
  const auto *names = findAttribute(b.node, "xs");
  Value y = b.translation.valueNamed(b.stringAttr("y", ""));
  if (!names || !y)
    return b.error() << "names no result to differentiate";
  SmallVector<Value> inputs;
  for (int i = 0; i < names->strings_size(); ++i) {
    Value x = b.translation.valueNamed(names->strings(i));
    if (!x)
      return b.error() << "names '" << names->strings(i)
                       << "', which nothing defines";
    inputs.push_back(x);
  }
  if (!isa<FloatType>(tensorType(y).getElementType()))
    return b.error() << "differentiates a value that is not of floats";
  auto cotangents = differentiate(b.builder, b.loc, y, inputs);
  if (failed(cotangents))
    return failure();
  Arithmetic a(b);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Value d = (*cotangents)[i];
    b.set(i, d ? d : a.splat(input, 0));
  }
  return success();
}

namespace {
/// The update of one tensor by an optimizer node. Operands: rate R, step T,
/// then x, gradient and states of each tensor, kind by kind. Results: x and the
/// states.
struct Update {
  Update(Binder &b, unsigned kinds, unsigned i)
      : b(b), a(b), tensors((b.numInputs() - 2) / kinds), i(i), x(operand(0)),
        element(b.element(2 + i)) {
    // Includes the gradient of norm_coefficient / 2 * |x|^2.
    gradient = a.add(operand(1), a.mul(x, b.floatAttr("norm_coefficient", 0)));
  }

  Value operand(unsigned kind) { return b.value(2 + kind * tensors + i); }
  Value state(unsigned number) { return operand(2 + number); }
  void set(unsigned result, Value value) { b.set(result * tensors + i, value); }
  void setState(unsigned number, Value value) { set(1 + number, value); }
  /// A scalar broadcast to x's shape.
  Value like(Value scalar) {
    return b.broadcast(b.reshape(scalar, {}), tensorType(x).getShape());
  }
  Value rate() { return a.cast(b.reshape(b.value(0), {}), element); }
  Value step() { return a.cast(b.reshape(b.value(1), {}), element); }

  Binder &b;
  Arithmetic a;
  unsigned tensors, i;
  Value x, gradient;
  Type element;
};
} // namespace

static LogicalResult checkOperands(Binder &b, unsigned kinds) {
  unsigned tensors = (b.numInputs() - 2) / kinds;
  if (b.numInputs() != 2 + kinds * tensors || tensors == 0 ||
      b.numOutputs() != (kinds - 1) * tensors)
    return b.error() << "needs " << kinds << " operands for every tensor";
  for (unsigned i = 2; i < 2 + tensors; ++i)
    for (unsigned other = i; other < b.numInputs(); other += tensors)
      if (b.shape(other) != b.shape(i) || b.element(other) != b.element(i) ||
          !isa<FloatType>(b.element(i)))
        return b.error() << "the operands of tensor " << i - 2
                         << " differ in shape or type, or are not floats";
  return success();
}

/// Builds an optimizer; `Formula` sets x and the states of one tensor.
template <unsigned States, void (*Formula)(Update)>
static LogicalResult buildOptimizer(Binder &b) {
  unsigned kinds = 2 + States;
  if (failed(checkOperands(b, kinds)))
    return failure();
  for (unsigned i = 0; i < (b.numInputs() - 2) / kinds; ++i)
    Formula(Update(b, kinds, i));
  return success();
}

static void adam(Update u) {
  Binder &b = u.b;
  Arithmetic &a = u.a;
  Value x = u.x, g = u.gradient;
  double alpha = b.floatAttr("alpha", 0.9f), beta = b.floatAttr("beta", 0.999f);
  Value v = a.add(a.mul(u.state(0), alpha), a.mul(g, 1 - alpha));
  Value h = a.add(a.mul(u.state(1), beta), a.mul(a.mul(g, g), 1 - beta));
  // Bias correction of the rate by the step.
  Value rate = u.rate(), step = u.step();
  Value isFirst = a.lessOrEqual(step, a.splat(step, 0));
  auto rest = [&](double base) {
    return a.add(a.mul(a.pow(a.splat(step, base), step), -1), 1);
  };
  Value corrected = a.div(a.mul(rate, a.sqrt(rest(beta))), rest(alpha));
  rate = a.where(isFirst, rate, corrected);
  Value root = a.add(a.sqrt(h), b.floatAttr("epsilon", 1e-6f));
  Value next = a.sub(x, a.mul(u.like(rate), a.div(v, root)));
  u.set(0, a.mul(next, 1 - b.floatAttr("norm_coefficient_post", 0)));
  u.setState(0, v);
  u.setState(1, h);
}

static void adagrad(Update u) {
  Binder &b = u.b;
  Arithmetic &a = u.a;
  Value g = u.gradient;
  Value decay = a.add(a.mul(u.step(), b.floatAttr("decay_factor", 0)), 1);
  Value rate = a.div(u.rate(), decay);
  Value h = a.add(u.state(0), a.mul(g, g));
  Value root = a.add(a.sqrt(h), b.floatAttr("epsilon", 0));
  u.set(0, a.sub(u.x, a.mul(u.like(rate), a.div(g, root))));
  u.setState(0, h);
}

static void momentum(Update u) {
  Binder &b = u.b;
  Arithmetic &a = u.a;
  Value g = u.gradient;
  double alpha = b.floatAttr("alpha", 0), beta = b.floatAttr("beta", 0);
  // At the first step the gradient counts in full.
  Value step = u.step();
  Value share = a.where(a.less(a.splat(step, 0), step), a.splat(step, beta),
                        a.splat(step, 1));
  Value v = a.add(a.mul(u.state(0), alpha), a.mul(u.like(share), g));
  bool nesterov = b.stringAttr("mode", "standard") == "nesterov";
  Value move = nesterov ? a.add(g, a.mul(v, alpha)) : v;
  u.set(0, a.sub(u.x, a.mul(u.like(u.rate()), move)));
  u.setState(0, v);
}

static LogicalResult buildMomentum(Binder &b) {
  std::string mode = b.stringAttr("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    return b.error() << "mode '" << mode << "' is not supported";
  return buildOptimizer<1, momentum>(b);
}

ArrayRef<OpEntry> pcc::frontend::trainingOps() {
  static const OpEntry table[] = {
      {"ai.onnx.preview.training.Adagrad", 1, 1, atLeast(2), nullptr,
       buildOptimizer<1, adagrad>,
       attributes(floatAttr("decay_factor"), floatAttr("epsilon"),
                  floatAttr("norm_coefficient"))},
      {"ai.onnx.preview.training.Adam", 1, 1, atLeast(2), nullptr,
       buildOptimizer<2, adam>,
       attributes(floatAttr("alpha"), floatAttr("beta"), floatAttr("epsilon"),
                  floatAttr("norm_coefficient"),
                  floatAttr("norm_coefficient_post"))},
      {"ai.onnx.preview.training.Gradient", 1, 1, atLeast(1), nullptr,
       buildGradient,
       attributes(stringsAttr("xs").required(), stringAttr("y").required(),
                  stringsAttr("zs"))},
      {"ai.onnx.preview.training.Momentum", 1, 1, atLeast(2), nullptr,
       buildMomentum,
       attributes(floatAttr("alpha").required(), floatAttr("beta").required(),
                  stringAttr("mode").only("standard|nesterov").required(),
                  floatAttr("norm_coefficient").required())},
  };
  return table;
}
