//===- ReshapePatterns.cpp - Moves reshapes up ----------------------------===//
//
// A reshape that splits dims moves from the result of an op to its operands
// until it meets the reshape that merged the dims, or a parameter. Reshapes
// that merge dims stay.
//
//===----------------------------------------------------------------------===//

#include "analysis/Evaluate.h"
#include "dialects/NN/AttrNames.h"
#include "passes/Recognition/DimParts.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

Value pcc::recognition::reshapeTo(OpBuilder &builder, Location loc, Value value,
                                  ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(value);
  if (type.getShape() == shape)
    return value;
  return ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value);
}

/// Whether `op` is only a view of a parameter, such as a weight that several
/// layers share. Views are free, so each user can have its own.
static bool isParamView(Operation *op) {
  while (keepsElements(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_present<ReadOp>(op);
}

/// The op that computes the reshape's input, if it may be rebuilt; else null.
template <typename Op>
static Op producer(ReshapeOp reshape) {
  auto op = reshape.getInput().getDefiningOp<Op>();
  return op && (op->hasOneUse() || isParamView(op)) ? op : Op();
}

static std::optional<DimParts> splitOf(ReshapeOp reshape) {
  return splitDims(tensorType(reshape.getInput()).getShape(),
                   reshape.getType().getShape());
}

namespace {

struct ReshapeTwice : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ReshapeOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getInput());
    return success();
  }
};

/// Merges equal reshapes of one value, so that the op that computes the value
/// may have a single use. An example is keys and values that a block reshapes
/// at each use.
struct ReshapeAgain : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    for (Operation *user : op.getInput().getUsers()) {
      auto other = dyn_cast<ReshapeOp>(user);
      if (!other || other == op || other.getType() != op.getType() ||
          other->getBlock() != op->getBlock() || !other->isBeforeInBlock(op))
        continue;
      rewriter.replaceOp(op, other.getResult());
      return success();
    }
    return failure();
  }
};

struct ReshapeOfConstant : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto constant = op.getInput().getDefiningOp<ConstantOp>();
    auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                          : DenseElementsAttr();
    if (!dense)
      return failure();
    rewriter.replaceOpWithNewOp<ConstantOp>(op, op.getType(),
                                            dense.reshape(op.getType()));
    return success();
  }
};

/// Ops whose operands and result all have one type.
struct ReshapeOfElementwise : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Operation *inner = op.getInput().getDefiningOp();
    if (!inner || !isElementwise(inner) ||
        !inner->hasTrait<OpTrait::SameOperandsAndResultType>() ||
        !inner->hasOneUse() || !splitOf(op))
      return failure();
    SmallVector<Value> operands;
    for (Value operand : inner->getOperands())
      operands.push_back(
          reshapeTo(rewriter, op.getLoc(), operand, op.getType().getShape()));
    Operation *moved = rewriter.clone(*inner);
    moved->setOperands(operands);
    moved->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, moved);
    return success();
  }
};

struct ReshapeOfBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = producer<BroadcastOp>(op);
    auto split = splitOf(op);
    if (!inner || !split)
      return failure();
    SmallVector<int64_t> shape, dims;
    int64_t next = 0;
    for (auto [dim, part] : llvm::enumerate(*split)) {
      if (llvm::is_contained(inner.getDims(), static_cast<int64_t>(dim)))
        for (auto [i, extent] : llvm::enumerate(part)) {
          shape.push_back(extent);
          dims.push_back(next + i);
        }
      next += part.size();
    }
    Value input = reshapeTo(rewriter, op.getLoc(), inner.getInput(), shape);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), input, dims);
    return success();
  }
};

/// reshape(transpose(x)) that splits dims: splits the dims of x instead. The
/// factors of each dim stay adjacent in the transpose.
struct ReshapeOfTranspose : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = producer<TransposeOp>(op);
    auto split = splitOf(op);
    if (!inner || !split)
      return failure();
    rewriter.replaceOp(op,
                       transposeParts(rewriter, op.getLoc(), inner, *split));
    return success();
  }
};

/// Splits the dims that a reshape both splits and merges before the transpose
/// in front of it. This separates batch and heads that a batched product had in
/// one dim:
///
///   %t = transpose %x [1, 0, 2] : [b * h, s, d] -> [s, b * h, d]
///   reshape %t : [s * b, h * d]
struct RegroupOfTranspose : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = producer<TransposeOp>(op);
    if (!inner || splitOf(op))
      return failure();
    auto parts =
        commonParts(inner.getType().getShape(), op.getType().getShape());
    if (!parts || llvm::all_of(*parts, [](auto &p) { return p.size() == 1; }))
      return failure();
    Value moved = transposeParts(rewriter, op.getLoc(), inner, *parts);
    rewriter.replaceOp(
        op, reshapeTo(rewriter, op.getLoc(), moved, op.getType().getShape()));
    return success();
  }
};

/// Moves the reshape to the operands.
struct ReshapeOfContract : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = producer<ContractOp>(op);
    auto split = splitOf(op);
    Value moved = inner && split
                      ? splitContract(rewriter, inner, *split, op.getType())
                      : Value();
    if (!moved)
      return failure();
    rewriter.replaceOp(op, moved);
    return success();
  }
};

/// A softmax whose rows stay whole, such as of scores with batch and heads in
/// one dim.
struct ReshapeOfSoftmax : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = producer<SoftmaxOp>(op);
    auto split = splitOf(op);
    if (!inner || !split || split->back().size() != 1)
      return failure();
    Value input = reshapeTo(rewriter, op.getLoc(), inner.getInput(),
                            op.getType().getShape());
    rewriter.replaceOpWithNewOp<SoftmaxOp>(op, op.getType(), input);
    return success();
  }
};

/// A norm whose rows stay whole.
template <typename Norm>
struct ReshapeOfNorm : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern<ReshapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<Norm>();
    auto split = splitOf(op);
    if (!inner || !inner.getResult().hasOneUse() || !split ||
        split->back().size() != 1)
      return failure();
    for (Value statistic : inner->getResults().drop_front())
      if (!statistic.use_empty())
        return failure();
    ArrayRef<int64_t> shape = op.getType().getShape();
    auto rows = RankedTensorType::get(shape.drop_back(), rewriter.getF32Type());
    Value input = reshapeTo(rewriter, op.getLoc(), inner.getInput(), shape);
    Operation *moved = rewriter.clone(*inner);
    moved->setOperand(0, input);
    moved->getResult(0).setType(op.getType());
    for (OpResult statistic : moved->getResults().drop_front())
      statistic.setType(rows);
    rewriter.replaceOp(op, moved->getResult(0));
    return success();
  }
};

/// reshape(embedding(ids)) that keeps the last dim, the table's columns. It
/// must split dims unless the ids are constant.
struct ReshapeOfEmbedding : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = producer<EmbeddingOp>(op);
    ArrayRef<int64_t> shape = op.getType().getShape();
    bool known = inner && inner.getIds().getDefiningOp<ConstantOp>();
    if (!inner || tensorType(inner.getTable()).getRank() != 2 ||
        (!known && !splitOf(op)) || shape.empty() ||
        shape.back() != tensorType(inner.getTable()).getShape().back())
      return failure();
    Value ids =
        reshapeTo(rewriter, op.getLoc(), inner.getIds(), shape.drop_back());
    Value moved = EmbeddingOp::create(rewriter, inner.getLoc(), op.getType(),
                                      ids, inner.getTable(), inner.getOffset());
    if (Attribute row = inner->getAttr(kPaddingRowAttr))
      moved.getDefiningOp()->setAttr(kPaddingRowAttr, row);
    rewriter.replaceOp(op, moved);
    return success();
  }
};

/// reshape(embedding(ids)) that splits the columns of a computed table, such as
/// scores by distance with batch and heads in one dim:
///
///   %t = reshape(transpose %s) : [i * k, b * h]    %t : [i * k, b, h]
///   %y = embedding %ids, %t : [i, j, b * h]        %y : [i, j, b, h]
///   %z = reshape %y : [i, j, b, h]
struct SplitOfEmbedding : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = producer<EmbeddingOp>(op);
    auto merged =
        inner ? inner.getTable().getDefiningOp<ReshapeOp>() : ReshapeOp();
    auto moved =
        merged ? merged.getInput().getDefiningOp<TransposeOp>() : TransposeOp();
    auto split = splitOf(op);
    if (!moved || !split)
      return failure();
    ArrayRef<int64_t> ids = tensorType(inner.getIds()).getShape();
    ArrayRef<int64_t> row = merged.getType().getShape().drop_front();
    ArrayRef<int64_t> whole = moved.getType().getShape();
    if (op.getType().getShape().take_front(ids.size()) != ids ||
        whole.size() <= row.size() || whole.take_back(row.size()) != row)
      return failure();
    DimParts parts;
    for (int64_t extent : whole.drop_back(row.size()))
      parts.push_back({extent});
    llvm::append_range(parts, ArrayRef(*split).drop_front(ids.size()));
    SmallVector<int64_t> shape = {merged.getType().getDimSize(0)};
    llvm::append_range(shape, op.getType().getShape().drop_front(ids.size()));
    Value table =
        reshapeTo(rewriter, op.getLoc(),
                  transposeParts(rewriter, op.getLoc(), moved, parts), shape);
    rewriter.replaceOpWithNewOp<EmbeddingOp>(op, op.getType(), inner.getIds(),
                                             table, inner.getOffset());
    return success();
  }
};

} // namespace

void pcc::recognition::populateReshapePatterns(RewritePatternSet &patterns) {
  patterns
      .add<ReshapeTwice, ReshapeAgain, ReshapeOfConstant, ReshapeOfElementwise,
           ReshapeOfBroadcast, ReshapeOfTranspose, RegroupOfTranspose,
           ReshapeOfContract, ReshapeOfSoftmax, ReshapeOfNorm<LayerNormOp>,
           ReshapeOfNorm<RmsNormOp>, ReshapeOfEmbedding, SplitOfEmbedding>(
          patterns.getContext());
}
