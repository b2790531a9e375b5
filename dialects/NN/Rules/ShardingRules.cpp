//===- ShardingRules.cpp - Factors of elementwise and shape ops -----------===//

#include "dialects/NN/Rules/RuleBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pcc::nn;

using Kind = ShardingRule::Kind;

ShardingRule pcc::nn::elementwise(Operation *op, Kind kind,
                                  ArrayRef<unsigned> linear) {
  RuleBuilder b;
  auto dims = b.factors(shapeOf(op->getResult(0)));
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    b.operand(dims, llvm::is_contained(linear, i));
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    b.result(dims);
  b.rule.kind = kind;
  return b.rule;
}

/// Only a uniform constant can be sharded: its shards are uniform, too.
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
ShardingRule ReluGradOp::getShardingRule() {
  return elementwise(*this, Kind::Multiplicative, {0});
}
ShardingRule SiluGradOp::getShardingRule() {
  return elementwise(*this, Kind::Multiplicative, {0});
}
ShardingRule GeluGradOp::getShardingRule() {
  return elementwise(*this, Kind::Multiplicative, {0});
}

/// A cast that rounds does not pass partial sums: the sum of rounded values is
/// not the rounded sum. Casts between f16 and bf16 round in both directions.
ShardingRule CastOp::getShardingRule() {
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(getInput()));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(getType()));
  if (from && to && (from == to || to.getWidth() > from.getWidth()))
    return elementwise(*this, Kind::Multiplicative, {0});
  return elementwise(*this);
}

/// Deliberately not linear: dropout after a reduction is less work.
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

/// Splits both shapes into groups of dims with equal numbers of elements. A
/// merge of n dims into one, or a split of one into n, has n factors. A group
/// of n > 1 dims that becomes m > 1 is unshardable: no dim is the same loop on
/// both sides.
ShardingRule ReshapeOp::getShardingRule() {
  ShardingRule rule;
  ArrayRef<int64_t> from = shapeOf(getInput()), to = shapeOf(getResult());
  ValueFactors operand(from.size()), result(to.size());
  using Dims = SmallVector<size_t>;
  // Adds a factor of its own for each of these dims.
  auto own = [&rule](ArrayRef<size_t> dims, ArrayRef<int64_t> shape,
                     ValueFactors &value) {
    for (size_t dim : dims)
      value[dim] = {rule.addFactor(shape[dim], /*unshardable=*/true)};
  };
  auto addGroup = [&](Dims left, Dims right) {
    if (left.size() > 1 && right.size() > 1) {
      // Dims of extent 1 correspond to nothing; without them the group may be a
      // merge or a split.
      for (auto [dims, shape, value] :
           {std::tuple(&left, from, &operand), std::tuple(&right, to, &result)})
        llvm::erase_if(*dims, [&, shape = shape, value = value](size_t dim) {
          if (shape[dim] != 1)
            return false;
          own(dim, shape, *value);
          return true;
        });
    }
    if (left.size() > 1 && right.size() > 1) {
      own(left, from, operand);
      own(right, to, result);
      return;
    }
    bool isSplit = right.size() > left.size();
    for (size_t dim : isSplit ? right : left) {
      int factor = rule.addFactor((isSplit ? to : from)[dim]);
      if (!left.empty())
        operand[isSplit ? left[0] : dim].push_back(factor);
      if (!right.empty())
        result[isSplit ? dim : right[0]].push_back(factor);
    }
  };
  if (tensorType(getInput()).getNumElements() == 0) {
    own(llvm::to_vector(llvm::seq<size_t>(from.size())), from, operand);
    own(llvm::to_vector(llvm::seq<size_t>(to.size())), to, result);
  } else {
    for (size_t i = 0, j = 0; i < from.size() || j < to.size();) {
      Dims left, right;
      int64_t leftSize = 1, rightSize = 1;
      auto takeLeft = [&] { leftSize *= from[i], left.push_back(i++); };
      auto takeRight = [&] { rightSize *= to[j], right.push_back(j++); };
      if (i < from.size())
        takeLeft();
      if (j < to.size())
        takeRight();
      while (leftSize != rightSize)
        leftSize < rightSize ? takeLeft() : takeRight();
      addGroup(left, right);
    }
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

/// A reduction other than a sum needs its reduced dims whole on each rank.
template <typename Op>
static ShardingRule wholeRowRule(Op op) {
  RuleBuilder b;
  SmallVector<int> dims, result;
  for (auto [i, extent] : llvm::enumerate(shapeOf(op.getInput()))) {
    bool reduced = llvm::is_contained(op.getDims(), static_cast<int64_t>(i));
    dims.push_back(b.factor(extent, reduced));
    if (!reduced)
      result.push_back(dims.back());
  }
  b.operand(dims);
  b.result(result);
  return b.rule;
}
ShardingRule ReduceMaxOp::getShardingRule() { return wholeRowRule(*this); }
ShardingRule ReduceMinOp::getShardingRule() { return wholeRowRule(*this); }
ShardingRule ReduceProdOp::getShardingRule() { return wholeRowRule(*this); }

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
