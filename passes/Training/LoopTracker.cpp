//===- LoopTracker.cpp - Where a loop of the inputs goes ------------------===//

#include "passes/Training/LoopTracker.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

using Place = LoopTracker::Place;

/// The elements between two neighbours along a dim.
static int64_t strideOf(ArrayRef<int64_t> shape, int64_t dim) {
  int64_t stride = 1;
  for (int64_t extent : shape.drop_front(dim + 1))
    stride *= extent;
  return stride;
}

/// Whether a value that does not depend on the loop is the same for every
/// index of a dim, as a number that was repeated is; a table of numbers by the
/// sample's place in the batch is not.
static bool isUniformAlong(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return false;
    if (elements.isSplat())
      return true;
    ArrayRef<int64_t> shape = tensorType(value).getShape();
    int64_t stride = strideOf(shape, dim), count = elements.getNumElements();
    auto same = [&](auto begin) {
      for (int64_t i = 0; i < count; ++i)
        if (i / stride % shape[dim] && *(begin + i) != *(begin + (i - stride)))
          return false;
      return true;
    };
    return isa<FloatType>(elements.getElementType())
               ? same(elements.tryGetValues<APFloat>()->begin())
               : same(elements.tryGetValues<APInt>()->begin());
  }
  auto ruled = dyn_cast_or_null<ShardingRuleInterface>(op);
  if (!ruled || op->getNumResults() != 1)
    return false;
  ShardingRule rule = ruled.getShardingRule();
  for (int factor : rule.results[0][dim]) {
    if (rule.factors[factor].unshardable && rule.factors[factor].size > 1)
      return false;
    for (auto [operand, dims] :
         llvm::zip_equal(op->getOperands(), rule.operands))
      for (auto [d, factors] : llvm::enumerate(dims))
        if (llvm::is_contained(factors, factor) && !isUniformAlong(operand, d))
          return false;
  }
  return true;
}

/// The elements keep their order, so what lies along the loop keeps its stride.
std::string LoopTracker::visitReshape(Operation *op, const Place &from) {
  int64_t stride =
      from.inner * strideOf(tensorType(op->getOperand(0)).getShape(), from.dim);
  ArrayRef<int64_t> shape = tensorType(op->getResult(0)).getShape();
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim) {
    int64_t own = strideOf(shape, dim);
    if (stride % own || own * shape[dim] % (stride * extent))
      continue;
    place(op->getResult(0), {Place::Apart, dim, stride / own});
    // A loop of one element may be any dim of one element.
    if (extent == 1 && (stride != own || shape[dim] != 1 ||
                        llvm::count(shape.drop_front(dim + 1), 1)))
      doubtful.insert(op->getResult(0));
    return "";
  }
  return "reshapes over several " + noun;
}

/// Operands that are sums: an op that is linear in them hands them on.
std::string LoopTracker::visitLinear(Operation *op, const ShardingRule &rule) {
  size_t added = 0, placed = 0;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    const Place *from = find(operand);
    placed += from ? 1 : 0;
    added += from && from->kind == Place::Added && rule.linear[i];
  }
  bool isHandedOn = rule.kind == ShardingRule::Kind::Additive
                        ? added == op->getNumOperands()
                    : rule.kind == ShardingRule::Kind::Multiplicative
                        ? added == 1 && placed == 1
                        : false;
  isSure = true;
  if (!isHandedOn)
    return "computes with a sum over " + noun;
  for (Value result : op->getResults())
    place(result, {Place::Added});
  return "";
}

std::string LoopTracker::visitByRule(Operation *op) {
  auto ruled = dyn_cast<ShardingRuleInterface>(op);
  if (!ruled)
    return "joins several " + noun;
  ShardingRule rule = ruled.getShardingRule();
  if (llvm::any_of(op->getOperands(), [&](Value operand) {
        const Place *from = find(operand);
        return from && from->kind == Place::Added;
      }))
    return visitLinear(op, rule);

  // A row of a table is looked up by its number.
  if (auto lookup = dyn_cast<EmbeddingOp>(op))
    if (const Place *table = find(lookup.getTable()); table && table->dim == 0)
      return "joins several " + noun;

  // All operands that depend on the loop run along one factor.
  int factor = -1;
  int64_t inner = 1;
  for (auto [operand, dims] :
       llvm::zip_equal(op->getOperands(), rule.operands)) {
    const Place *from = find(operand);
    if (!from)
      continue;
    const DimFactors &own = dims[from->dim];
    if (own.size() != 1 || rule.factors[own[0]].unshardable) {
      isSure = isa<ReduceMaxOp, ReduceMinOp, ReduceProdOp, SoftmaxOp>(op);
      return "joins several " + noun;
    }
    isSure = true;
    if (factor >= 0 && (own[0] != factor || from->inner != inner))
      return "joins several " + noun;
    isSure = false;
    factor = own[0];
    inner = from->inner;
  }
  for (auto [operand, dims] : llvm::zip_equal(op->getOperands(), rule.operands))
    for (auto [d, own] : llvm::enumerate(dims))
      if (llvm::is_contained(own, factor) && !find(operand) &&
          !isUniformAlong(operand, d))
        return "goes by the number of each of the " + noun;
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), rule.results)) {
    auto dim = llvm::find_if(dims, [&](const DimFactors &own) {
      return llvm::is_contained(own, factor);
    });
    if (dim != dims.end())
      place(result, {Place::Apart, dim - dims.begin(), inner});
    else if (rule.factors[factor].resolved) {
      isSure = true;
      return "joins several " + noun;
    } else
      place(result, {Place::Added});
  }
  return "";
}

std::string LoopTracker::visit(Operation *op) {
  std::string problem;
  bool depends = false;
  isSure = false;
  for (Value operand : op->getOperands())
    if (const Place *from = find(operand)) {
      depends = true;
      if (from->kind != Place::Mixed)
        continue;
      for (Value result : op->getResults())
        place(result, {Place::Mixed});
      return "";
    }
  if (depends) {
    const Place *from = isa<ReshapeOp>(op) ? find(op->getOperand(0)) : nullptr;
    problem = from && from->kind == Place::Apart ? visitReshape(op, *from)
                                                 : visitByRule(op);
  }
  if (llvm::any_of(op->getOperands(),
                   [&](Value v) { return doubtful.contains(v); })) {
    isSure = false;
    doubtful.insert(op->result_begin(), op->result_end());
  }
  if (!problem.empty())
    for (Value result : op->getResults())
      place(result, {Place::Mixed});
  return problem;
}
