//===- ShardingRulesAttention.cpp - Factors of attention ------------------===//

#include "dialects/NN/Rules/RuleBuilder.h"

using namespace mlir;
using namespace pcc::nn;

using Kind = ShardingRule::Kind;

ShardingRule RopeOp::getShardingRule() {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(getInput()));
  b.unshardable(dims.back());
  b.operand(dims, /*linear=*/true);
  if (shapeOf(getPositions()).size() == 2)
    b.operand({dims[0], dims[1]});
  else
    b.operand({dims[1]});
  b.result(dims);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

namespace {
/// The factors of attention: the query heads are (kv head g, repeat r).
struct AttentionFactors {
  int b, s, t, g, r, d, e;
  ValueFactors q, k, v, out, lse, bias;

  template <typename Op>
  AttentionFactors(RuleBuilder &rule, Op op)
      : AttentionFactors(rule, op.getQ(), op.getV()) {
    if (!op.getBias())
      return;
    bias = {{b}, {g, r}, {s}, {t}};
    int64_t scores[] = {shapeOf(op.getQ())[0], shapeOf(op.getQ())[2],
                        shapeOf(op.getQ())[1], shapeOf(op.getV())[1]};
    // A dim of extent 1 that is broadcast along the scores is replicated.
    for (auto [factors, own, whole] :
         llvm::zip(bias, shapeOf(op.getBias()), scores))
      if (own != whole)
        factors = {rule.factor(own)};
  }
  AttentionFactors(RuleBuilder &rule, Value qValue, Value vValue) {
    auto q = shapeOf(qValue), v = shapeOf(vValue);
    b = rule.factor(q[0]);
    s = rule.factor(q[1]);
    t = rule.factor(v[1], /*unshardable=*/true);
    g = rule.factor(v[2]);
    r = rule.factor(q[2] / v[2]);
    d = rule.factor(q[3], /*unshardable=*/true);
    e = rule.factor(v[3], /*unshardable=*/true);
    this->q = {{b}, {s}, {g, r}, {d}};
    k = {{b}, {t}, {g}, {d}};
    this->v = {{b}, {t}, {g}, {e}};
    out = {{b}, {s}, {g, r}, {e}};
    lse = {{b}, {s}, {g, r}};
  }

  /// Adds the operands that attention and its gradient share.
  template <typename Op>
  void addRest(ShardingRule &rule, Op op) const {
    rule.operands.push_back({{s}});
    rule.operands.push_back({{t}});
    if (op.getBias())
      rule.operands.push_back(bias);
    if constexpr (std::is_same_v<Op, AttentionOp>)
      if (op.getSinks())
        rule.operands.push_back({{g, r}});
    if (op.getSamples())
      rule.operands.push_back({{b}});
    for (Value scalar : {op.getSeed(), op.getStep(), op.getHeadOrigin()})
      if (scalar)
        rule.operands.push_back({});
    if (op.getStarts())
      rule.operands.push_back({{b}, {s}});
    rule.linear.assign(rule.operands.size(), false);
  }
};
} // namespace

ShardingRule AttentionOp::getShardingRule() {
  RuleBuilder b;
  AttentionFactors f(b, *this);
  b.rule.operands = {f.q, f.k, f.v};
  f.addRest(b.rule, *this);
  b.rule.results = {f.out, f.lse};
  if (getMax())
    b.rule.results.push_back(f.lse);
  return b.rule;
}

ShardingRule AttentionGradOp::getShardingRule() {
  RuleBuilder b;
  AttentionFactors f(b, *this);
  b.rule.operands = {f.out, f.q, f.k, f.v, f.out, f.lse};
  if (getMax())
    b.rule.operands.push_back(f.lse);
  f.addRest(b.rule, *this);
  b.rule.results = {f.q, f.k, f.v};
  if (getDbias())
    b.rule.results.push_back(f.bias);
  return b.rule;
}

/// The rule of expanded attention's row ops: the last dim of [b, h, s, t] is
/// whole on each rank.
template <typename Op>
static ShardingRule maskedSoftmaxRule(Op op, unsigned operands) {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(op.getScores()));
  b.unshardable(dims[3]);
  auto dimsOf = [&](Value value) {
    return ArrayRef<int>(dims).take_front(shapeOf(value).size());
  };
  for (Value operand : op->getOperands().take_front(operands))
    b.operand(dimsOf(operand));
  b.operand({dims[2]});
  b.operand({dims[3]});
  if (op.getBias()) {
    SmallVector<int> bias(dims);
    for (auto [factor, own, whole] :
         llvm::zip(bias, shapeOf(op.getBias()), shapeOf(op.getScores())))
      if (own != whole)
        factor = b.factor(own);
    b.operand(bias);
  }
  if constexpr (std::is_same_v<Op, MaskedSoftmaxOp>)
    if (op.getSinks())
      b.operand({dims[1]});
  if (op.getSamples())
    b.operand({dims[0]});
  for (Value scalar : {op.getSeed(), op.getStep(), op.getHeadOrigin()})
    if (scalar)
      b.operand({});
  if (op.getStarts())
    b.operand({dims[0], dims[2]});
  for (Value result : op->getResults())
    b.result(dimsOf(result));
  return b.rule;
}

ShardingRule MaskedSoftmaxOp::getShardingRule() {
  return maskedSoftmaxRule(*this, 1);
}
ShardingRule MaskedSoftmaxGradOp::getShardingRule() {
  return maskedSoftmaxRule(*this, getMax() ? 4 : 3);
}
