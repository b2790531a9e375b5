//===- ExpandAttention.cpp - Attention as contractions and row ops --------===//

#include "dialects/Dist/Layout.h"
#include "dialects/NN/Location.h"
#include "dialects/NN/NN.h"
#include "passes/Codegen/Kernels/Attention/Choice.h"
#include "passes/Codegen/Kernels/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNEXPANDATTENTIONPASS
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// Emits the pieces of one attention. Scores of bf16/fp16 operands are f32:
/// their exponentials depend on their absolute error. With grouped queries,
/// heads are (g, r) and the contractions have three batch-like labels;
/// otherwise g is the heads and r is omitted.
template <typename Op>
struct Expander {
  Op op;
  OpBuilder builder;
  Location loc;
  bool isGrouped;
  int64_t b, s, t, g, r, d, e;
  /// By label, the axes over which the dim is sharded; empty without a mesh,
  /// and then no op gets a sharding.
  llvm::DenseMap<char, dist::DimAttr> axes;

  explicit Expander(Op op) : op(op), builder(op), loc(op.getLoc()) {
    auto q = nn::tensorType(op.getQ()).getShape();
    auto v = nn::tensorType(op.getV()).getShape();
    b = q[0], s = q[1], t = v[1], g = v[2], r = q[2] / v[2];
    d = q[3], e = v[3];
    isGrouped = r > 1;
    auto query = dist::getSharding(op.getQ()),
         key = dist::getSharding(op.getK());
    if (!query || !key)
      return;
    auto all = query.getDims();
    dist::DimAttr groups = key.getDims()[2];
    axes = {{'b', all[0]},
            {'s', all[1]},
            {'h', all[2]},
            {'t', key.getDims()[1]},
            {'g', groups}};
    auto rest = all[2].getAxes().drop_front(groups.getAxes().size());
    axes['r'] = dist::DimAttr::get(op.getContext(), rest, false);
  }
  /// The sharding of a value with these labels as dims; it is partial over the
  /// axes of the labels in `sum`.
  dist::ShardingAttr sharding(StringRef labels, StringRef sum = "") {
    SmallVector<dist::DimAttr> dims;
    SmallVector<StringAttr> partial;
    for (char label : labels) {
      dist::DimAttr split = axes.lookup(label);
      dims.push_back(split ? split
                           : dist::DimAttr::get(op.getContext(), {}, false));
    }
    for (char label : sum)
      llvm::append_range(partial, axes.lookup(label).getAxes());
    return dist::ShardingAttr::get(op.getContext(), {}, dims, partial, {});
  }
  /// Sets the sharding of a value that was created here.
  Value withSharding(Value x, StringRef labels, StringRef sum = "") {
    Operation *made = x.getDefiningOp();
    if (!axes.empty() && made && !made->hasAttr(dist::kShardingsAttr))
      dist::setShardings(made, sharding(labels, sum));
    return x;
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
  /// Reshapes [b, s, h, n] to grouped heads if there are groups.
  Value heads(Value x) {
    if (!isGrouped)
      return x;
    int64_t n = nn::tensorType(x).getShape().back();
    return withSharding(reshape(x, {b, s, g, r, n}), "bsgrn");
  }
  /// Probabilities have the operands' element type, as factors of a
  /// contraction.
  RankedTensorType probabilities() {
    return type(ArrayRef<int64_t>{b, g * r, s, t});
  }
  /// Reshapes scores or probabilities [b, h, s, t] to grouped heads if there
  /// are groups.
  Value pairs(Value x) {
    return isGrouped ? withSharding(reshape(x, {b, g, r, s, t}), "bgrst") : x;
  }
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
    withSharding(scores, isGrouped ? "bgrst" : "bhst");
    return withSharding(reshape(scores, {b, g * r, s, t}), "bhst");
  }
  /// Rows of y [b, t, g, n] weighted by x [b, h, s, t].
  Value weighted(Value x, Value y, int64_t n) {
    Value sums = contract("bgrst,btgd->bsgrd", "bhst,bthd->bshd", pairs(x), y,
                          {b, s, g, r, n}, {b, s, g, n});
    withSharding(sums, isGrouped ? "bsgrn" : "bshn");
    return withSharding(reshape(sums, {b, s, g * r, n}), "bshn");
  }
  /// Rows of y [b, s, h, n] weighted by x [b, h, s, t], summed over queries and
  /// over the heads that share a key head.
  Value gathered(Value x, Value y, int64_t n) {
    Value sums = contract("bgrst,bsgrd->btgd", "bhst,bshd->bthd", pairs(x),
                          heads(y), {b, t, g, n}, {b, t, g, n});
    // On a rank with only some heads of a group, the result is a partial sum.
    return withSharding(sums, "btgn", "sr");
  }
  /// The factor of the scores in the softmax; a soft cap has the scale.
  FloatAttr softmaxScale() {
    return op.getSoftcap().isZero() ? op.getScaleAttr()
                                    : builder.getF64FloatAttr(1);
  }
  /// x * factor, of scores.
  Value scaled(Value x, double factor) {
    Value result = nn::ScaleOp::create(builder, loc, x.getType(), x,
                                       builder.getF64FloatAttr(factor));
    return withSharding(result, "bhst");
  }
  /// cap * tanh(scale / cap * x) of products x; x without a soft cap.
  Value capped(Value x) {
    double cap = op.getSoftcap().convertToDouble();
    if (!cap)
      return x;
    x = scaled(x, op.getScale().convertToDouble() / cap);
    x = nn::TanhOp::create(builder, loc, x.getType(), x);
    return scaled(withSharding(x, "bhst"), cap);
  }
  /// The cotangent of the products from that of `capped` scores y: times
  /// scale * (1 - (y / cap)^2), in the type of y.
  Value throughCap(Value d, Value y) {
    double cap = op.getSoftcap().convertToDouble();
    if (!cap)
      return d;
    Type type = y.getType(), narrow = d.getType();
    auto marked = [&](Value x) { return withSharding(x, "bhst"); };
    if (type != narrow)
      d = marked(nn::CastOp::create(builder, loc, type, d));
    Value ratio = scaled(y, 1 / cap);
    Value square = marked(nn::MulOp::create(builder, loc, type, ratio, ratio));
    Value part = marked(nn::MulOp::create(builder, loc, type, d, square));
    d = marked(nn::SubOp::create(builder, loc, type, d, part));
    d = scaled(d, op.getScale().convertToDouble());
    if (type != narrow)
      d = marked(nn::CastOp::create(builder, loc, narrow, d));
    return d;
  }
  /// The cotangent of the bias. dScores is the cotangent of the products, so it
  /// includes the scale, which does not apply to the bias. The bias is summed
  /// over dims in which it has extent 1, also if a rank has only one entry of
  /// such a dim: the result is then partial.
  Value biasCotangent(Value dScores, RankedTensorType bias,
                      dist::ShardingAttr known, const APFloat &scale) {
    dist::ShardingAttr scores;
    if (known && !axes.empty())
      scores = sharding("bhst");
    auto isSplitOtherwise = [&](size_t dim) {
      return scores &&
             known.getDims()[dim].getAxes() != scores.getDims()[dim].getAxes();
    };
    auto whole = nn::tensorType(dScores).getShape();
    SmallVector<int64_t> dims, kept;
    for (auto [d, own] : llvm::enumerate(bias.getShape())) {
      if (own != whole[d] || isSplitOtherwise(d))
        dims.push_back(d);
      else
        kept.push_back(own);
    }
    Value d = dScores;
    // Widened before the sum.
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
  /// lse is [b, s, h] as an operand or result of attention, [b, h, s] in the
  /// row ops.
  Value transposeRows(Value x, StringRef labels) {
    auto shape = nn::tensorType(x).getShape();
    auto swapped = RankedTensorType::get({shape[0], shape[2], shape[1]},
                                         builder.getF32Type());
    Value moved = nn::TransposeOp::create(builder, loc, swapped, x,
                                          ArrayRef<int64_t>{0, 2, 1});
    return withSharding(moved, labels);
  }
};

void expand(nn::AttentionOp op) {
  Expander<nn::AttentionOp> x(op);
  Value scores = x.capped(x.products(op.getQ(), op.getK()));
  auto lseType =
      RankedTensorType::get({x.b, x.g * x.r, x.s}, x.builder.getF32Type());
  auto softmax = nn::MaskedSoftmaxOp::create(
      x.builder, x.loc, x.probabilities(), lseType,
      op.getMax() ? lseType : RankedTensorType(), scores, op.getQPos(),
      op.getKPos(), op.getBias(), op.getSinks(), op.getSamples(), op.getSeed(),
      op.getStep(), op.getHeadOrigin(), op.getStarts(), x.softmaxScale(),
      op.getCausalAttr(), op.getWindowAttr(), op.getChunkAttr(), op.getPAttr(),
      op.getIdAttr());
  if (!x.axes.empty()) {
    SmallVector<dist::ShardingAttr> all(softmax->getNumResults(),
                                        x.sharding("bhs"));
    all[0] = x.sharding("bhst");
    dist::setShardings(softmax, all);
  }
  Value result = x.weighted(softmax.getProbs(), op.getV(), x.e);
  op.getResult().replaceAllUsesWith(result);
  if (!op.getLse().use_empty())
    op.getLse().replaceAllUsesWith(x.transposeRows(softmax.getLse(), "bsh"));
  if (op.getMax() && !op.getMax().use_empty())
    op.getMax().replaceAllUsesWith(x.transposeRows(softmax.getMax(), "bsh"));
  op.erase();
}

void expand(nn::AttentionGradOp op) {
  Expander<nn::AttentionGradOp> x(op);
  Value scores = x.capped(x.products(op.getQ(), op.getK()));
  Value dProbs = x.products(op.getDResult(), op.getV());
  auto softmax = nn::MaskedSoftmaxGradOp::create(
      x.builder, x.loc, x.probabilities(), x.probabilities(), scores, dProbs,
      x.transposeRows(op.getLse(), "bhs"),
      op.getMax() ? x.transposeRows(op.getMax(), "bhs") : Value(), op.getQPos(),
      op.getKPos(), op.getBias(), op.getSamples(), op.getSeed(), op.getStep(),
      op.getHeadOrigin(), op.getStarts(), x.softmaxScale(), op.getCausalAttr(),
      op.getWindowAttr(), op.getChunkAttr(), op.getPAttr(), op.getIdAttr());
  if (!x.axes.empty())
    dist::setShardings(softmax, {x.sharding("bhst"), x.sharding("bhst")});
  Value dScores = x.throughCap(softmax.getDScores(), scores);
  op.getDv().replaceAllUsesWith(
      x.gathered(softmax.getProbs(), op.getDResult(), x.e));
  op.getDq().replaceAllUsesWith(x.weighted(dScores, op.getK(), x.d));
  op.getDk().replaceAllUsesWith(x.gathered(dScores, op.getQ(), x.d));
  if (Value dBias = op.getDbias(); dBias && !dBias.use_empty()) {
    auto known = dist::getSharding(dBias);
    Value sum = x.biasCotangent(softmax.getDScores(), nn::tensorType(dBias),
                                known, x.softmaxScale().getValue());
    if (known && sum != softmax.getDScores())
      dist::setShardings(sum.getDefiningOp(), known);
    dBias.replaceAllUsesWith(sum);
  }
  op.erase();
}

/// Copies an op's attributes to an op created from it, except the sharding and
/// those of attention alone.
void copyMarks(DictionaryAttr marks, Operation *made) {
  for (NamedAttribute mark : marks)
    if (mark.getName() != dist::kShardingsAttr &&
        mark.getName() != nn::kPieceAttr)
      made->setDiscardableAttr(mark.getName(), mark.getValue());
}

/// CPU tiles accumulate dq in memory, so it becomes f32 and is rounded once.
void widenDq(nn::AttentionGradOp op) {
  Value dq = op.getDq();
  auto narrow = nn::tensorType(dq);
  if (narrow.getElementType().isF32())
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  dq.setType(narrow.clone(builder.getF32Type()));
  auto rounded = nn::CastOp::create(builder, op.getLoc(), narrow, dq);
  copyMarks(op->getDiscardableAttrDictionary(), rounded);
  if (auto sharding = dist::getSharding(dq))
    dist::setShardings(rounded, sharding);
  dq.replaceAllUsesExcept(rounded, rounded);
}

/// Tiles compute dbias for all queries and keys. If the bias broadcasts over
/// queries or keys, a reduction follows.
void widenBias(nn::AttentionGradOp op) {
  Value dBias = op.getDbias();
  if (!dBias || dBias.use_empty())
    return;
  auto own = nn::tensorType(dBias);
  SmallVector<int64_t> shape(own.getShape()), kept, summed;
  shape[2] = nn::tensorType(op.getQ()).getShape()[1];
  shape[3] = nn::tensorType(op.getK()).getShape()[1];
  for (auto [d, size] : llvm::enumerate(own.getShape()))
    (size == shape[d] ? kept : summed).push_back(d);
  if (summed.empty())
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  SmallVector<int64_t> sizes;
  for (int64_t d : kept)
    sizes.push_back(shape[d]);
  dBias.setType(own.clone(shape));
  auto sum = nn::ReduceOp::create(builder, op.getLoc(), own.clone(sizes), dBias,
                                  summed);
  auto result = nn::ReshapeOp::create(builder, op.getLoc(), own, sum);
  for (Operation *made : {sum.getOperation(), result.getOperation()})
    copyMarks(op->getDiscardableAttrDictionary(), made);
  dBias.replaceAllUsesExcept(result, sum);
  auto known = dist::getSharding(dBias);
  if (!known)
    return;
  // A rank has the rows of its own queries, so dbias is not yet partial over
  // the axes that shard the queries.
  SmallVector<dist::DimAttr> dims(known.getDims()), keptDims;
  ArrayRef<StringAttr> split;
  if (llvm::is_contained(summed, 2)) {
    dims[2] = dist::getSharding(op.getQ()).getDims()[1];
    split = dims[2].getAxes();
  }
  for (int64_t d : kept)
    keptDims.push_back(dims[d]);
  SmallVector<StringAttr> partial;
  for (StringAttr axis : known.getPartial())
    if (!llvm::is_contained(split, axis))
      partial.push_back(axis);
  auto withSharding = [&](ArrayRef<dist::DimAttr> dims,
                          ArrayRef<StringAttr> partial) {
    return dist::ShardingAttr::get(op.getContext(), known.getMesh(), dims,
                                   partial, known.getPartialMax());
  };
  SmallVector<dist::ShardingAttr> all;
  for (Value each : op->getResults())
    all.push_back(each == dBias ? withSharding(dims, partial)
                                : dist::getSharding(each));
  dist::setShardings(op, all);
  dist::setShardings(sum, withSharding(keptDims, known.getPartial()));
  dist::setShardings(result, known);
}

struct NNExpandAttentionPass
    : pcc::impl::NNExpandAttentionPassBase<NNExpandAttentionPass> {
  using NNExpandAttentionPassBase::NNExpandAttentionPassBase;

  /// Expands an op and copies its attributes to the new ops.
  template <typename Op>
  void expandMarked(Op op) {
    DictionaryAttr marks = op->getDiscardableAttrDictionary();
    Operation *before = op->getPrevNode();
    Block *block = op->getBlock();
    Operation *after = op->getNextNode();
    expand(op);
    auto begin = before ? std::next(Block::iterator(before)) : block->begin();
    auto end = after ? Block::iterator(after) : block->end();
    for (Operation &made : llvm::make_range(begin, end))
      copyMarks(marks, &made);
  }
  /// Fails where --attention-backend cudnn was given and cuDNN cannot compute
  /// the op.
  LogicalResult require(Operation *op, const codegen::AttentionChoice &choice) {
    if (library != "cudnn" ||
        choice.maker == codegen::AttentionBackend::Library)
      return success();
    InFlightDiagnostic diag = op->emitError()
                              << "cuDNN cannot compute the attention of '"
                              << nn::sourceNode(op->getLoc())
                              << "': " << choice.whyNoLibrary;
    diag.attachNote() << "--attention-backend auto uses cuDNN where it can "
                         "and tiles elsewhere";
    return diag;
  }
  void runOnOperation() override {
    for (auto &[op, choice] : codegen::chooseAttention(
             getOperation(), {onDevice, library != "none", chips})) {
      if (failed(require(op, choice)))
        return signalPassFailure();
      if (choice.maker == codegen::AttentionBackend::Library && !all) {
        op->setAttr(codegen::kByLibraryAttr, UnitAttr::get(&getContext()));
        continue;
      }
      bool isExpanded = all || !choice.whyNoTiles.empty();
      if (auto forward = dyn_cast<nn::AttentionOp>(op); forward && isExpanded)
        expandMarked(forward);
      auto grad = dyn_cast<nn::AttentionGradOp>(op);
      if (grad && isExpanded) {
        expandMarked(grad);
      } else if (grad) {
        widenBias(grad);
        if (!onDevice)
          widenDq(grad);
      }
    }
  }
};

} // namespace
