//===- ShardingRulesExperts.cpp - Factors of mixtures of experts ----------===//

#include "dialects/NN/Rules/RuleBuilder.h"

using namespace mlir;
using namespace pcc::nn;

namespace {
/// The factors of experts: tokens t, choices k, experts e, parts p of w1, and
/// the dims h and f of the weights. A result without e and f is partial over
/// their axes, a gradient of weights over those of t.
struct ExpertFactors : RuleBuilder {
  SmallVector<int> x, choices;
  int e, f, h;

  template <typename Op>
  explicit ExpertFactors(Op op) {
    ArrayRef<int64_t> w2 = shapeOf(op.getW2());
    x = factors(shapeOf(op.getX()).drop_back());
    choices = x;
    h = factor(w2[1], /*unshardable=*/true);
    x.push_back(h);
    choices.push_back(factor(op.getChoices(), /*unshardable=*/true));
    e = factor(w2[0]);
    f = factor(w2[2]);
  }

  /// Calls add with the factors of each w1, each b1 and w2.
  template <typename Op>
  void forWeights(Op op, llvm::function_ref<void(ArrayRef<int>)> add) {
    SmallVector<int> parts;
    for (Value w1 : op.getW1())
      parts.push_back(factor(shapeOf(w1)[1], /*unshardable=*/true));
    for (int p : parts)
      add({e, p, f, h});
    for (int p : ArrayRef(parts).take_front(op.getB1().size()))
      add({e, p, f});
    add({e, h, f});
  }

  template <typename Op>
  void addOperands(Op op) {
    operand(x);
    operand(choices);
    operand(choices);
    forWeights(op, [&](ArrayRef<int> dims) { operand(dims); });
    if (op.getOffset())
      operand({});
  }
};
} // namespace

ShardingRule ExpertsOp::getShardingRule() {
  ExpertFactors b(*this);
  b.addOperands(*this);
  b.result(b.x);
  if (getOverflow())
    b.result({});
  return b.rule;
}

ShardingRule ExpertsGradOp::getShardingRule() {
  ExpertFactors b(*this);
  b.operand(b.x);
  b.addOperands(*this);
  b.result(b.x);
  b.result(b.choices);
  // The parts of w1 are the operands' factors, which come first.
  for (unsigned i = 0, first = 4; i < getW1().size() + getB1().size() + 1; ++i)
    b.rule.results.push_back(b.rule.operands[first + i]);
  return b.rule;
}

// Expanded experts: rows are numbered across tokens and experts, so every dim
// is whole on each rank.

ShardingRule RouteOp::getShardingRule() {
  RuleBuilder b;
  SmallVector<int> ids;
  for (int64_t extent : shapeOf(getIds()))
    ids.push_back(b.factor(extent, /*unshardable=*/true));
  int rows = b.factor(shapeOf(getTokens())[0], /*unshardable=*/true);
  b.operand(ids);
  if (getOffset())
    b.operand({});
  for (unsigned i = 0; i < 3; ++i)
    b.result({rows});
  b.result(ids);
  b.result({b.factor(shapeOf(getEnds())[0], /*unshardable=*/true)});
  return b.rule;
}

ShardingRule GroupedContractOp::getShardingRule() {
  RuleBuilder b;
  bool isSum = getForm() == "rn,rk->enk";
  ArrayRef<int64_t> matrices = shapeOf(isSum ? getResult() : getRhs());
  int r = b.factor(shapeOf(getLhs())[0], /*unshardable=*/true);
  int e = b.factor(matrices[0], /*unshardable=*/true);
  int n = b.factor(matrices[1]), k = b.factor(matrices[2]);
  auto dimsOf = [&](StringRef labels) {
    return llvm::map_to_vector(labels, [&](char label) {
      return label == 'r' ? r : label == 'e' ? e : label == 'n' ? n : k;
    });
  };
  auto [operands, result] = getForm().split("->");
  b.operand(dimsOf(operands.split(',').first), /*linear=*/true);
  b.operand(dimsOf(operands.split(',').second), /*linear=*/true);
  b.operand({e});
  b.result(dimsOf(result));
  b.rule.kind = ShardingRule::Kind::Multiplicative;
  return b.rule;
}
