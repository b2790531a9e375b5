//===- ShardingRules.cpp - The factors of every nn op ---------------------===//

#include "dialects/NN/NN.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pcc::nn;

using Kind = ShardingRule::Kind;

static ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

namespace {

/// Builds a rule value by value; factors are named by the caller's handles.
struct RuleBuilder {
  ShardingRule rule;

  int factor(int64_t size, bool unshardable = false) {
    return rule.addFactor(size, unshardable);
  }
  /// One factor for each dim of a shape.
  SmallVector<int> factors(ArrayRef<int64_t> shape) {
    SmallVector<int> all;
    for (int64_t size : shape)
      all.push_back(factor(size));
    return all;
  }
  void operand(ArrayRef<int> dims, bool linear = false) {
    rule.operands.push_back(single(dims));
    rule.linear.push_back(linear);
  }
  void result(ArrayRef<int> dims) { rule.results.push_back(single(dims)); }
  void unshardable(int factor) { rule.factors[factor].unshardable = true; }

  static ValueFactors single(ArrayRef<int> dims) {
    ValueFactors value;
    for (int dim : dims)
      value.push_back({dim});
    return value;
  }
};

} // namespace

/// Operands and results that all have one shape; nothing is linear.
static ShardingRule elementwise(Operation *op, Kind kind = Kind::None,
                                ArrayRef<unsigned> linear = {}) {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(op->getResult(0)));
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    b.operand(dims, llvm::is_contained(linear, i));
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    b.result(dims);
  b.rule.kind = kind;
  return b.rule;
}

/// Only a uniform constant has its own parts.
ShardingRule ConstantOp::getShardingRule() {
  ShardingRule rule = elementwise(*this);
  auto elements = dyn_cast<DenseElementsAttr>(getValue());
  if (!elements || !elements.isSplat())
    for (ShardingRule::Factor &factor : rule.factors)
      factor.unshardable = true;
  return rule;
}

ShardingRule ContractOp::getShardingRule() {
  RuleBuilder b;
  llvm::SmallDenseMap<char, int> byLabel;
  auto dims = [&](StringRef labels) {
    SmallVector<int> all;
    for (char label : labels) {
      auto [it, isNew] = byLabel.try_emplace(label, 0);
      if (isNew)
        it->second = b.factor(getLabelSize(label));
      all.push_back(it->second);
    }
    return all;
  };
  b.operand(dims(getLhsLabels()), /*linear=*/true);
  b.operand(dims(getRhsLabels()), /*linear=*/true);
  b.result(dims(getResultLabels()));
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

ShardingRule SumOp::getShardingRule() {
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, getNumOperands()));
  return elementwise(*this, Kind::Additive, all);
}
ShardingRule SubOp::getShardingRule() {
  return elementwise(*this, Kind::Additive, {0, 1});
}
ShardingRule MulOp::getShardingRule() {
  return elementwise(*this, Kind::Multiplicative, {0, 1});
}
ShardingRule ScaleOp::getShardingRule() {
  return elementwise(*this, Kind::Multiplicative, {0});
}
ShardingRule DivOp::getShardingRule() { return elementwise(*this); }
ShardingRule MaxOp::getShardingRule() { return elementwise(*this); }
ShardingRule MinOp::getShardingRule() { return elementwise(*this); }
ShardingRule ExpOp::getShardingRule() { return elementwise(*this); }
ShardingRule LogOp::getShardingRule() { return elementwise(*this); }
ShardingRule SqrtOp::getShardingRule() { return elementwise(*this); }
ShardingRule TanhOp::getShardingRule() { return elementwise(*this); }
ShardingRule ErfOp::getShardingRule() { return elementwise(*this); }
ShardingRule WhereOp::getShardingRule() { return elementwise(*this); }
ShardingRule SigmoidOp::getShardingRule() { return elementwise(*this); }
ShardingRule ReluOp::getShardingRule() { return elementwise(*this); }
ShardingRule SiluOp::getShardingRule() { return elementwise(*this); }
ShardingRule GeluOp::getShardingRule() { return elementwise(*this); }
ShardingRule ReluGradOp::getShardingRule() {
  return elementwise(*this, Kind::Multiplicative, {0});
}
ShardingRule SiluGradOp::getShardingRule() {
  return elementwise(*this, Kind::Multiplicative, {0});
}
ShardingRule GeluGradOp::getShardingRule() {
  return elementwise(*this, Kind::Multiplicative, {0});
}
ShardingRule ValidOp::getShardingRule() { return elementwise(*this); }

/// A narrowing cast rounds, and a sum of rounded parts is not the rounded sum.
ShardingRule CastOp::getShardingRule() {
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(getInput()));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(getType()));
  if (from && to && to.getWidth() >= from.getWidth())
    return elementwise(*this, Kind::Multiplicative, {0});
  return elementwise(*this);
}

/// Not linear on purpose: dropping after a reduction is less work.
ShardingRule DropoutOp::getShardingRule() {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(getInput()));
  b.operand(dims);
  b.operand({dims[getBatchDim()]});
  b.operand({dims[getSeqDim()]});
  b.operand({});
  b.operand({});
  if (getOrigin())
    b.operand({b.factor(dims.size(), /*unshardable=*/true)});
  b.result(dims);
  return b.rule;
}

/// Splits both shapes into common factors. Where a group of n dims becomes m
/// dims with n, m > 1, nothing in it may be sharded.
ShardingRule ReshapeOp::getShardingRule() {
  ShardingRule rule;
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getResult());
  ValueFactors operand(from.size()), result(to.size());
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    SmallVector<size_t> left, right;
    int64_t leftSize = 1, rightSize = 1;
    if (i < from.size())
      leftSize = from[i], left.push_back(i++);
    if (j < to.size())
      rightSize = to[j], right.push_back(j++);
    while (leftSize != rightSize) {
      if (leftSize < rightSize)
        leftSize *= from[i], left.push_back(i++);
      else
        rightSize *= to[j], right.push_back(j++);
    }
    bool many = left.size() > 1 && right.size() > 1;
    auto &fine = left.size() >= right.size() ? left : right;
    auto fineShape = left.size() >= right.size() ? from : to;
    SmallVector<int> factors;
    for (size_t dim : fine)
      factors.push_back(rule.addFactor(fineShape[dim], many));
    auto assign = [&](ArrayRef<size_t> dims, ValueFactors &value) {
      if (dims.size() == factors.size()) {
        for (auto [dim, factor] : llvm::zip(dims, factors))
          value[dim] = {factor};
      } else if (dims.size() == 1) {
        value[dims[0]].assign(factors.begin(), factors.end());
      } else {
        // n:m: the coarse side's dims stay factors of their own.
        for (size_t dim : dims)
          value[dim] = {rule.addFactor((&value == &operand ? from : to)[dim],
                                       /*unshardable=*/true)};
      }
    };
    assign(left, operand);
    assign(right, result);
  }
  rule.operands.push_back(operand);
  rule.results.push_back(result);
  rule.kind = Kind::Multiplicative;
  rule.linear = {true};
  return rule;
}

ShardingRule TransposeOp::getShardingRule() {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(getInput()));
  b.operand(dims, /*linear=*/true);
  SmallVector<int> result;
  for (int64_t dim : getPermutation())
    result.push_back(dims[dim]);
  b.result(result);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

ShardingRule BroadcastOp::getShardingRule() {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(getResult()));
  SmallVector<int> operand;
  for (int64_t dim : getDims())
    operand.push_back(dims[dim]);
  b.operand(operand, /*linear=*/true);
  b.result(dims);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

ShardingRule ReduceOp::getShardingRule() {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(getInput()));
  b.operand(dims, /*linear=*/true);
  SmallVector<int> result;
  for (auto [i, factor] : llvm::enumerate(dims))
    if (!llvm::is_contained(getDims(), static_cast<int64_t>(i)))
      result.push_back(factor);
  b.result(result);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

/// A dim that slice or pad changes has a factor on each side, both unshardable.
static ShardingRule boxRule(Value input, Value result) {
  RuleBuilder b;
  SmallVector<int> from, to;
  for (auto [n, m] : llvm::zip(shapeOf(input), shapeOf(result))) {
    from.push_back(b.factor(n, n != m));
    to.push_back(n == m ? from.back() : b.factor(m, true));
  }
  b.operand(from, /*linear=*/true);
  b.result(to);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

ShardingRule SliceOp::getShardingRule() {
  return boxRule(getInput(), getResult());
}
ShardingRule PadOp::getShardingRule() {
  return boxRule(getInput(), getResult());
}

ShardingRule ConcatOp::getShardingRule() {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(getResult()));
  b.unshardable(dims[getDim()]);
  for (Value input : getInputs()) {
    SmallVector<int> operand(dims);
    operand[getDim()] = b.factor(shapeOf(input)[getDim()], true);
    b.operand(operand);
  }
  b.result(dims);
  return b.rule;
}

ShardingRule SelectOp::getShardingRule() {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(getInput()));
  b.unshardable(dims[getDim()]);
  b.operand(dims, /*linear=*/true);
  dims.erase(dims.begin() + getDim());
  b.result(dims);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

ShardingRule InsertOp::getShardingRule() {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(getResult()));
  b.unshardable(dims[getDim()]);
  SmallVector<int> operand(dims);
  operand.erase(operand.begin() + getDim());
  b.operand(operand, /*linear=*/true);
  b.result(dims);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

/// All of a row on one rank.
static ShardingRule rowwise(Operation *op) {
  ShardingRule rule = elementwise(op);
  rule.factors.back().unshardable = true;
  return rule;
}

ShardingRule SoftmaxOp::getShardingRule() { return rowwise(*this); }
ShardingRule SoftmaxGradOp::getShardingRule() { return rowwise(*this); }

/// Norms: every tensor is [rows..., c], [c] or [rows...]. Their gradients are
/// declared not linear: passing partial sums through would leave the scale's
/// gradient partial over tensor-parallel axes.
static ShardingRule normRule(Operation *op, Value input) {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(input));
  b.unshardable(dims.back());
  auto dimsOf = [&](Value value) -> SmallVector<int> {
    size_t rank = shapeOf(value).size();
    if (rank == dims.size())
      return dims;
    if (rank + 1 == dims.size() && rank != 1)
      return SmallVector<int>(ArrayRef<int>(dims).drop_back());
    return {dims.back()};
  };
  for (Value operand : op->getOperands())
    b.operand(dimsOf(operand));
  for (Value result : op->getResults())
    b.result(dimsOf(result));
  return b.rule;
}

ShardingRule LayerNormOp::getShardingRule() {
  return normRule(*this, getInput());
}
ShardingRule LayerNormGradOp::getShardingRule() {
  return normRule(*this, getInput());
}
ShardingRule LayerNormGradScaleOp::getShardingRule() {
  return normRule(*this, getInput());
}
ShardingRule RmsNormOp::getShardingRule() {
  return normRule(*this, getInput());
}
ShardingRule RmsNormGradOp::getShardingRule() {
  return normRule(*this, getInput());
}
ShardingRule RmsNormGradScaleOp::getShardingRule() {
  return normRule(*this, getInput());
}

ShardingRule RopeOp::getShardingRule() {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(getInput()));
  b.unshardable(dims.back());
  b.operand(dims, /*linear=*/true);
  b.operand({dims[1]});
  b.result(dims);
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

namespace {
/// The factors of attention: the query heads are (kv head g, repeat r).
struct AttentionFactors {
  int b, s, t, g, r, d, e;
  ValueFactors q, k, v, out, lse;

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

  /// The operands that are the same in attention and its gradient.
  template <typename Op>
  void addRest(ShardingRule &rule, Op op) const {
    rule.operands.push_back({{s}});
    rule.operands.push_back({{t}});
    if (op.getSamples())
      rule.operands.push_back({{b}});
    for (Value scalar : {op.getSeed(), op.getStep(), op.getHeadOrigin()})
      if (scalar)
        rule.operands.push_back({});
    rule.linear.assign(rule.operands.size(), false);
  }
};
} // namespace

ShardingRule AttentionOp::getShardingRule() {
  RuleBuilder b;
  AttentionFactors f(b, getQ(), getV());
  b.rule.operands = {f.q, f.k, f.v};
  f.addRest(b.rule, *this);
  b.rule.results = {f.out, f.lse};
  return b.rule;
}

ShardingRule AttentionGradOp::getShardingRule() {
  RuleBuilder b;
  AttentionFactors f(b, getQ(), getV());
  b.rule.operands = {f.out, f.q, f.k, f.v, f.out, f.lse};
  f.addRest(b.rule, *this);
  b.rule.results = {f.q, f.k, f.v};
  return b.rule;
}

/// Row ops of expanded attention: all of a row of [b, h, s, t] on one rank.
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
  if (op.getSamples())
    b.operand({dims[0]});
  for (Value scalar : {op.getSeed(), op.getStep(), op.getHeadOrigin()})
    if (scalar)
      b.operand({});
  for (Value result : op->getResults())
    b.result(dimsOf(result));
  return b.rule;
}

ShardingRule MaskedSoftmaxOp::getShardingRule() {
  return maskedSoftmaxRule(*this, 1);
}
ShardingRule MaskedSoftmaxGradOp::getShardingRule() {
  return maskedSoftmaxRule(*this, 3);
}

ShardingRule EmbeddingOp::getShardingRule() {
  RuleBuilder b;
  auto ids = b.factors(shapeOf(getIds()));
  int v = b.factor(shapeOf(getTable())[0]);
  int c = b.factor(shapeOf(getTable())[1]);
  b.operand(ids);
  b.operand({v, c});
  if (getOffset())
    b.operand({});
  ids.push_back(c);
  b.result(ids);
  return b.rule;
}

ShardingRule EmbeddingGradOp::getShardingRule() {
  RuleBuilder b;
  auto ids = b.factors(shapeOf(getIds()));
  int v = b.factor(shapeOf(getDtable())[0]);
  int c = b.factor(shapeOf(getDtable())[1]);
  SmallVector<int> dy(ids);
  dy.push_back(c);
  b.operand(dy, /*linear=*/true);
  b.operand(ids);
  if (getOffset())
    b.operand({});
  b.result({v, c});
  b.rule.kind = Kind::Multiplicative;
  return b.rule;
}

/// Losses: every tensor is [rows..., v], [rows...], [2, rows...] or a scalar.
static ShardingRule lossRule(Operation *op, ArrayRef<int64_t> rows,
                             int64_t classes, bool resolved) {
  RuleBuilder b;
  auto dims = b.factors(rows);
  int v = classes ? b.factor(classes) : -1;
  if (classes)
    b.rule.factors[v].resolved = resolved;
  int two = -1;
  auto dimsOf = [&](Value value) -> SmallVector<int> {
    auto shape = shapeOf(value);
    if (shape.empty() && !rows.empty())
      return {};
    if (shape.size() == rows.size())
      return dims;
    SmallVector<int> all(dims);
    if (classes && shape.back() == classes &&
        shape.drop_back() == ArrayRef<int64_t>(rows)) {
      all.push_back(v);
    } else {
      if (two < 0)
        two = b.factor(2, /*unshardable=*/true);
      all.insert(all.begin(), two);
    }
    return all;
  };
  for (Value operand : op->getOperands())
    b.operand(dimsOf(operand));
  for (Value result : op->getResults())
    b.result(dimsOf(result));
  return b.rule;
}

ShardingRule CrossEntropyOp::getShardingRule() {
  return lossRule(*this, shapeOf(getTargets()), shapeOf(getLogits()).back(),
                  /*resolved=*/true);
}
ShardingRule CrossEntropyGradOp::getShardingRule() {
  return lossRule(*this, shapeOf(getTargets()), shapeOf(getLogits()).back(),
                  false);
}
ShardingRule RowMaxOp::getShardingRule() {
  ShardingRule rule =
      lossRule(*this, shapeOf(getResult()), shapeOf(getLogits()).back(), false);
  // A maximum over shards is no sum: only cross_entropy's Partition knows.
  for (int factor : rule.operands[0].back())
    rule.factors[factor].unshardable = true;
  return rule;
}
ShardingRule CrossEntropyStatsOp::getShardingRule() {
  return lossRule(*this, shapeOf(getTargets()), shapeOf(getLogits()).back(),
                  false);
}
ShardingRule CrossEntropyLossOp::getShardingRule() {
  return lossRule(*this, shapeOf(getMax()), 0, false);
}

/// Tensors of the parameter's shape, and scalars.
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
ShardingRule SgdOp::getShardingRule() { return optimizerRule(*this); }

ShardingRule SumOfSquaresOp::getShardingRule() {
  RuleBuilder b;
  b.operand(b.factors(shapeOf(getInput())));
  b.result({});
  return b.rule;
}
