//===- LossPatterns.cpp - Losses by batch and sequence --------------------===//
//
// Exporters flatten [batch, seq] before a loss; dims that are to be sharded
// apart must stay apart.
//
//===----------------------------------------------------------------------===//

#include "frontend/Patterns.h"

using namespace mlir;
using namespace pcc::frontend;
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

/// The sum over all elements does not see their shape.
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

} // namespace

void pcc::frontend::populateLossPatterns(RewritePatternSet &patterns) {
  patterns.add<LossOfReshape, ValidOfReshape, ReduceAllOfReshape>(
      patterns.getContext());
}
