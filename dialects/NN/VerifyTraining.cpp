//===- VerifyTraining.cpp - Gradients, choices and losses
//------------------===//

#include "dialects/NN/Verify.h"

using namespace mlir;
using namespace pcc::nn;

LogicalResult pcc::nn::verifyType(Operation *op, Value value,
                                  RankedTensorType expected) {
  if (value.getType() == expected)
    return success();
  return op->emitOpError() << "must return " << expected << ", not "
                           << value.getType();
}

LogicalResult pcc::nn::verifyScalar(Operation *op, Value value,
                                    StringRef what) {
  if (!value || shapeOf(value).empty())
    return success();
  return op->emitOpError() << what << " must be a rank-0 tensor, not "
                           << value.getType();
}

LogicalResult pcc::nn::verifyRows(Operation *op, Value rows,
                                  ValueRange perColumn, ValueRange perRow) {
  ArrayRef<int64_t> shape = shapeOf(rows);
  if (shape.empty())
    return op->emitOpError("needs rows of at least one dim");
  for (Value value : perColumn)
    if (value && shapeOf(value) != shape.take_back())
      return op->emitOpError()
             << value.getType() << " does not fit rows of " << shape.back();
  for (Value value : perRow)
    if (shapeOf(value) != shape.drop_back())
      return op->emitOpError()
             << value.getType() << " does not have one entry per row";
  return success();
}

LogicalResult pcc::nn::verifyTargets(Operation *op, Value logits,
                                     Value targets) {
  ArrayRef<int64_t> shape = shapeOf(logits);
  if (shape.empty() || shape.drop_back() != shapeOf(targets))
    return op->emitOpError("needs one target per row of logits");
  return success();
}

LogicalResult pcc::nn::verifyClasses(Operation *op, int64_t classes,
                                     int64_t columns) {
  if (classes < 1 || classes > columns)
    return op->emitOpError() << "cannot have " << classes << " classes in "
                             << columns << " columns";
  return success();
}

// Norms and softmax.

LogicalResult SoftmaxOp::verify() {
  return verifyRows(*this, getInput(), {}, {});
}
LogicalResult SoftmaxGradOp::verify() {
  return verifyRows(*this, getDy(), {}, {});
}

LogicalResult LayerNormGradOp::verify() {
  return verifyRows(*this, getInput(), {getScale()}, {getMean(), getRstd()});
}
LogicalResult LayerNormGradScaleOp::verify() {
  return verifyRows(*this, getInput(), {getDscale()}, {getMean(), getRstd()});
}
LogicalResult RmsNormGradOp::verify() {
  return verifyRows(*this, getInput(), {getScale()}, {getRstd()});
}
LogicalResult RmsNormGradScaleOp::verify() {
  return verifyRows(*this, getInput(), {getDscale()}, {getRstd()});
}

// Attention and embedding.

LogicalResult pcc::nn::verifyBias(Operation *op, Value bias,
                                  ArrayRef<int64_t> scores) {
  if (!bias)
    return success();
  ArrayRef<int64_t> shape = shapeOf(bias);
  bool fits = shape.size() == scores.size();
  for (auto [own, whole] : llvm::zip(shape, scores))
    fits &= own == 1 || own == whole;
  if (fits)
    return success();
  InFlightDiagnostic diag = op->emitOpError("has scores of [");
  llvm::interleaveComma(scores, diag);
  return diag << "], which " << bias.getType() << " cannot be added to";
}

LogicalResult pcc::nn::verifyStarts(Operation *op, Value starts, bool isCausal,
                                    ArrayRef<int64_t> queries) {
  if (!starts)
    return success();
  if (!isCausal)
    return op->emitOpError() << "has documents without a causal mask";
  if (shapeOf(starts) != queries)
    return op->emitOpError() << "needs a start of the document of each of "
                             << queries[0] << " x " << queries[1] << " queries";
  return success();
}

LogicalResult pcc::nn::verifySinks(Operation *op, Value sinks, int64_t heads) {
  if (sinks && shapeOf(sinks) != ArrayRef(heads))
    return op->emitOpError()
           << "needs one sink for each of " << heads << " query heads";
  return success();
}

LogicalResult pcc::nn::verifyMax(Operation *op, Value bias, Value lse,
                                 Value max) {
  if (!bias != !max)
    return op->emitOpError() << "has a " << (max ? "max" : "bias")
                             << " without a " << (max ? "bias" : "max");
  if (max && max.getType() != lse.getType())
    return op->emitOpError("max must have the type of lse");
  return success();
}

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyAttention(*this)))
    return failure();
  ArrayRef<int64_t> q = shapeOf(getQ()), v = shapeOf(getV());
  if (getDResult().getType() != getResult().getType() ||
      shapeOf(getResult()) != ArrayRef<int64_t>({q[0], q[1], q[2], v[3]}) ||
      shapeOf(getLse()) != q.take_front(3))
    return emitOpError("d_result and result must be [b, s, h, e], lse "
                       "[b, s, h]");
  if (failed(verifyMax(*this, getBias(), getLse(), getMax())))
    return failure();
  RankedTensorType whole = tensorType(getQ());
  bool isWide =
      whole.getElementTypeBitWidth() == 16 &&
      getDq().getType() == whole.clone(Float32Type::get(getContext()));
  if ((getDq().getType() != whole && !isWide) ||
      getDk().getType() != getK().getType() ||
      getDv().getType() != getV().getType())
    return emitOpError("cotangents must have the types of q, k and v");
  Value dbias = getDbias();
  if (!dbias)
    return success();
  // A back end may leave the sum over queries or keys to a separate op.
  bool fits = getBias() && shapeOf(dbias).size() == 4 &&
              tensorType(dbias).getElementType() ==
                  tensorType(getBias()).getElementType();
  int64_t scores[] = {0, 0, q[1], v[1]};
  for (int64_t d = 0; fits && d < 4; ++d) {
    int64_t own = shapeOf(getBias())[d], found = shapeOf(dbias)[d];
    fits = found == own || (own == 1 && found == scores[d]);
  }
  if (!fits)
    return emitOpError("the bias' cotangent must have its type");
  return success();
}

LogicalResult EmbeddingGradOp::verify() {
  ArrayRef<int64_t> table = shapeOf(getDtable());
  if (table.size() < 2)
    return emitOpError("table must be [rows, columns...]");
  SmallVector<int64_t> shape(shapeOf(getIds()));
  llvm::append_range(shape, table.drop_front());
  if (shapeOf(getDy()) != ArrayRef<int64_t>(shape))
    return emitOpError("dy must have a row of the table per id");
  return verifyScalar(*this, getOffset(), "offset");
}

/// Checks that two values are [rows..., a] and [rows..., b].
static LogicalResult verifySameRows(Operation *op, Value x, Value y) {
  ArrayRef<int64_t> from = shapeOf(x), to = shapeOf(y);
  if (from.empty() || to.empty() || from.drop_back() != to.drop_back())
    return op->emitOpError()
           << "has different rows in " << x.getType() << " and " << y.getType();
  return success();
}

LogicalResult TopKOp::verify() {
  if (failed(verifySameRows(*this, getInput(), getIds())))
    return failure();
  int64_t count = shapeOf(getIds()).back(), extent = shapeOf(getInput()).back();
  if (count < 1 || count > extent)
    return emitOpError() << "cannot take " << count << " of " << extent
                         << " elements";
  return success();
}

LogicalResult PickOp::verify() {
  if (failed(verifySameRows(*this, getInput(), getIds())) ||
      failed(verifyScalar(*this, getOffset(), "offset")))
    return failure();
  Type element = tensorType(getInput()).getElementType();
  return verifyType(*this, getResult(), tensorType(getIds()).clone(element));
}

LogicalResult SpreadOp::verify() {
  if (shapeOf(getIds()) != shapeOf(getInput()))
    return emitOpError("needs one id per value");
  if (failed(verifySameRows(*this, getInput(), getResult())) ||
      failed(verifyScalar(*this, getOffset(), "offset")))
    return failure();
  Type element = tensorType(getInput()).getElementType();
  return verifyType(*this, getResult(), tensorType(getResult()).clone(element));
}

// Losses. With an offset, the classes are those of all ranks, which may be more
// than this rank's columns.

LogicalResult CrossEntropyGradOp::verify() {
  if (failed(verifyTargets(*this, getLogits(), getTargets())) ||
      failed(verifyScalar(*this, getOffset(), "offset")))
    return failure();
  if (shapeOf(getDloss()) != shapeOf(getTargets()))
    return emitOpError("dloss and lse must have the targets' shape");
  if (getOffset())
    return success();
  return verifyClasses(*this, getClasses(), shapeOf(getLogits()).back());
}

LogicalResult RowMaxOp::verify() {
  if (failed(verifyRows(*this, getLogits(), {}, {getResult()})) ||
      failed(verifyScalar(*this, getOffset(), "offset")))
    return failure();
  if (getOffset())
    return success();
  return verifyClasses(*this, getClasses(), shapeOf(getLogits()).back());
}

/// The type [2, rows...] of f32.
static RankedTensorType statsType(Value perRow) {
  SmallVector<int64_t> shape(shapeOf(perRow));
  shape.insert(shape.begin(), 2);
  return RankedTensorType::get(shape, Float32Type::get(perRow.getContext()));
}

LogicalResult CrossEntropyStatsOp::verify() {
  if (failed(verifyTargets(*this, getLogits(), getTargets())) ||
      failed(verifyRows(*this, getLogits(), {}, {getMax()})) ||
      failed(verifyScalar(*this, getOffset(), "offset")) ||
      failed(verifyType(*this, getResult(), statsType(getMax()))))
    return failure();
  if (getOffset())
    return success();
  return verifyClasses(*this, getClasses(), shapeOf(getLogits()).back());
}

LogicalResult CrossEntropyLossOp::verify() {
  if (shapeOf(getTargets()) != shapeOf(getMax()))
    return emitOpError("max must have the targets' shape");
  if (getStats().getType() != statsType(getMax()))
    return emitOpError() << "stats must be " << statsType(getMax());
  return success();
}

LogicalResult ValidOp::verify() {
  if (shapeOf(getResult()) != shapeOf(getTargets()))
    return emitOpError("must return one number per target");
  return success();
}
