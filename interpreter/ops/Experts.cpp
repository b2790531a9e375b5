//===- Experts.cpp - Mixtures of experts ----------------------------------===//

#include "interpreter/Kernels.h"
#include "interpreter/ops/Functions.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

/// The act of an expert's MLP: its result and its derivatives.
struct Act {
  nn::Activation kind;
  bool isGated;
  double alpha, limit, shift;

  template <typename Op>
  explicit Act(Op op)
      : kind(op.getActivation()), isGated(op.getParts() == 2),
        alpha(op.getAlpha().convertToDouble()),
        limit(op.getLimit() ? op.getLimit()->convertToDouble() : INFINITY),
        shift(op.getShift().convertToDouble()) {}

  double activation(double u) const {
    switch (kind) {
    case nn::Activation::Silu:
      return u / (1 + std::exp(-alpha * u));
    case nn::Activation::Gelu:
      return gelu(u, /*tanh=*/false);
    case nn::Activation::GeluTanh:
      return gelu(u, /*tanh=*/true);
    case nn::Activation::Relu:
      return u > 0 ? u : 0 * u;
    case nn::Activation::Relu2:
      return u > 0 ? u * u : 0 * u;
    }
    llvm_unreachable("all activations are handled");
  }
  double slope(double u) const {
    switch (kind) {
    case nn::Activation::Silu: {
      double s = 1 / (1 + std::exp(-alpha * u));
      return s * (1 + alpha * u * (1 - s));
    }
    case nn::Activation::Gelu:
      return geluSlope(u, /*tanh=*/false);
    case nn::Activation::GeluTanh:
      return geluSlope(u, /*tanh=*/true);
    case nn::Activation::Relu:
      return u > 0 ? 1 : 0;
    case nn::Activation::Relu2:
      return u > 0 ? 2 * u : 0;
    }
    llvm_unreachable("all activations are handled");
  }

  /// The limited u[0] and u[1].
  double first(double u) const { return u > limit ? limit : u; }
  double second(double u) const {
    return u > limit ? limit : u < -limit ? -limit : u;
  }

  /// act(u); `up` is ignored unless the MLP is gated.
  double operator()(double u, double up) const {
    double a = activation(first(u));
    return isGated ? a * (second(up) + shift) : a;
  }
  /// The derivatives by u[0] and u[1].
  std::pair<double, double> slopes(double u, double up) const {
    // A limited value has no slope.
    double du = u > limit ? 0 : slope(first(u));
    if (!isGated)
      return {du, 0};
    double dUp = std::abs(up) > limit ? 0 : activation(first(u));
    return {du * (second(up) + shift), dUp};
  }
};

/// The MLP of one expert and one token.
template <typename Op>
struct Mlp {
  mutable Op op;
  const Args &in;
  const Tensor &x, &w2;
  int64_t experts, h, f;
  Act act;
  /// w1 x + b1 of the part u[0] and u[1], act(u), and w2 act(u).
  std::vector<double> u[2], a, y;

  Mlp(Op op, const Args &in)
      : op(op), in(in), x(in[op.getX()]), w2(in[op.getW2()]),
        experts(w2.dim(0)), h(w2.dim(1)), f(w2.dim(2)), act(op) {}

  /// The operand w1 with a part of u, and the index of the part there.
  std::pair<unsigned, int64_t> partAt(int64_t part) const {
    return op.getW1().size() == 2 ? std::pair<unsigned, int64_t>(part, 0)
                                  : std::pair<unsigned, int64_t>(0, part);
  }
  /// The first element of w1 of a part, and of row i of f.
  int64_t rowOf(int64_t expert, int64_t part, int64_t i) const {
    auto [operand, p] = partAt(part);
    int64_t parts = in[op.getW1()[operand]].dim(1);
    return (expert * parts + p) * f + i;
  }

  void run(int64_t expert, int64_t token) {
    for (int64_t part = 0; part < op.getParts(); ++part) {
      auto [operand, p] = partAt(part);
      const Tensor &w1 = in[op.getW1()[operand]];
      u[part].assign(f, 0);
      for (int64_t i = 0; i < f; ++i) {
        int64_t row = rowOf(expert, part, i);
        if (!op.getB1().empty())
          u[part][i] = in[op.getB1()[operand]].real[row];
        for (int64_t j = 0; j < h; ++j)
          u[part][i] += w1.real[row * h + j] * x.real[token * h + j];
      }
    }
    u[1].resize(f);
    a.assign(f, 0);
    y.assign(h, 0);
    for (int64_t i = 0; i < f; ++i) {
      a[i] = act(u[0][i], u[1][i]);
      for (int64_t j = 0; j < h; ++j)
        y[j] += w2.real[(expert * h + j) * f + i] * a[i];
    }
  }
};

/// Calls visit(token, pair, expert) for each choice of one of the experts.
template <typename Op, typename Visit>
void forEachChoice(Op op, const Args &in, int64_t experts, Visit visit) {
  const Tensor &ids = in[op.getIds()];
  int64_t offset = in.scalarOr0(op.getOffset()),
          choices = ids.dim(ids.rank() - 1);
  for (int64_t pair = 0; pair < ids.size(); ++pair) {
    int64_t expert = ids.integer[pair] - offset;
    if (expert >= 0 && expert < experts)
      visit(pair / choices, pair, expert);
  }
}

LogicalResult runExperts(nn::ExpertsOp op, const Args &in, Results out) {
  Mlp mlp(op, in);
  const Tensor &gates = in[op.getGates()];
  forEachChoice(
      op, in, mlp.experts, [&](int64_t token, int64_t pair, int64_t expert) {
        mlp.run(expert, token);
        for (int64_t j = 0; j < mlp.h; ++j)
          out[0].real[token * mlp.h + j] += gates.real[pair] * mlp.y[j];
      });
  if (!op.getOverflow())
    return success();
  int64_t count = 0;
  forEachChoice(op, in, mlp.experts,
                [&](int64_t, int64_t, int64_t) { ++count; });
  int64_t over = op.getRows() ? std::max<int64_t>(0, count - *op.getRows()) : 0;
  out[1].real[0] = over;
  if (over)
    llvm::fill(out[0].real, NAN);
  return success();
}

LogicalResult runExpertsGrad(nn::ExpertsGradOp op, const Args &in,
                             Results out) {
  Mlp mlp(op, in);
  const Tensor &gates = in[op.getGates()], &dy = in[op.getDy()];
  unsigned weights = op.getW1().size(), biases = op.getB1().size();
  Tensor &dx = out[0], &dGates = out[1], &dw2 = out[2 + weights + biases];
  forEachChoice(
      op, in, mlp.experts, [&](int64_t token, int64_t pair, int64_t expert) {
        mlp.run(expert, token);
        const double *d = dy.real.data() + token * mlp.h;
        for (int64_t j = 0; j < mlp.h; ++j)
          dGates.real[pair] += d[j] * mlp.y[j];
        for (int64_t i = 0; i < mlp.f; ++i) {
          double da = 0;
          for (int64_t j = 0; j < mlp.h; ++j) {
            int64_t at = (expert * mlp.h + j) * mlp.f + i;
            da += gates.real[pair] * d[j] * mlp.w2.real[at];
            dw2.real[at] += gates.real[pair] * d[j] * mlp.a[i];
          }
          auto [slope, upSlope] = mlp.act.slopes(mlp.u[0][i], mlp.u[1][i]);
          for (int64_t part = 0; part < op.getParts(); ++part) {
            double du = da * (part ? upSlope : slope);
            unsigned operand = mlp.partAt(part).first;
            int64_t row = mlp.rowOf(expert, part, i);
            if (biases)
              out[2 + weights + operand].real[row] += du;
            const Tensor &w1 = in[op.getW1()[operand]];
            for (int64_t j = 0; j < mlp.h; ++j) {
              out[2 + operand].real[row * mlp.h + j] +=
                  du * mlp.x.real[token * mlp.h + j];
              dx.real[token * mlp.h + j] += du * w1.real[row * mlp.h + j];
            }
          }
        }
      });
  return success();
}

LogicalResult runRoute(nn::RouteOp op, const Args &in, Results out) {
  Tensor &tokens = out[0], &pairs = out[1], &experts = out[2], &rows = out[3],
         &ends = out[4];
  for (Tensor *tensor : {&tokens, &pairs, &experts, &rows})
    llvm::fill(tensor->integer, -1);
  int64_t row = 0;
  for (int64_t expert = 0; expert < ends.size(); ++expert) {
    forEachChoice(op, in, ends.size(),
                  [&](int64_t token, int64_t pair, int64_t chosen) {
                    if (chosen != expert || row == tokens.size())
                      return;
                    tokens.integer[row] = token;
                    pairs.integer[row] = pair;
                    experts.integer[row] = expert;
                    rows.integer[pair] = row++;
                  });
    ends.integer[expert] = row;
  }
  return success();
}

LogicalResult runGroupedContract(nn::GroupedContractOp op, const Args &in,
                                 Results out) {
  const Tensor &lhs = in[op.getLhs()], &rhs = in[op.getRhs()],
               &ends = in[op.getEnds()];
  GroupedForm form = op.sumsRows()                  ? GroupedForm::Sums
                     : op.getForm() == "rn,enk->rk" ? GroupedForm::Plain
                                                    : GroupedForm::Transposed;
  int64_t begin = 0;
  for (int64_t group = 0; group < ends.size(); ++group) {
    addGroupProducts(form, group, begin, ends.integer[group], lhs, rhs, out[0]);
    begin = ends.integer[group];
  }
  return success();
}

} // namespace

void pcc::interp::addGroupProducts(GroupedForm form, int64_t group,
                                   int64_t begin, int64_t end, const Tensor &a,
                                   const Tensor &b, Tensor &c) {
  const Tensor &matrices = form == GroupedForm::Sums ? c : b;
  int64_t n = matrices.dim(1), k = matrices.dim(2);
  for (int64_t row = begin; row < end; ++row)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < k; ++j) {
        int64_t at = (group * n + i) * k + j;
        switch (form) {
        case GroupedForm::Transposed:
          c.real[row * n + i] += a.real[row * k + j] * b.real[at];
          break;
        case GroupedForm::Plain:
          c.real[row * k + j] += a.real[row * n + i] * b.real[at];
          break;
        case GroupedForm::Sums:
          c.real[at] += a.real[row * n + i] * b.real[row * k + j];
          break;
        }
      }
}

void pcc::interp::addExpertKernels(KernelTable &table) {
  table.add(runExperts);
  table.add(runExpertsGrad);
  table.add(runRoute);
  table.add(runGroupedContract);
}
