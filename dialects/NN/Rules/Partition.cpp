//===- Partition.cpp - Partitioned forms of nn ops ------------------------===//
//
// Ops that number their elements (rows of a table, classes, heads, coordinates
// of random numbers) count from the offset of the rank's shard.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/NN.h"
#include <cmath>

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

/// The op itself; if `dim` is sharded, its operand `counter` is raised by the
/// offset of this rank's shard.
template <typename Op>
static Local countFromOwnPart(OpBuilder &builder, PartitionContext &context,
                              Op op, const DimFactors &dim,
                              MutableOperandRange (Op::*counter)()) {
  auto local = cast<Op>(cloneLocal(builder, op, context));
  if (!context.isSharded(dim))
    return resultsOf(local);
  builder.setInsertionPoint(local);
  Value start = context.getOffset(builder, dim);
  MutableOperandRange own = (local.*counter)();
  if (!own.empty())
    start = SumOp::create(builder, op.getLoc(), own[0].get().getType(),
                          ValueRange{own[0].get(), start});
  own.assign(start);
  return resultsOf(local);
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

/// The bits of a rank's shard are those of its elements in the whole tensor.
/// Buckets are formed after partitioning, so there is one member.
Local RoundingBitsOp::buildLocal(OpBuilder &builder,
                                 PartitionContext &context) {
  auto local = cast<RoundingBitsOp>(cloneLocal(builder, *this, context));
  MemberAttr whole = getMemberList().front();
  builder.setInsertionPoint(local);
  SmallVector<Value> starts(getOrigins());
  SmallVector<int64_t> origins;
  for (const DimFactors &dim : context.getRule().results[0]) {
    bool isSharded = context.isSharded(dim);
    origins.push_back(isSharded ? int64_t(starts.size()) : -1);
    if (isSharded)
      starts.push_back(context.getOffset(builder, dim));
  }
  if (starts.empty())
    return resultsOf(local);
  local.getOriginsMutable().assign(starts);
  ArrayRef<int64_t> shape = local.getResult().getType().getShape();
  auto mine =
      MemberAttr::get(getContext(), whole.getId(), /*start=*/0,
                      builder.getDenseI64ArrayAttr(shape), whole.getWhole(),
                      builder.getDenseI64ArrayAttr(origins));
  local.setMembersAttr(builder.getArrayAttr(mine));
  return resultsOf(local);
}

/// Dropout of probabilities counts heads globally; without dropout the op
/// itself is the partitioned form.
template <typename Op>
static Local attentionLocal(OpBuilder &builder, PartitionContext &context,
                            Op op, const DimFactors &heads) {
  if (op.getP().isZero())
    return resultsOf(cloneLocal(builder, op, context));
  return countFromOwnPart(builder, context, op, heads,
                          &Op::getHeadOriginMutable);
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

/// A rank looks up the rows of its shard; other ids yield zeros.
Local EmbeddingOp::buildLocal(OpBuilder &builder, PartitionContext &context) {
  return countFromOwnPart(builder, context, *this,
                          context.getRule().operands[1][0],
                          &EmbeddingOp::getOffsetMutable);
}

/// A rank accumulates into the rows of its shard.
Local EmbeddingGradOp::buildLocal(OpBuilder &builder,
                                  PartitionContext &context) {
  return countFromOwnPart(builder, context, *this,
                          context.getRule().results[0][0],
                          &EmbeddingGradOp::getOffsetMutable);
}

/// Bounds the rows of a rank by the capacity, if it may need more. `dim`: that
/// of all experts.
template <typename Op>
static void boundRows(Op local, const PartitionContext &context,
                      const DimFactors &dim) {
  if (!local.getCapacity())
    return;
  constexpr int64_t kMultiple = 128;
  double experts = 1, own = tensorType(local.getW2()).getDimSize(0);
  for (int factor : dim)
    experts *= context.getRule().factors[factor].size;
  int64_t pairs = tensorType(local.getIds()).getNumElements(),
          tokens = pairs / local.getChoices(),
          most = tokens * std::min(local.getChoices(), int64_t(own));
  double share = local.getCapacity()->convertToDouble() * pairs * own / experts;
  int64_t rows = llvm::alignTo(int64_t(std::ceil(share)), kMultiple);
  if (rows < most)
    local.setRows(rows);
}

/// A rank computes the choices of its own experts.
Local ExpertsOp::buildLocal(OpBuilder &builder, PartitionContext &context) {
  const DimFactors &experts = context.getRule().operands[3][0];
  Local results = countFromOwnPart(builder, context, *this, experts,
                                   &ExpertsOp::getOffsetMutable);
  if (succeeded(results))
    boundRows((*results)[0].getDefiningOp<ExpertsOp>(), context, experts);
  return results;
}

Local ExpertsGradOp::buildLocal(OpBuilder &builder, PartitionContext &context) {
  const DimFactors &experts = context.getRule().operands[4][0];
  Local results = countFromOwnPart(builder, context, *this, experts,
                                   &ExpertsGradOp::getOffsetMutable);
  if (succeeded(results))
    boundRows((*results)[0].getDefiningOp<ExpertsGradOp>(), context, experts);
  return results;
}

/// A rank picks from its shard of the rows; other ids yield zeros.
Local PickOp::buildLocal(OpBuilder &builder, PartitionContext &context) {
  return countFromOwnPart(builder, context, *this,
                          context.getRule().operands[0].back(),
                          &PickOp::getOffsetMutable);
}

/// A rank adds to its shard of the rows.
Local SpreadOp::buildLocal(OpBuilder &builder, PartitionContext &context) {
  return countFromOwnPart(builder, context, *this,
                          context.getRule().results[0].back(),
                          &SpreadOp::getOffsetMutable);
}

/// Reduces the maximum first, then both sums of a row in one collective; logits
/// are never gathered.
Local CrossEntropyOp::buildLocal(OpBuilder &builder,
                                 PartitionContext &context) {
  const DimFactors &classes = context.getRule().operands[0].back();
  if (!context.isSharded(classes))
    return resultsOf(cloneLocal(builder, *this, context));
  Value logits = context.getOperands()[0], targets = context.getOperands()[1];
  auto rows = cast<RankedTensorType>(context.getResultTypes()[0]);
  const ValueFactors &rowDims = context.getRule().results[0];
  ValueFactors statsDims{{}};
  llvm::append_range(statsDims, rowDims);
  SmallVector<int64_t> shape{2};
  llvm::append_range(shape, rows.getShape());
  Value offset = context.getOffset(builder, classes);
  Value max = RowMaxOp::create(builder, getLoc(), rows, logits, offset,
                               getClassesAttr());
  max = context.allReduce(builder, max, rowDims, classes, Reduction::Max);
  Value stats = CrossEntropyStatsOp::create(
      builder, getLoc(), RankedTensorType::get(shape, rows.getElementType()),
      logits, targets, max, offset, getClassesAttr());
  stats = context.allReduce(builder, stats, statsDims, classes, Reduction::Sum);
  return resultsOf(CrossEntropyLossOp::create(builder, getLoc(), rows, rows,
                                              stats, max, targets));
}

Local CrossEntropyGradOp::buildLocal(OpBuilder &builder,
                                     PartitionContext &context) {
  return countFromOwnPart(builder, context, *this,
                          context.getRule().operands[1].back(),
                          &CrossEntropyGradOp::getOffsetMutable);
}
