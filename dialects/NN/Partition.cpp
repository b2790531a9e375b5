//===- Partition.cpp - Local forms of nn ops ------------------------------===//
//
// Ops that number their elements (rows of a table, classes, heads, coordinates
// of random numbers) start counting where their rank's part begins.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/NN.h"

using namespace mlir;
using namespace pcc::nn;

using Local = FailureOr<SmallVector<Value>>;
using Reduction = PartitionContext::Reduction;

static Operation *cloneLocal(OpBuilder &builder, Operation *op,
                             PartitionContext &context) {
  Operation *local = builder.clone(*op);
  for (auto [result, type] :
       llvm::zip_equal(local->getResults(), context.getResultTypes()))
    result.setType(type);
  return local;
}

static SmallVector<Value> resultsOf(Operation *op) {
  return SmallVector<Value>(op->getResults());
}

/// `own` (absent: 0) plus where this rank's part of a dim starts.
static Value addOffset(OpBuilder &builder, Location loc, Value own,
                       PartitionContext &context, ArrayRef<int> dim) {
  Value start = context.getOffset(builder, dim);
  if (!own)
    return start;
  return SumOp::create(builder, loc, own.getType(), ValueRange{own, start});
}

/// Batch and sequence are counted by samples and positions; the other dims
/// from origin.
Local DropoutOp::buildLocal(OpBuilder &builder, PartitionContext &context) {
  auto local = cast<DropoutOp>(cloneLocal(builder, *this, context));
  const ValueFactors &dims = context.getRule().operands[0];
  auto counted = [&](uint64_t dim) {
    return dim != getBatchDim() && dim != getSeqDim();
  };
  bool moved = false;
  for (auto [i, dim] : llvm::enumerate(dims))
    moved |= counted(i) && context.isSharded(dim);
  if (!moved)
    return resultsOf(local);

  builder.setInsertionPoint(local);
  auto one = RankedTensorType::get({1}, builder.getI64Type());
  auto zero = DenseElementsAttr::get(one, builder.getI64IntegerAttr(0));
  SmallVector<Value> starts;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (counted(i) && context.isSharded(dim))
      starts.push_back(ReshapeOp::create(builder, getLoc(), one,
                                         context.getOffset(builder, dim)));
    else
      starts.push_back(ConstantOp::create(builder, getLoc(), one, zero));
  }
  auto type = RankedTensorType::get({static_cast<int64_t>(dims.size())},
                                    builder.getI64Type());
  Value origin = ConcatOp::create(builder, getLoc(), type, starts,
                                  builder.getI64IntegerAttr(0));
  if (Value own = local.getOrigin())
    origin = SumOp::create(builder, getLoc(), type, ValueRange{own, origin});
  local.getOriginMutable().assign(origin);
  return resultsOf(local);
}

/// Dropped probabilities are numbered by the global head.
template <typename Op>
static Local attentionLocal(OpBuilder &builder, PartitionContext &context,
                            Op op, const DimFactors &heads) {
  auto local = cast<Op>(cloneLocal(builder, op, context));
  if (op.getP().convertToDouble() == 0 || !context.isSharded(heads))
    return resultsOf(local);
  builder.setInsertionPoint(local);
  local.getHeadOriginMutable().assign(
      addOffset(builder, op.getLoc(), local.getHeadOrigin(), context, heads));
  return resultsOf(local);
}

Local AttentionOp::buildLocal(OpBuilder &builder, PartitionContext &context) {
  return attentionLocal(builder, context, *this,
                        context.getRule().operands[0][2]);
}

Local AttentionGradOp::buildLocal(OpBuilder &builder,
                                  PartitionContext &context) {
  return attentionLocal(builder, context, *this,
                        context.getRule().operands[1][2]);
}

/// A rank looks up the rows it has; the others' are zero.
Local EmbeddingOp::buildLocal(OpBuilder &builder, PartitionContext &context) {
  auto local = cast<EmbeddingOp>(cloneLocal(builder, *this, context));
  const DimFactors &rows = context.getRule().operands[1][0];
  if (!context.isSharded(rows))
    return resultsOf(local);
  builder.setInsertionPoint(local);
  local.getOffsetMutable().assign(
      addOffset(builder, getLoc(), local.getOffset(), context, rows));
  return resultsOf(local);
}

Local EmbeddingGradOp::buildLocal(OpBuilder &builder,
                                  PartitionContext &context) {
  auto local = cast<EmbeddingGradOp>(cloneLocal(builder, *this, context));
  const DimFactors &rows = context.getRule().results[0][0];
  if (!context.isSharded(rows))
    return resultsOf(local);
  builder.setInsertionPoint(local);
  local.getOffsetMutable().assign(
      addOffset(builder, getLoc(), local.getOffset(), context, rows));
  return resultsOf(local);
}

/// The maximum first, then both sums of a row in one message: never the
/// logits.
Local CrossEntropyOp::buildLocal(OpBuilder &builder,
                                 PartitionContext &context) {
  const DimFactors &classes = context.getRule().operands[0].back();
  if (!context.isSharded(classes))
    return resultsOf(cloneLocal(builder, *this, context));
  Value logits = context.getOperands()[0], targets = context.getOperands()[1];
  auto rows = cast<RankedTensorType>(context.getResultTypes()[0]);
  SmallVector<int64_t> shape{2};
  llvm::append_range(shape, rows.getShape());
  Value offset = context.getOffset(builder, classes);
  Value max = RowMaxOp::create(builder, getLoc(), rows, logits, offset,
                               getClassesAttr());
  max = context.allReduce(builder, max, classes, Reduction::Max);
  Value stats = CrossEntropyStatsOp::create(
      builder, getLoc(), RankedTensorType::get(shape, rows.getElementType()),
      logits, targets, max, offset, getClassesAttr());
  stats = context.allReduce(builder, stats, classes, Reduction::Sum);
  return resultsOf(CrossEntropyLossOp::create(builder, getLoc(), rows, rows,
                                              stats, max, targets));
}

Local CrossEntropyGradOp::buildLocal(OpBuilder &builder,
                                     PartitionContext &context) {
  auto local = cast<CrossEntropyGradOp>(cloneLocal(builder, *this, context));
  const DimFactors &classes = context.getRule().operands[1].back();
  if (!context.isSharded(classes))
    return resultsOf(local);
  builder.setInsertionPoint(local);
  local.getOffsetMutable().assign(
      addOffset(builder, getLoc(), local.getOffset(), context, classes));
  return resultsOf(local);
}
