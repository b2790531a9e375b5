//===- TableTraining.cpp - Operators of ai.onnx.preview.training ----------===//
//
// Optimizers as formulas, and Gradient as the derivative of the ops that the
// graph has been translated to so far.
//
//===----------------------------------------------------------------------===//

#include "frontend/Arithmetic.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The cotangents of `inputs` for ones as that of `output`; null where it does
/// not depend on one.
static FailureOr<SmallVector<Value>> differentiate(Binder &b, Value output,
                                                   ArrayRef<Value> inputs) {
  Arithmetic a(b);
  llvm::DenseSet<Value> wanted(inputs.begin(), inputs.end()), depends = wanted;
  Block *block = b.builder.getInsertionBlock();
  SmallVector<Operation *> path;
  for (Operation &op : *block)
    if (llvm::any_of(op.getOperands(),
                     [&](Value in) { return depends.contains(in); })) {
      path.push_back(&op);
      for (Value result : op.getResults())
        depends.insert(result);
    }
  DenseMap<Value, SmallVector<Value>> terms;
  terms[output].push_back(a.splat(output, 1));
  auto total = [&](Value value) -> Value {
    auto it = terms.find(value);
    if (it == terms.end())
      return nullptr;
    if (it->second.size() == 1)
      return it->second[0];
    return SumOp::create(b.builder, b.loc, value.getType(), it->second);
  };
  for (Operation *op : llvm::reverse(path)) {
    SmallVector<Value> cotangents;
    for (Value result : op->getResults())
      cotangents.push_back(total(result));
    if (llvm::none_of(cotangents, [](Value d) { return d; }))
      continue;
    auto rule = dyn_cast<DifferentiableInterface>(op);
    bool hasStatistics = op->getNumResults() > 1 &&
                         llvm::any_of(ArrayRef<Value>(cotangents).drop_front(),
                                      [](Value d) { return d; });
    if (!rule || !cotangents[0] || hasStatistics)
      return b.error() << "goes through " << op->getName()
                       << ", which has no derivative";
    SmallVector<Value> parts = rule.buildVJP(b.builder, cotangents);
    for (auto [operand, part] : llvm::zip(op->getOperands(), parts))
      if (part && depends.contains(operand))
        terms[operand].push_back(part);
  }
  return llvm::map_to_vector(inputs, total);
}

/// d y / d x for each of the names in `xs`.
static LogicalResult buildGradient(Binder &b) {
  const auto *names = b.find("xs");
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
  auto cotangents = differentiate(b, y, inputs);
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
/// Operands of an optimizer: rate R, step T, then x, gradient and states of
/// each tensor, kind by kind.
struct Optimizer {
  Binder &b;
  Arithmetic a;
  unsigned kinds, tensors;

  Optimizer(Binder &b, unsigned kinds)
      : b(b), a(b), kinds(kinds), tensors((b.numInputs() - 2) / kinds) {}

  /// Each result is that of an operand: x and the states.
  LogicalResult check() {
    if (b.numInputs() != 2 + kinds * tensors || tensors == 0 ||
        b.numOutputs() != (kinds - 1) * tensors)
      return b.error() << "needs " << kinds << " operands for every tensor";
    for (unsigned i = 0; i < tensors; ++i)
      for (unsigned kind = 1; kind < kinds; ++kind)
        if (b.shape(at(kind, i)) != b.shape(at(0, i)) ||
            b.element(at(kind, i)) != b.element(at(0, i)) ||
            !isa<FloatType>(b.element(at(0, i))))
          return b.error() << "the operands of tensor " << i << " do not fit";
    return success();
  }
  unsigned at(unsigned kind, unsigned i) { return 2 + kind * tensors + i; }
  Value operand(unsigned kind, unsigned i) { return b.value(at(kind, i)); }
  /// Kind 0 is x, the gradient has no result.
  void set(unsigned kind, unsigned i, Value value) {
    b.set((kind ? kind - 1 : 0) * tensors + i, value);
  }
  Value like(Value scalar, Value x) {
    return b.broadcast(b.reshape(scalar, {}), tensorType(x).getShape());
  }
  Value rate(Type element) {
    return a.cast(b.reshape(b.value(0), {}), element);
  }
  Value step(Type element) {
    return a.cast(b.reshape(b.value(1), {}), element);
  }
  /// The gradient with that of norm_coefficient / 2 * |x|^2.
  Value gradient(unsigned i) {
    Value x = operand(0, i), g = operand(1, i);
    return a.add(g, a.mul(x, b.floatAttr("norm_coefficient", 0)));
  }
};
} // namespace

static LogicalResult buildAdam(Binder &b) {
  Optimizer o(b, 4);
  if (failed(o.check()))
    return failure();
  Arithmetic &a = o.a;
  double alpha = b.floatAttr("alpha", 0.9f), beta = b.floatAttr("beta", 0.999f);
  for (unsigned i = 0; i < o.tensors; ++i) {
    Value x = o.operand(0, i), g = o.gradient(i);
    Type element = tensorType(x).getElementType();
    Value v = a.add(a.mul(o.operand(2, i), alpha), a.mul(g, 1 - alpha));
    Value h = a.add(a.mul(o.operand(3, i), beta), a.mul(a.mul(g, g), 1 - beta));
    // The rate is corrected for how few steps the states have seen.
    Value rate = o.rate(element), step = o.step(element);
    Value isFirst = a.lessOrEqual(step, a.splat(step, 0));
    auto rest = [&](double base) {
      return a.add(a.mul(a.pow(a.splat(step, base), step), -1), 1);
    };
    Value corrected = a.div(a.mul(rate, a.sqrt(rest(beta))), rest(alpha));
    rate = a.where(isFirst, rate, corrected);
    Value root = a.add(a.sqrt(h), b.floatAttr("epsilon", 1e-6f));
    Value next = a.sub(x, a.mul(o.like(rate, x), a.div(v, root)));
    o.set(0, i, a.mul(next, 1 - b.floatAttr("norm_coefficient_post", 0)));
    o.set(2, i, v);
    o.set(3, i, h);
  }
  return success();
}

static LogicalResult buildAdagrad(Binder &b) {
  Optimizer o(b, 3);
  if (failed(o.check()))
    return failure();
  Arithmetic &a = o.a;
  for (unsigned i = 0; i < o.tensors; ++i) {
    Value x = o.operand(0, i), g = o.gradient(i);
    Type element = tensorType(x).getElementType();
    Value decay =
        a.add(a.mul(o.step(element), b.floatAttr("decay_factor", 0)), 1);
    Value rate = a.div(o.rate(element), decay);
    Value h = a.add(o.operand(2, i), a.mul(g, g));
    Value root = a.add(a.sqrt(h), b.floatAttr("epsilon", 0));
    o.set(0, i, a.sub(x, a.mul(o.like(rate, x), a.div(g, root))));
    o.set(2, i, h);
  }
  return success();
}

static LogicalResult buildMomentum(Binder &b) {
  Optimizer o(b, 3);
  if (failed(o.check()))
    return failure();
  Arithmetic &a = o.a;
  double alpha = b.floatAttr("alpha", 0), beta = b.floatAttr("beta", 0);
  std::string mode = b.stringAttr("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    return b.error() << "mode '" << mode << "' is not supported";
  for (unsigned i = 0; i < o.tensors; ++i) {
    Value x = o.operand(0, i), g = o.gradient(i), old = o.operand(2, i);
    Type element = tensorType(x).getElementType();
    // At the first step the gradient counts in full.
    Value step = o.step(element);
    Value share = a.where(a.less(a.splat(step, 0), step), a.splat(step, beta),
                          a.splat(step, 1));
    Value v = a.add(a.mul(old, alpha), a.mul(o.like(share, x), g));
    Value move = mode == "standard" ? v : a.add(g, a.mul(v, alpha));
    o.set(0, i, a.sub(x, a.mul(o.like(o.rate(element), x), move)));
    o.set(2, i, v);
  }
  return success();
}

ArrayRef<OpEntry> pcc::frontend::trainingOps() {
  static const OpEntry table[] = {
      {"ai.onnx.preview.training.Adagrad", 1, kAnyOpset, 2, nullptr,
       buildAdagrad},
      {"ai.onnx.preview.training.Adam", 1, kAnyOpset, 2, nullptr, buildAdam},
      {"ai.onnx.preview.training.Gradient", 1, kAnyOpset, 1, nullptr,
       buildGradient},
      {"ai.onnx.preview.training.Momentum", 1, kAnyOpset, 2, nullptr,
       buildMomentum},
  };
  return table;
}
