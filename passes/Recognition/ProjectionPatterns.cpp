//===- ProjectionPatterns.cpp - Factors projections; positions ------------===//

#include "analysis/Axes.h"
#include "analysis/Evaluate.h"
#include "dialects/NN/AttrNames.h"
#include "passes/Recognition/DimParts.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::recognition;
using namespace pcc::nn;

namespace {

/// Replaces equal slices along the last dim by selections along a separate dim.
/// Each slice is reshaped in the same way:
///
///   %x : [b, s, p * n]                    %y = reshape %x : [b, s, p, h, d]
///   %q = reshape(slice %x) : [b, s, h, d] %q = select %y dim 2 index 0
///
/// or, as in a gated feed-forward layer, used element by element:
///
///   %g = silu(slice %x) : [b, s, n]       %y = reshape %x : [b, s, p, n]
///                                         %g = silu(select %y dim 2 index 0)
///
/// A slice of a sharded dim would assign all of q to the first ranks; the
/// separate dim is not sharded, so each rank selects its shard of q.
struct PartsOfProjection : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    Value whole = op.getInput();
    int64_t last = tensorType(whole).getRank() - 1;
    SmallVector<Operation *> parts = findParts(op);
    if (parts.empty())
      return failure();
    auto type = cast<RankedTensorType>(parts[0]->getResult(0).getType());
    SmallVector<int64_t> factored(type.getShape());
    factored.insert(factored.begin() + last, parts.size());
    rewriter.setInsertionPointAfterValue(whole);
    Value split = reshapeTo(rewriter, whole.getLoc(), whole, factored);
    for (auto [i, part] : llvm::enumerate(parts)) {
      auto slice = dyn_cast<SliceOp>(part);
      if (!slice)
        slice = part->getOperand(0).getDefiningOp<SliceOp>();
      rewriter.setInsertionPoint(slice);
      Value select = SelectOp::create(rewriter, slice.getLoc(), type, split,
                                      rewriter.getI64IntegerAttr(last),
                                      rewriter.getI64IntegerAttr(i));
      rewriter.replaceOp(part, select);
      if (part != slice)
        rewriter.eraseOp(slice);
    }
    return success();
  }

private:
  /// The slices of all parts in order, or the reshapes of these slices, all of
  /// one type. Empty if the parts are used in any other way.
  static SmallVector<Operation *> findParts(SliceOp op) {
    Value whole = op.getInput();
    RankedTensorType type = tensorType(whole);
    int64_t last = type.getRank() - 1;
    int64_t size = op.getType().getShape().back();
    if (last < 1 || type.getShape()[last] % size)
      return {};
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = size;
    SmallVector<Operation *> parts(type.getShape()[last] / size);
    for (Operation *user : whole.getUsers()) {
      auto slice = dyn_cast<SliceOp>(user);
      if (!slice || slice.getType().getShape() != ArrayRef(shape))
        return {};
      ArrayRef<int64_t> starts = slice.getStarts();
      bool along = llvm::all_of(starts.drop_back(),
                                [](int64_t start) { return start == 0; }) &&
                   starts.back() % size == 0 && slice.getSteps().back() == 1;
      if (!along || slice.use_empty() || parts[starts.back() / size])
        return {};
      Operation *reader = *slice->getUsers().begin();
      bool isSplit = isa<ReshapeOp>(reader);
      if (isSplit ? !slice->hasOneUse()
                  : !llvm::all_of(slice->getUsers(), isGating))
        return {};
      parts[starts.back() / size] = isSplit ? reader : slice;
    }
    // All parts must exist and be split alike; the other dims stay.
    for (Operation *part : parts) {
      if (!part || part->getName() != parts[0]->getName() ||
          part->getResultTypes() != parts[0]->getResultTypes())
        return {};
    }
    ArrayRef<int64_t> split =
        cast<RankedTensorType>(parts[0]->getResult(0).getType()).getShape();
    bool isReshape = isa<ReshapeOp>(parts[0]);
    if (isReshape && (static_cast<int64_t>(split.size()) <= last + 1 ||
                      split.take_front(last) != type.getShape().drop_back()))
      return {};
    return parts;
  }

  /// Whether an op may compute a gate or its product: the activations of gated
  /// feed-forward layers. Slices with other users stay as they are.
  static bool isGating(Operation *op) {
    return isa<MulOp, SumOp, ScaleOp, SigmoidOp, TanhOp, SiluOp, GeluOp,
               ReluOp>(op);
  }
};

/// embedding(0 .. n-1, table), with ids of shape [n] or [batch, n]: looks up
/// the argument of role positions instead.
struct LearnedPositions : OpRewritePattern<EmbeddingOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(EmbeddingOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getIds());
    auto function = op->getParentOfType<func::FuncOp>();
    BlockArgument tokens =
        function ? findInput(function, InputRole::Tokens) : BlockArgument();
    if (op.getOffset() || type.getRank() < 1 || !tokens ||
        tensorType(tokens).getRank() != 2 ||
        !type.getElementType().isInteger(64))
      return failure();
    int64_t n = tensorType(tokens).getShape()[1];
    std::optional<Tensor> ids = evaluate(op.getIds());
    if (type.getShape().back() != n || !ids ||
        !llvm::equal(ids->compact().core().ints(), llvm::seq<int64_t>(0, n)))
      return failure();
    // The padding row gets no gradient, which the new lookup would not respect.
    if (auto row = op->getAttrOfType<IntegerAttr>(kPaddingRowAttr);
        row && row.getInt() < n)
      return failure();
    int64_t width = tensorType(op.getTable()).getShape()[1];
    auto rows = RankedTensorType::get(
        {n, width}, tensorType(op.getTable()).getElementType());
    Value embedding = EmbeddingOp::create(
        rewriter, op.getLoc(), rows,
        entryArgument(function, InputRole::Positions), op.getTable(), Value());
    int64_t rank = type.getRank();
    if (rank > 1)
      embedding =
          BroadcastOp::create(rewriter, op.getLoc(), op.getType(), embedding,
                              ArrayRef<int64_t>{rank - 1, rank});
    rewriter.replaceOp(op, embedding);
    return success();
  }
};

} // namespace

void pcc::recognition::populateProjectionPatterns(RewritePatternSet &patterns) {
  patterns.add<PartsOfProjection, LearnedPositions>(patterns.getContext());
}
