//===- ShardingRulesFused.cpp - Factors of norms, tables, losses, steps ---===//

#include "dialects/NN/Rules/RuleBuilder.h"

using namespace mlir;
using namespace pcc::nn;

using Kind = ShardingRule::Kind;

/// The rule of an op on rows: the last dim is whole on each rank.
static ShardingRule rowwise(Operation *op) {
  ShardingRule rule = elementwise(op);
  rule.factors.back().unshardable = true;
  return rule;
}

ShardingRule SoftmaxOp::getShardingRule() { return rowwise(*this); }
ShardingRule SoftmaxGradOp::getShardingRule() { return rowwise(*this); }

/// The rule of norms: a tensor is [rows..., c] as the input, [rows...] if it is
/// in `perRow`, else [c]. Gradients of norms are declared not linear, as
/// partial sums that pass would leave the scale's gradient partial over
/// tensor-parallel axes.
static ShardingRule normRule(Operation *op, Value input, ValueRange perRow) {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(input));
  b.unshardable(dims.back());
  auto dimsOf = [&](Value value) -> ArrayRef<int> {
    if (llvm::is_contained(perRow, value))
      return ArrayRef(dims).drop_back();
    return value.getType() == input.getType() ? ArrayRef(dims)
                                              : ArrayRef(dims).take_back();
  };
  for (Value operand : op->getOperands())
    b.operand(dimsOf(operand));
  for (Value result : op->getResults())
    b.result(dimsOf(result));
  return b.rule;
}

ShardingRule LayerNormOp::getShardingRule() {
  return normRule(*this, getInput(), {getMean(), getRstd()});
}
ShardingRule LayerNormGradOp::getShardingRule() {
  return normRule(*this, getInput(), {getMean(), getRstd()});
}
ShardingRule LayerNormGradScaleOp::getShardingRule() {
  return normRule(*this, getInput(), {getMean(), getRstd()});
}
ShardingRule RmsNormOp::getShardingRule() {
  return normRule(*this, getInput(), {getRstd()});
}
ShardingRule RmsNormGradOp::getShardingRule() {
  return normRule(*this, getInput(), {getRstd()});
}
ShardingRule RmsNormGradScaleOp::getShardingRule() {
  return normRule(*this, getInput(), {getRstd()});
}

ShardingRule EmbeddingOp::getShardingRule() {
  RuleBuilder b;
  auto ids = b.factors(shapeOf(getIds()));
  auto table = b.factors(shapeOf(getTable()));
  b.operand(ids);
  b.operand(table);
  if (getOffset())
    b.operand({});
  ids.append(table.begin() + 1, table.end());
  b.result(ids);
  return b.rule;
}

ShardingRule EmbeddingGradOp::getShardingRule() {
  RuleBuilder b;
  auto ids = b.factors(shapeOf(getIds()));
  auto table = b.factors(shapeOf(getDtable()));
  SmallVector<int> dy(ids);
  dy.append(table.begin() + 1, table.end());
  b.operand(dy, /*linear=*/true);
  b.operand(ids);
  if (getOffset())
    b.operand({});
  b.result(table);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

/// A row's choice depends on the whole row.
ShardingRule TopKOp::getShardingRule() {
  RuleBuilder b;
  SmallVector<int> input = b.factors(shapeOf(getInput())), ids(input);
  b.unshardable(input.back());
  ids.back() = b.factor(shapeOf(getIds()).back(), /*unshardable=*/true);
  b.operand(input);
  b.result(ids);
  return b.rule;
}

/// The rule of an op on whole rows, `rows`, of which ids choose elements. It is
/// linear in the values; a dim that the result lacks makes it partial.
template <typename Op>
static ShardingRule idsRule(Op op, Value rows, bool picks) {
  RuleBuilder b;
  SmallVector<int> whole = b.factors(shapeOf(rows)), chosen(whole);
  chosen.back() = b.factor(shapeOf(op.getIds()).back());
  b.operand(picks ? whole : chosen, /*linear=*/true);
  b.operand(chosen);
  if (op.getOffset())
    b.operand({});
  b.result(picks ? chosen : whole);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

ShardingRule PickOp::getShardingRule() {
  return idsRule(*this, getInput(), /*picks=*/true);
}
ShardingRule SpreadOp::getShardingRule() {
  return idsRule(*this, getResult(), /*picks=*/false);
}

namespace {
/// The factors of a loss: rows, and the classes of a row.
struct LossFactors : RuleBuilder {
  SmallVector<int> row, logits;

  explicit LossFactors(Value logitsValue)
      : row(factors(shapeOf(logitsValue).drop_back())), logits(row) {
    logits.push_back(factor(shapeOf(logitsValue).back()));
  }
  void optionalOffset(Value offset) {
    if (offset)
      operand({});
  }
};
} // namespace

ShardingRule CrossEntropyOp::getShardingRule() {
  LossFactors f(getLogits());
  f.rule.factors[f.logits.back()].resolved = true;
  f.operand(f.logits);
  f.operand(f.row);
  f.result(f.row);
  f.result(f.row);
  return f.rule;
}

ShardingRule CrossEntropyGradOp::getShardingRule() {
  LossFactors f(getLogits());
  f.operand(f.row);
  f.operand(f.logits);
  f.operand(f.row);
  f.operand(f.row);
  f.optionalOffset(getOffset());
  f.result(f.logits);
  return f.rule;
}

/// A maximum over shards is a partial maximum. Only cross_entropy's buildLocal
/// creates and reduces it.
ShardingRule RowMaxOp::getShardingRule() {
  LossFactors f(getLogits());
  f.unshardable(f.logits.back());
  f.rule.factors[f.logits.back()].maximum = true;
  f.operand(f.logits);
  f.optionalOffset(getOffset());
  f.result(f.row);
  return f.rule;
}

/// The factors of [2, rows...], with the dim of the two statistics first.
static SmallVector<int> statsFactors(RuleBuilder &b, ArrayRef<int> row) {
  SmallVector<int> stats{b.factor(2, /*unshardable=*/true)};
  llvm::append_range(stats, row);
  return stats;
}

ShardingRule CrossEntropyStatsOp::getShardingRule() {
  LossFactors f(getLogits());
  f.operand(f.logits);
  f.operand(f.row);
  f.operand(f.row);
  f.optionalOffset(getOffset());
  f.result(statsFactors(f, f.row));
  return f.rule;
}

ShardingRule CrossEntropyLossOp::getShardingRule() {
  RuleBuilder b;
  auto row = b.factors(shapeOf(getMax()));
  b.operand(statsFactors(b, row));
  b.operand(row);
  b.operand(row);
  b.result(row);
  b.result(row);
  return b.rule;
}

ShardingRule ValidOp::getShardingRule() { return elementwise(*this); }

/// The rule of optimizers: tensors have the parameter's shape, others are
/// scalars.
static ShardingRule optimizerRule(Operation *op) {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(op->getOperand(0)));
  for (Value operand : op->getOperands())
    b.operand(shapeOf(operand).size() == dims.size() ? ArrayRef<int>(dims)
                                                     : ArrayRef<int>());
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    b.result(dims);
  return b.rule;
}

ShardingRule AdamWOp::getShardingRule() { return optimizerRule(*this); }

/// Every dim of the result may be sharded: the bits follow from its origin.
ShardingRule RoundingBitsOp::getShardingRule() {
  RuleBuilder b;
  for (unsigned i = 0, end = (*this)->getNumOperands(); i < end; ++i)
    b.operand({});
  b.result(b.factors(shapeOf(getResult())));
  return b.rule;
}
ShardingRule SgdOp::getShardingRule() { return optimizerRule(*this); }

ShardingRule SumOfSquaresOp::getShardingRule() {
  RuleBuilder b;
  b.operand(b.factors(shapeOf(getInput())));
  b.result({});
  return b.rule;
}
