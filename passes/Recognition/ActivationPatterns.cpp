//===- ActivationPatterns.cpp - gelu and silu by value --------------------===//
//
// Exporters write an activation in many forms: in different orders, with x^3 as
// a power or as products, with constants of different precision. Patterns
// therefore compare values instead of forms. An elementwise expression of a
// single tensor and constants is a function of one number. Two functions are
// taken as equal if they agree to rounding over the range where they differ
// from their limits.
//
//===----------------------------------------------------------------------===//

#include "passes/Recognition/Patterns.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

namespace {

/// An activation consists of at most this many ops.
constexpr size_t kMaxOps = 24;

/// Whether `Expression::at` can evaluate an op.
bool isPart(Operation *op) {
  return isa_and_present<SumOp, SubOp, MulOp, DivOp, ScaleOp, ExpOp, TanhOp,
                         ErfOp, SigmoidOp, SqrtOp>(op);
}

struct Expression {
  Value root;
  /// In topological order: operands first.
  llvm::SetVector<Operation *> ops;
  Value input;

  /// Collects the ops that compute `value`; false if it is not a function of
  /// one tensor.
  bool collect(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && ops.contains(op))
      return true;
    if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
      ops.insert(op);
      return isa<SplatElementsAttr>(constant.getValue());
    }
    bool inside = isPart(op) && ops.size() < kMaxOps;
    if (!inside || value == input) {
      if (input && input != value)
        return false;
      input = value;
      return true;
    }
    for (Value operand : op->getOperands())
      if (!collect(operand))
        return false;
    ops.insert(op);
    return true;
  }

  template <typename Op>
  bool has() const {
    return llvm::any_of(ops, [](Operation *op) { return isa<Op>(op); });
  }

  double at(double x) const {
    DenseMap<Value, double> values;
    values[input] = x;
    for (Operation *op : ops) {
      auto in = [&](unsigned i) { return values.lookup(op->getOperand(i)); };
      double y =
          llvm::TypeSwitch<Operation *, double>(op)
              .Case([](ConstantOp c) {
                return cast<SplatElementsAttr>(c.getValue())
                    .getSplatValue<APFloat>()
                    .convertToDouble();
              })
              .Case([&](SumOp) {
                double sum = 0;
                for (Value operand : op->getOperands())
                  sum += values.lookup(operand);
                return sum;
              })
              .Case([&](SubOp) { return in(0) - in(1); })
              .Case([&](MulOp) { return in(0) * in(1); })
              .Case([&](DivOp) { return in(0) / in(1); })
              .Case([&](ScaleOp s) {
                return in(0) * s.getFactor().convertToDouble();
              })
              .Case([&](ExpOp) { return std::exp(in(0)); })
              .Case([&](TanhOp) { return std::tanh(in(0)); })
              .Case([&](ErfOp) { return std::erf(in(0)); })
              .Case([&](SqrtOp) { return std::sqrt(in(0)); })
              .Case([&](SigmoidOp) { return 1 / (1 + std::exp(-in(0))); });
      values[op->getResult(0)] = y;
    }
    return values.lookup(root);
  }
};

double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }
double geluTanh(double x) {
  return x / 2 *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double silu(double x) { return x / (1 + std::exp(-x)); }

/// The relative tolerance of an activation's values. If all constants are exact
/// in fp16 or bf16, the file rounded them, but the exact function is meant.
double toleranceOf(const Expression &e) {
  bool isF16 = true, isBF16 = true;
  for (Operation *op : e.ops) {
    std::optional<APFloat> value;
    if (auto scale = dyn_cast<ScaleOp>(op))
      value = scale.getFactor();
    else if (auto constant = dyn_cast<ConstantOp>(op))
      value =
          cast<SplatElementsAttr>(constant.getValue()).getSplatValue<APFloat>();
    if (!value)
      continue;
    auto fits = [&](const llvm::fltSemantics &semantics) {
      APFloat rounded = *value, inverse = APFloat(1 / value->convertToDouble());
      bool lost = false, lostInverse = false;
      rounded.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
      // A division by a constant was imported as a product with its inverse.
      double wanted = inverse.convertToDouble();
      inverse.convert(semantics, APFloat::rmNearestTiesToEven, &lostInverse);
      lostInverse &= std::fabs(inverse.convertToDouble() - wanted) >
                     1e-9 * std::fabs(wanted);
      return !lost || !lostInverse;
    };
    isF16 &= fits(APFloat::IEEEhalf());
    isBF16 &= fits(APFloat::BFloat());
  }
  return isF16 ? 1e-3 : isBF16 ? 8e-3 : 1e-6;
}

/// Whether the expression agrees with `f` within a tolerance. The two forms of
/// gelu differ by 5e-4; with rounded constants only erf or tanh tells them
/// apart.
bool agree(const Expression &e, double (*f)(double), double tolerance) {
  for (int i = -48; i <= 48; ++i) {
    double x = i / 8.0 + 0.03, want = f(x), got = e.at(x);
    if (!(std::fabs(got - want) <= tolerance * (1 + std::fabs(want))))
      return false;
  }
  return true;
}

/// Matches the last op of an activation.
template <typename Op>
struct ActivationPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(tensorType(op.getResult()).getElementType()))
      return failure();
    // The tensor's own producer may be elementwise, such as a bias. The
    // expression therefore starts at a tensor that is used more than once.
    for (Value input : candidates(op.getResult())) {
      Expression e;
      e.root = op.getResult();
      e.input = input;
      if (!e.collect(op.getResult()))
        continue;
      Value result;
      constexpr double exact = 1e-6;
      bool isTanh =
          agree(e, geluTanh, e.has<TanhOp>() ? toleranceOf(e) : exact);
      if (isTanh || agree(e, gelu, e.has<ErfOp>() ? toleranceOf(e) : exact))
        result =
            GeluOp::create(rewriter, op.getLoc(), op.getType(), input, isTanh);
      else if (agree(e, silu, exact))
        result = SiluOp::create(rewriter, op.getLoc(), op.getType(), input);
      if (!result)
        continue;
      rewriter.replaceOp(op, result);
      return success();
    }
    return failure();
  }

  /// Values that `root` is computed from and that an activation may be a
  /// function of: those with several uses, nearest first.
  static SmallVector<Value> candidates(Value root) {
    llvm::SetVector<Value> seen;
    seen.insert(root);
    SmallVector<Value> found;
    for (size_t i = 0; i < seen.size() && i < kMaxOps; ++i) {
      Operation *op = seen[i].getDefiningOp();
      if (i > 0 && !seen[i].hasOneUse() && !isa_and_present<ConstantOp>(op))
        found.push_back(seen[i]);
      if (isPart(op))
        for (Value operand : op->getOperands())
          seen.insert(operand);
    }
    return found;
  }
};

} // namespace

void pcc::recognition::populateActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<ActivationPattern<MulOp>, ActivationPattern<ScaleOp>,
               ActivationPattern<DivOp>>(patterns.getContext());
}
