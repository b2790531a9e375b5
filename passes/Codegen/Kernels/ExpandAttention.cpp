//===- ExpandAttention.cpp - Attention as contractions and row ops --------===//

#include "dialects/Dist/Dist.h"
#include "dialects/NN/NN.h"
#include "passes/Codegen/Kernels/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNEXPANDATTENTIONPASS
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// The parts of one attention. Scores are f32 whatever is multiplied: their
/// exponentials depend on their absolute error. Where several query heads share
/// a key head, heads are (g, r) and the products have three batch-like labels;
/// else g is the heads and r is left out.
template <typename Op>
struct Expander {
  Op op;
  OpBuilder builder;
  Location loc;
  bool isGrouped;
  int64_t b, s, t, g, r, d, e;

  explicit Expander(Op op) : op(op), builder(op), loc(op.getLoc()) {
    auto q = nn::tensorType(op.getQ()).getShape();
    auto v = nn::tensorType(op.getV()).getShape();
    b = q[0], s = q[1], t = v[1], g = v[2], r = q[2] / v[2];
    d = q[3], e = v[3];
    isGrouped = r > 1;
  }

  RankedTensorType type(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape,
                                 nn::tensorType(op.getQ()).getElementType());
  }
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    if (nn::tensorType(x).getShape() == shape)
      return x;
    return nn::ReshapeOp::create(builder, loc, nn::tensorType(x).clone(shape),
                                 x);
  }
  RankedTensorType wide(RankedTensorType narrow) {
    return narrow.getElementTypeBitWidth() > 16
               ? narrow
               : narrow.clone(builder.getF32Type());
  }
  /// [b, s, h, n] with the heads as the labels say.
  Value heads(Value x) {
    if (!isGrouped)
      return x;
    int64_t n = nn::tensorType(x).getShape().back();
    return reshape(x, {b, s, g, r, n});
  }
  /// Factors of products, as the values are.
  RankedTensorType probabilities() {
    return type(ArrayRef<int64_t>{b, g * r, s, t});
  }
  /// Scores and probabilities are [b, h, s, t].
  Value pairs(Value x) { return isGrouped ? reshape(x, {b, g, r, s, t}) : x; }
  Value contract(StringRef grouped, StringRef plain, Value lhs, Value rhs,
                 ArrayRef<int64_t> groupedShape, ArrayRef<int64_t> plainShape) {
    return contract(grouped, plain, lhs, rhs,
                    type(isGrouped ? groupedShape : plainShape));
  }
  Value contract(StringRef grouped, StringRef plain, Value lhs, Value rhs,
                 RankedTensorType result) {
    return nn::ContractOp::create(
        builder, loc, result,
        builder.getStringAttr(isGrouped ? grouped : plain), lhs, rhs);
  }
  /// x y^T by heads, of [b, s, h, n] and [b, t, g, n].
  Value products(Value x, Value y) {
    RankedTensorType result = isGrouped ? type(ArrayRef<int64_t>{b, g, r, s, t})
                                        : type(ArrayRef<int64_t>{b, g, s, t});
    Value scores = contract("bsgrd,btgd->bgrst", "bshd,bthd->bhst", heads(x), y,
                            wide(result));
    return reshape(scores, {b, g * r, s, t});
  }
  /// Rows of y [b, t, g, n] weighted by x [b, h, s, t].
  Value weighted(Value x, Value y, int64_t n) {
    Value sums = contract("bgrst,btgd->bsgrd", "bhst,bthd->bshd", pairs(x), y,
                          {b, s, g, r, n}, {b, s, g, n});
    return reshape(sums, {b, s, g * r, n});
  }
  /// Rows of y [b, s, h, n] weighted by x [b, h, s, t], over queries and the
  /// heads that share a key head.
  Value gathered(Value x, Value y, int64_t n) {
    return contract("bgrst,bsgrd->btgd", "bhst,bshd->bthd", pairs(x), heads(y),
                    {b, t, g, n}, {b, t, g, n});
  }
  /// d_scores is that of the products: with the scale, which the bias lacks.
  Value biasCotangent(Value dScores, RankedTensorType bias,
                      const APFloat &scale) {
    auto whole = nn::tensorType(dScores).getShape();
    SmallVector<int64_t> dims, kept;
    for (auto [d, own] : llvm::enumerate(bias.getShape())) {
      if (own != whole[d])
        dims.push_back(d);
      else
        kept.push_back(own);
    }
    Value d = dScores;
    // Before it is added up.
    if (Type element = bias.getElementType();
        element.getIntOrFloatBitWidth() >
        nn::tensorType(d).getElementTypeBitWidth())
      d = nn::CastOp::create(builder, loc, nn::tensorType(d).clone(element), d);
    if (!scale.isExactlyValue(1.0))
      d = nn::ScaleOp::create(
          builder, loc, d.getType(), d,
          builder.getF64FloatAttr(1 / scale.convertToDouble()));
    if (!dims.empty())
      d = nn::ReduceOp::create(builder, loc, nn::tensorType(d).clone(kept), d,
                               dims);
    d = reshape(d, bias.getShape());
    if (d.getType() != bias)
      d = nn::CastOp::create(builder, loc, bias, d);
    return d;
  }
  /// lse is [b, s, h] outside and [b, h, s] beside the scores.
  Value transposeRows(Value x) {
    auto shape = nn::tensorType(x).getShape();
    auto swapped = RankedTensorType::get({shape[0], shape[2], shape[1]},
                                         builder.getF32Type());
    return nn::TransposeOp::create(builder, loc, swapped, x,
                                   ArrayRef<int64_t>{0, 2, 1});
  }
};

void expand(nn::AttentionOp op) {
  Expander<nn::AttentionOp> x(op);
  Value scores = x.products(op.getQ(), op.getK());
  auto lseType =
      RankedTensorType::get({x.b, x.g * x.r, x.s}, x.builder.getF32Type());
  auto softmax = nn::MaskedSoftmaxOp::create(
      x.builder, x.loc, x.probabilities(), lseType, scores, op.getQPos(),
      op.getKPos(), op.getBias(), op.getSamples(), op.getSeed(), op.getStep(),
      op.getHeadOrigin(), op.getScaleAttr(), op.getCausalAttr(), op.getPAttr(),
      op.getIdAttr());
  Value result = x.weighted(softmax.getProbs(), op.getV(), x.e);
  op.getResult().replaceAllUsesWith(result);
  if (!op.getLse().use_empty())
    op.getLse().replaceAllUsesWith(x.transposeRows(softmax.getLse()));
  op.erase();
}

void expand(nn::AttentionGradOp op) {
  Expander<nn::AttentionGradOp> x(op);
  Value scores = x.products(op.getQ(), op.getK());
  Value dProbs = x.products(op.getDResult(), op.getV());
  auto softmax = nn::MaskedSoftmaxGradOp::create(
      x.builder, x.loc, x.probabilities(), x.probabilities(), scores, dProbs,
      x.transposeRows(op.getLse()), op.getQPos(), op.getKPos(), op.getBias(),
      op.getSamples(), op.getSeed(), op.getStep(), op.getHeadOrigin(),
      op.getScaleAttr(), op.getCausalAttr(), op.getPAttr(), op.getIdAttr());
  Value dScores = softmax.getDScores();
  op.getDv().replaceAllUsesWith(
      x.gathered(softmax.getProbs(), op.getDResult(), x.e));
  op.getDq().replaceAllUsesWith(x.weighted(dScores, op.getK(), x.d));
  op.getDk().replaceAllUsesWith(x.gathered(dScores, op.getQ(), x.d));
  if (Value dBias = op.getDbias(); dBias && !dBias.use_empty())
    dBias.replaceAllUsesWith(
        x.biasCotangent(dScores, nn::tensorType(dBias), op.getScale()));
  op.erase();
}

struct NNExpandAttentionPass
    : pcc::impl::NNExpandAttentionPassBase<NNExpandAttentionPass> {
  /// Expands an op, and gives what is made its marks.
  template <typename Op>
  void expandMarked(Op op) {
    auto marks = llvm::to_vector(op->getDiscardableAttrs());
    Operation *before = op->getPrevNode();
    Block *block = op->getBlock();
    Operation *after = op->getNextNode();
    expand(op);
    auto begin = before ? std::next(Block::iterator(before)) : block->begin();
    auto end = after ? Block::iterator(after) : block->end();
    for (Operation &made : llvm::make_range(begin, end))
      for (NamedAttribute mark : marks)
        made.setDiscardableAttr(mark.getName(), mark.getValue());
  }
  void runOnOperation() override {
    // Kernels are one where the ops are, however what these take lies.
    getOperation().walk([](Operation *op) {
      op->removeDiscardableAttr(dist::kShardingsAttr);
      op->removeDiscardableAttr(dist::kArgumentsAttr);
    });
    getOperation().walk([&](nn::AttentionOp op) { expandMarked(op); });
    getOperation().walk([&](nn::AttentionGradOp op) { expandMarked(op); });
  }
};

} // namespace
