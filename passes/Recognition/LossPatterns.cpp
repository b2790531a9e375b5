//===- LossPatterns.cpp - Losses by batch and sequence --------------------===//
//
// Exporters flatten [batch, seq] before a loss, but dims that are sharded
// separately must stay separate. A loss written as log softmax and a selection
// of the target's column needs all columns on one rank; nn.cross_entropy does
// not.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

namespace {

/// cross_entropy(reshape(x), t), where the reshape keeps the classes.
struct LossOfReshape : OpRewritePattern<CrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getLogits().getDefiningOp<ReshapeOp>();
    if (!reshape || !op.getLse().use_empty())
      return failure();
    RankedTensorType type = tensorType(reshape.getInput());
    if (type.getRank() < 2 ||
        type.getShape().back() != tensorType(op.getLogits()).getShape().back())
      return failure();
    ArrayRef<int64_t> rows = type.getShape().drop_back();
    Value targets = reshapeTo(rewriter, op.getLoc(), op.getTargets(), rows);
    auto losses = RankedTensorType::get(rows, rewriter.getF32Type());
    auto moved =
        CrossEntropyOp::create(rewriter, op.getLoc(), losses, losses,
                               reshape.getInput(), targets, op.getClasses());
    Value flat = reshapeTo(rewriter, op.getLoc(), moved.getLoss(),
                           tensorType(op.getLoss()).getShape());
    rewriter.replaceOp(op, {flat, moved.getLse()});
    return success();
  }
};

struct ValidOfReshape : OpRewritePattern<ValidOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ValidOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getTargets().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return failure();
    auto type = RankedTensorType::get(tensorType(reshape.getInput()).getShape(),
                                      rewriter.getF32Type());
    Value valid =
        ValidOp::create(rewriter, op.getLoc(), type, reshape.getInput());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), valid);
    return success();
  }
};

/// A sum over all elements does not depend on their shape.
struct ReduceAllOfReshape : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getInput().getDefiningOp<ReshapeOp>();
    if (!reshape || tensorType(op.getResult()).getRank() != 0)
      return failure();
    int64_t rank = tensorType(reshape.getInput()).getRank();
    rewriter.replaceOpWithNewOp<ReduceOp>(
        op, op.getType(), reshape.getInput(),
        llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return success();
  }
};

/// The value that `value` broadcasts along its last dim; null if none.
Value repeatedAlongRows(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return nullptr;
  int64_t rank = tensorType(value).getRank();
  auto rows = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
  return broadcast.getDims() == ArrayRef<int64_t>(rows) ? broadcast.getInput()
                                                        : Value();
}

/// The op that computes `value`, if it reduces the last dim; else null.
template <typename Op>
Op reductionOfRows(Value value) {
  auto reduce = value ? value.getDefiningOp<Op>() : Op();
  if (!reduce || reduce.getDims().size() != 1 ||
      reduce.getDims()[0] != tensorType(reduce.getInput()).getRank() - 1)
    return Op();
  return reduce;
}

/// x where `value` is x - max(x) - log(sum(exp(x - max(x)))) along the last
/// dim, else null.
Value logitsOf(Value value) {
  auto outer = value.getDefiningOp<SubOp>();
  auto shifted = outer ? outer.getLhs().getDefiningOp<SubOp>() : SubOp();
  if (!shifted)
    return nullptr;
  Value lse = repeatedAlongRows(outer.getRhs()),
        max = repeatedAlongRows(shifted.getRhs());
  auto log = lse ? lse.getDefiningOp<LogOp>() : LogOp();
  auto sum = reductionOfRows<ReduceOp>(log ? log.getInput() : Value());
  auto exp = sum ? sum.getInput().getDefiningOp<ExpOp>() : ExpOp();
  auto most = reductionOfRows<ReduceMaxOp>(max);
  bool fits = exp && most && exp.getInput() == shifted.getResult() &&
              most.getInput() == shifted.getLhs();
  return fits ? shifted.getLhs() : Value();
}

/// Whether `value` is 0, 1, ... along its last dim.
bool isColumn(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  int64_t last = tensorType(value).getRank() - 1;
  if (broadcast && broadcast.getDims() == ArrayRef<int64_t>(last))
    value = broadcast.getInput();
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                           : DenseIntElementsAttr();
  if (!elements)
    return false;
  int64_t i = 0, columns = tensorType(value).getShape().back();
  return llvm::all_of(elements.getValues<APInt>(), [&](const APInt &number) {
    return number == static_cast<uint64_t>(i++ % columns);
  });
}

/// sum(where(column == target, log_softmax(x), 0)) is -cross_entropy.
struct EntropyOfChoice : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto choice = op.getInput().getDefiningOp<WhereOp>();
    if (!choice || !reductionOfRows<ReduceOp>(op.getResult()))
      return failure();
    auto hit = choice.getCondition().getDefiningOp<CompareOp>();
    Value x = logitsOf(choice.getLhs());
    auto zero = choice.getRhs().getDefiningOp<ConstantOp>();
    if (!hit || hit.getRelation() != Relation::Equal || !x || !zero ||
        !matchPattern(zero.getResult(), m_AnyZeroFloat()) ||
        !tensorType(x).getElementType().isF32())
      return failure();
    for (unsigned i : {0, 1}) {
      Value targets = repeatedAlongRows(hit->getOperand(1 - i));
      if (!targets || !isColumn(hit->getOperand(i)))
        continue;
      auto losses = op.getResult().getType();
      auto entropy = CrossEntropyOp::create(
          rewriter, op.getLoc(), losses, losses, x, targets,
          rewriter.getI64IntegerAttr(tensorType(x).getShape().back()));
      rewriter.replaceOpWithNewOp<ScaleOp>(op, losses, entropy.getLoss(),
                                           rewriter.getF64FloatAttr(-1));
      return success();
    }
    return failure();
  }
};

} // namespace

void pcc::recognition::populateLossPatterns(RewritePatternSet &patterns) {
  patterns
      .add<LossOfReshape, ValidOfReshape, ReduceAllOfReshape, EntropyOfChoice>(
          patterns.getContext());
}
