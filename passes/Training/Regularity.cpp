//===- Regularity.cpp - Values that repeat along a dim --------------------===//

#include "passes/Training/Regularity.h"
#include "analysis/Expressions.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

int64_t pcc::strideOf(ArrayRef<int64_t> shape, int64_t dim) {
  int64_t stride = 1;
  for (int64_t extent : shape.drop_front(dim + 1))
    stride *= extent;
  return stride;
}

int64_t pcc::stepIn(const ShardingRule &rule, ArrayRef<int> factors, int factor,
                    int64_t step) {
  for (int minor : llvm::reverse(factors)) {
    if (minor == factor)
      break;
    step *= rule.factors[minor].size;
  }
  return step;
}

/// Calls `visit` with each operand dim that an index step of `inner` along dim
/// `dim` of the result moves along, and with the step in that dim. Returns
/// false if the op's rule does not determine it or a call returned false.
/// `alone`: also if several factors move.
static bool
forEachSource(Operation *op, int64_t dim, int64_t inner, bool alone,
              llvm::function_ref<bool(OpOperand &, int64_t, int64_t)> visit) {
  auto ruled = dyn_cast_or_null<ShardingRuleInterface>(op);
  if (!ruled || op->getNumResults() != 1)
    return false;
  ShardingRule rule = ruled.getShardingRule();
  // Factors that a step of `inner` passes as a whole do not change.
  ArrayRef<int> factors = rule.results[0][dim];
  while (!factors.empty() && inner % rule.factors[factors.back()].size == 0 &&
         factors.size() > 1) {
    inner /= rule.factors[factors.back()].size;
    factors = factors.drop_back();
  }
  if (alone && factors.size() > 1)
    return false;
  for (int factor : factors) {
    if (rule.factors[factor].unshardable && rule.factors[factor].size > 1)
      return false;
    // If several factors move, the step in each is 1.
    int64_t step = factors.size() == 1 ? inner : 1;
    for (auto [i, dims] : llvm::enumerate(rule.operands))
      for (auto [d, own] : llvm::enumerate(dims)) {
        if (!llvm::is_contained(own, factor))
          continue;
        if (!visit(op->getOpOperand(i), d, stepIn(rule, own, factor, step)))
          return false;
      }
  }
  return true;
}

/// Whether a scatter writes equal rows at equal offsets into each group of
/// `rows` table rows.
static bool isRepeated(EmbeddingGradOp op, int64_t rows) {
  int64_t extent = tensorType(op.getDtable()).getDimSize(0) / rows;
  ArrayRef<int64_t> shape = tensorType(op.getIds()).getShape();
  for (auto [dim, size] : llvm::enumerate(shape))
    if (int64_t inner = size / extent;
        size && size % extent == 0 &&
        stepAlong(op.getIds(), dim, inner) == rows &&
        isUniformAlong(op.getDy(), dim, inner))
      return true;
  return false;
}

bool pcc::isUniformAlong(Value value, int64_t dim, int64_t inner) {
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  if (shape[dim] <= inner)
    return true;
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return false;
    if (elements.isSplat())
      return true;
    int64_t stride = strideOf(shape, dim), count = elements.getNumElements();
    auto same = [&](auto begin) {
      for (int64_t i = 0; i < count; ++i)
        if (i / stride % shape[dim] >= inner &&
            *(begin + i) != *(begin + (i - inner * stride)))
          return false;
      return true;
    };
    return isa<FloatType>(elements.getElementType())
               ? same(elements.tryGetValues<APFloat>()->begin())
               : same(elements.tryGetValues<APInt>()->begin());
  }
  auto scatter = value.getDefiningOp<EmbeddingGradOp>();
  if (scatter && dim == 0)
    return isRepeated(scatter, inner);
  // Which elements of a row get values depends on the ids.
  if (value.getDefiningOp<SpreadOp>() &&
      dim + 1 == static_cast<int64_t>(shape.size()))
    return false;
  return forEachSource(value.getDefiningOp(), dim, inner, /*alone=*/false,
                       [](OpOperand &operand, int64_t d, int64_t distance) {
                         return isUniformAlong(operand.get(), d, distance);
                       });
}

/// The fixed step of integers along a dim; `at` returns the element at a
/// row-major index. Empty if the step is not fixed.
template <typename At>
static std::optional<int64_t> stepOf(ArrayRef<int64_t> shape, int64_t dim,
                                     int64_t inner, At at) {
  int64_t stride = strideOf(shape, dim), count = stride * shape[dim];
  for (int64_t extent : shape.take_front(dim))
    count *= extent;
  int64_t step = at(inner * stride) - at(0);
  for (int64_t i = 0; i < count; ++i)
    if (i / stride % shape[dim] >= inner &&
        at(i) - at(i - inner * stride) != step)
      return std::nullopt;
  return step;
}

/// Values of at most this many elements are computed whole, if the step does
/// not follow from the steps of the op's operands.
static constexpr int64_t kMostComputed = 1 << 16;

std::optional<int64_t> pcc::stepAlong(Value value, int64_t dim, int64_t inner) {
  if (isUniformAlong(value, dim, inner))
    return 0;
  Operation *op = value.getDefiningOp();
  RankedTensorType type = tensorType(value);
  if (!op || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (!elements)
      return std::nullopt;
    return stepOf(type.getShape(), dim, inner,
                  [begin = elements.begin()](int64_t i) {
                    return (*(begin + i)).getSExtValue();
                  });
  }
  if (!keepsElements(op) && !isa<SumOp, MulOp, CastOp>(op)) {
    if (type.getNumElements() > kMostComputed)
      return std::nullopt;
    std::optional<analysis::Tensor> whole = analysis::computeWhole(value);
    if (!whole)
      return std::nullopt;
    return stepOf(type.getShape(), dim, inner,
                  [&](int64_t i) { return whole->at(i).i; });
  }
  int64_t step = 0;
  bool isKnown = forEachSource(
      op, dim, inner, /*alone=*/true,
      [&](OpOperand &operand, int64_t d, int64_t distance) {
        auto own = stepAlong(operand.get(), d, distance);
        if (!own)
          return false;
        if (isa<MulOp>(op) && *own) {
          Value other = op->getOperand(1 - operand.getOperandNumber());
          auto number = other.getDefiningOp<ConstantOp>();
          auto elements =
              number ? dyn_cast<DenseIntElementsAttr>(number.getValue())
                     : DenseIntElementsAttr();
          if (!elements || !elements.isSplat())
            return false;
          *own *= elements.getSplatValue<APInt>().getSExtValue();
        }
        step += *own;
        return true;
      });
  return isKnown ? std::optional<int64_t>(step) : std::nullopt;
}
