//===- NormPatterns.cpp - layer norm and rms norm from primitives ---------===//
//
// Both norms divide d by sqrt(mean of d^2 + eps) along the last dim. If d is a
// tensor minus its mean it is a layer norm, else an rms norm.
//

#include "passes/Recognition/Patterns.h"
#include <cmath>

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

/// The value that `value` broadcasts along the last dim; null if none.
static Value perRow(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return nullptr;
  int64_t rank = tensorType(value).getRank();
  if (!llvm::equal(broadcast.getDims(), llvm::seq<int64_t>(0, rank - 1)))
    return nullptr;
  return broadcast.getInput();
}

/// The vector that `value` broadcasts to every row; null if none.
static Value perColumn(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  int64_t rank = tensorType(value).getRank();
  if (!broadcast || broadcast.getDims() != ArrayRef<int64_t>(rank - 1))
    return nullptr;
  return broadcast.getInput();
}

/// x if `value` is its mean along the last dim.
static Value meanOf(Value value) {
  auto scale = value ? value.getDefiningOp<ScaleOp>() : ScaleOp();
  auto reduce = scale ? scale.getInput().getDefiningOp<ReduceOp>() : ReduceOp();
  if (!reduce)
    return nullptr;
  RankedTensorType type = tensorType(reduce.getInput());
  double n = type.getShape().back();
  if (reduce.getDims() != ArrayRef<int64_t>(type.getRank() - 1) ||
      std::fabs(scale.getFactor().convertToDouble() * n - 1) > 1e-6)
    return nullptr;
  return reduce.getInput();
}

static std::optional<double> splat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto attr = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                       : SplatElementsAttr();
  if (!attr || !isa<FloatType>(attr.getElementType()))
    return std::nullopt;
  return attr.getSplatValue<APFloat>().convertToDouble();
}

/// eps if `value` is sqrt(mean of d^2 + eps).
static std::optional<double> deviationOf(Value value, Value d) {
  auto sqrt = value ? value.getDefiningOp<SqrtOp>() : SqrtOp();
  auto sum = sqrt ? sqrt.getInput().getDefiningOp<SumOp>() : SumOp();
  if (!sum || sum.getInputs().size() != 2)
    return std::nullopt;
  for (int i : {0, 1}) {
    std::optional<double> eps = splat(sum.getInputs()[i]);
    Value square = meanOf(sum.getInputs()[1 - i]);
    auto mul = square ? square.getDefiningOp<MulOp>() : MulOp();
    if (eps && mul && mul.getLhs() == d && mul.getRhs() == d)
      return eps;
  }
  return std::nullopt;
}

/// Matches d / deviation or d * (1 / deviation): returns d and eps.
static std::optional<std::pair<Value, double>> normalized(Value value) {
  if (auto div = value.getDefiningOp<DivOp>())
    if (auto eps = deviationOf(perRow(div.getRhs()), div.getLhs()))
      return std::pair(div.getLhs(), *eps);
  auto mul = value.getDefiningOp<MulOp>();
  for (int i : {0, 1}) {
    Value row = mul ? perRow(mul->getOperand(i)) : Value();
    auto reciprocal = row ? row.getDefiningOp<DivOp>() : DivOp();
    if (!reciprocal || splat(reciprocal.getLhs()) != 1.0)
      continue;
    Value d = mul->getOperand(1 - i);
    if (auto eps = deviationOf(reciprocal.getRhs(), d))
      return std::pair(d, *eps);
  }
  return std::nullopt;
}

namespace {

/// x if `value` is x minus its mean along the last dim.
Value centered(Value value) {
  auto sub = value.getDefiningOp<SubOp>();
  Value mean = sub ? perRow(sub.getRhs()) : Value();
  return mean && meanOf(mean) == sub.getLhs() ? sub.getLhs() : Value();
}

/// Matches normalized * scale. BiasOfLayerNorm adds the bias of a layer norm.
struct NormOfPrimitives : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (int i : {0, 1}) {
      auto norm = normalized(op->getOperand(i));
      Value scale = perColumn(op->getOperand(1 - i));
      if (!norm || !scale)
        continue;
      RankedTensorType type = tensorType(op.getResult());
      auto rows = RankedTensorType::get(type.getShape().drop_back(),
                                        rewriter.getF32Type());
      FloatAttr eps = rewriter.getF64FloatAttr(norm->second);
      Value result;
      if (Value x = centered(norm->first))
        result = LayerNormOp::create(rewriter, op.getLoc(), type, rows, rows, x,
                                     scale, Value(), eps)
                     .getResult();
      else
        result = RmsNormOp::create(rewriter, op.getLoc(), type, rows,
                                   norm->first, scale, eps)
                     .getResult();
      rewriter.replaceOp(op, result);
      return success();
    }
    return failure();
  }
};

/// layer_norm(x) + bias.
struct BiasOfLayerNorm : OpRewritePattern<SumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SumOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 2)
      return failure();
    for (int i : {0, 1}) {
      auto norm = op.getInputs()[i].getDefiningOp<LayerNormOp>();
      Value bias = perColumn(op.getInputs()[1 - i]);
      if (!norm || norm.getBias() || !norm.getResult().hasOneUse() || !bias)
        continue;
      auto whole = LayerNormOp::create(
          rewriter, norm.getLoc(), norm->getResultTypes(),
          ValueRange{norm.getInput(), norm.getScale(), bias}, norm->getAttrs());
      rewriter.replaceOp(op, whole.getResult());
      return success();
    }
    return failure();
  }
};

} // namespace

void pcc::recognition::populateNormPatterns(RewritePatternSet &patterns) {
  patterns.add<NormOfPrimitives, BiasOfLayerNorm>(patterns.getContext());
}
