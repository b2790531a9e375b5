//===- Elementwise.cpp - Elementwise ops ----------------------------------===//

#include "interpreter/Kernels.h"
#include "interpreter/ops/Functions.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

constexpr double kSqrt2OverPi = 0.79788456080286535588;
constexpr double kInvSqrt2 = 0.70710678118654752440;
constexpr double kInvSqrt2Pi = 0.39894228040143267794;
constexpr double kGeluCubic = 0.044715;

double siluSlope(double x) {
  double s = sigmoid(x);
  return s * (1 + x * (1 - s));
}

/// out = f(in) on floats.
template <typename F>
LogicalResult map(Results out, const Tensor &in, F f) {
  for (auto [to, x] : llvm::zip_equal(out[0].real, in.real))
    to = f(x);
  return success();
}

/// out = f(a, b) on floats.
template <typename F>
LogicalResult map(Results out, const Tensor &a, const Tensor &b, F f) {
  for (auto [to, x, y] : llvm::zip_equal(out[0].real, a.real, b.real))
    to = f(x, y);
  return success();
}

/// Adds op OpT, which applies f to every element.
template <typename OpT, double (*f)(double)>
void addUnary(KernelTable &table) {
  table.add<OpT>(
      +[](OpT op, const Args &in, Results out) { return map(out, in[0], f); });
}

/// Adds op OpT, which applies F() to all pairs of elements, floats or integers.
template <typename OpT, typename F>
void addBinary(KernelTable &table) {
  table.add<OpT>(+[](OpT op, const Args &in, Results out) {
    auto apply = [](auto &to, const auto &a, const auto &b) {
      for (size_t i = 0; i < to.size(); ++i)
        to[i] = F()(a[i], b[i]);
    };
    apply(out[0].real, in[0].real, in[1].real);
    apply(out[0].integer, in[0].integer, in[1].integer);
    return LogicalResult(success());
  });
}

LogicalResult runDiv(nn::DivOp op, const Args &in, Results out) {
  for (size_t i = 0; i < out[0].real.size(); ++i)
    out[0].real[i] = in[0].real[i] / in[1].real[i];
  for (size_t i = 0; i < out[0].integer.size(); ++i) {
    if (in[1].integer[i] == 0)
      return op.emitOpError() << "divides element " << i << " by zero";
    // The least integer divided by -1 is itself, as it wraps around.
    out[0].integer[i] =
        in[1].integer[i] == -1
            ? static_cast<int64_t>(0 - uint64_t(in[0].integer[i]))
            : in[0].integer[i] / in[1].integer[i];
  }
  return success();
}

template <typename T>
bool holds(nn::Relation relation, T a, T b) {
  switch (relation) {
  case nn::Relation::Equal:
    return a == b;
  case nn::Relation::Less:
    return a < b;
  case nn::Relation::LessOrEqual:
    return a <= b;
  }
}

LogicalResult runCompare(nn::CompareOp op, const Args &in, Results out) {
  std::vector<int64_t> &to = out[0].integer;
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = in[0].isFloat()
                ? holds(op.getRelation(), in[0].real[i], in[1].real[i])
                : holds(op.getRelation(), in[0].integer[i], in[1].integer[i]);
  return success();
}

LogicalResult runPow(nn::PowOp op, const Args &in, Results out) {
  return map(out, in[0], in[1],
             [](double x, double y) { return std::pow(x, y); });
}

LogicalResult runRem(nn::RemOp op, const Args &in, Results out) {
  for (size_t i = 0; i < out[0].real.size(); ++i)
    out[0].real[i] = std::fmod(in[0].real[i], in[1].real[i]);
  for (size_t i = 0; i < out[0].integer.size(); ++i) {
    if (in[1].integer[i] == 0)
      return op.emitOpError() << "divides element " << i << " by zero";
    out[0].integer[i] = in[0].integer[i] % in[1].integer[i];
  }
  return success();
}

LogicalResult runWhere(nn::WhereOp op, const Args &in, Results out) {
  const std::vector<int64_t> &condition = in[0].integer;
  for (size_t i = 0; i < out[0].real.size(); ++i)
    out[0].real[i] = in[condition[i] ? 1 : 2].real[i];
  for (size_t i = 0; i < out[0].integer.size(); ++i)
    out[0].integer[i] = in[condition[i] ? 1 : 2].integer[i];
  return success();
}

LogicalResult runSum(nn::SumOp op, const Args &in, Results out) {
  for (size_t k = 0; k < in.size(); ++k) {
    for (size_t i = 0; i < out[0].real.size(); ++i)
      out[0].real[i] += in[k].real[i];
    for (size_t i = 0; i < out[0].integer.size(); ++i)
      out[0].integer[i] += in[k].integer[i];
  }
  return success();
}

LogicalResult runReluGrad(nn::ReluGradOp op, const Args &in, Results out) {
  return map(out, in[op.getDy()], in[op.getX()],
             [](double dy, double x) { return x > 0 ? dy : 0; });
}

LogicalResult runSiluGrad(nn::SiluGradOp op, const Args &in, Results out) {
  return map(out, in[op.getDy()], in[op.getX()],
             [](double dy, double x) { return dy * siluSlope(x); });
}

LogicalResult runGelu(nn::GeluOp op, const Args &in, Results out) {
  bool tanh = op.getTanh();
  return map(out, in[0], [=](double x) { return gelu(x, tanh); });
}

LogicalResult runGeluGrad(nn::GeluGradOp op, const Args &in, Results out) {
  bool tanh = op.getTanh();
  return map(out, in[op.getDy()], in[op.getX()],
             [=](double dy, double x) { return dy * geluSlope(x, tanh); });
}

LogicalResult runScale(nn::ScaleOp op, const Args &in, Results out) {
  double factor = op.getFactor().convertToDouble();
  return map(out, in[0], [=](double x) { return x * factor; });
}

LogicalResult runCast(nn::CastOp op, const Args &in, Results out) {
  bool toBool = out[0].type.getElementType().isInteger(1);
  for (int64_t i = 0; i < out[0].size(); ++i)
    out[0].set(i, toBool ? in[0].get(i) != 0 : in[0].get(i));
  return success();
}

} // namespace

double pcc::interp::gelu(double x, bool tanh) {
  if (!tanh)
    return 0.5 * x * (1 + std::erf(x * kInvSqrt2));
  return 0.5 * x * (1 + std::tanh(kSqrt2OverPi * (x + kGeluCubic * x * x * x)));
}

double pcc::interp::geluSlope(double x, bool tanh) {
  if (!tanh)
    return 0.5 * (1 + std::erf(x * kInvSqrt2)) +
           x * kInvSqrt2Pi * std::exp(-0.5 * x * x);
  double t = std::tanh(kSqrt2OverPi * (x + kGeluCubic * x * x * x));
  double slope = kSqrt2OverPi * (1 + 3 * kGeluCubic * x * x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope;
}

void pcc::interp::addElementwiseKernels(KernelTable &table) {
  addUnary<nn::ExpOp, std::exp>(table);
  addUnary<nn::LogOp, std::log>(table);
  addUnary<nn::SqrtOp, std::sqrt>(table);
  addUnary<nn::TanhOp, std::tanh>(table);
  addUnary<nn::ErfOp, std::erf>(table);
  addUnary<nn::SinOp, std::sin>(table);
  addUnary<nn::CosOp, std::cos>(table);
  addUnary<nn::FloorOp, std::floor>(table);
  addUnary<nn::RoundOp, std::nearbyint>(table);
  table.add(runPow);
  table.add(runRem);
  table.add(runCompare);
  table.add<nn::WhereOp>(runWhere);
  addUnary<nn::SigmoidOp, sigmoid>(table);
  table.add<nn::ReluOp>(+[](nn::ReluOp op, const Args &in, Results out) {
    return map(out, in[0], [](double x) { return x > 0 || x != x ? x : 0; });
  });
  table.add<nn::SiluOp>(+[](nn::SiluOp op, const Args &in, Results out) {
    return map(out, in[0], [](double x) { return x * sigmoid(x); });
  });
  addBinary<nn::SubOp, Sub>(table);
  addBinary<nn::MulOp, Mul>(table);
  addBinary<nn::MaxOp, Max>(table);
  addBinary<nn::MinOp, Min>(table);
  table.add(runDiv);
  table.add(runSum);
  table.add(runReluGrad);
  table.add(runSiluGrad);
  table.add(runGelu);
  table.add(runGeluGrad);
  table.add(runScale);
  table.add(runCast);
}
