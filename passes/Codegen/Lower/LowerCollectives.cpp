//===- LowerCollectives.cpp - Lowering of collectives to buffers ----------===//

#include "passes/Codegen/Lower/TaskLowering.h"

using namespace mlir;
using namespace pcc;

/// The maximum bytes of several small values that are copied into one buffer to
/// be reduced by one collective; larger values are reduced in place.
static constexpr int64_t kGatherBytes = 1 << 16;

LogicalResult TaskLowering::lowerAllReduce(dist::AllReduceOp op) {
  auto reduction = static_cast<rt::Reduction>(op.getReduction());
  int64_t bytes = 0;
  for (Value input : op.getInputs())
    bytes += rt::getSpanBytes(bufferType(input.getType()));
  if (op.getInputs().size() > 1 && bytes <= kGatherBytes) {
    // One collective reduces copies of the values in one buffer.
    Type element =
        cast<RankedTensorType>(op.getInputs()[0].getType()).getElementType();
    int64_t unit = rt::kAlignment / rt::getElementBytes(element);
    SmallVector<int64_t> starts;
    int64_t total = 0;
    for (Value input : op.getInputs()) {
      starts.push_back(total);
      total += llvm::alignTo(
          cast<RankedTensorType>(input.getType()).getNumElements(), unit);
    }
    Root *root = newTemporary(MemRefType::get({total}, element));
    // Padding is reduced too, so it must be initialized.
    int64_t padding = newNumber();
    note(rt::ZeroOp::create(builder, loc, root->address), padding);
    SmallVector<int64_t> becomes = {padding, padding};
    for (auto [input, result, start] :
         llvm::zip(op.getInputs(), op.getResults(), starts)) {
      Value part = rt::ViewOp::create(builder, loc, bufferType(input.getType()),
                                      root->address, start);
      emitCopy(contentOf(input), part);
      bind(result, {root, part});
      becomes.append({numberOf(input), numberOf(result)});
    }
    auto reduce = rt::AllReduceOp::create(builder, loc, root->address,
                                          reduction, op.getAxes());
    note(reduce, {-1, -1});
    reduce->setAttr(rt::kPartsAttr, builder.getDenseI64ArrayAttr(becomes));
    return success();
  }
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    Storage from = places.lookup(input);
    Storage to = place(op->getOpResult(index), {unsigned(index)});
    if (to.root != from.root)
      emitCopy(contentOf(input), to.address);
    note(rt::AllReduceOp::create(builder, loc, to.address, reduction,
                                 op.getAxes()),
         {numberOf(input), numberOf(op->getResult(index))});
  }
  return success();
}

/// Returns the shape [before, blocks, rest] of a tensor whose dim `dim` is
/// split into blocks.
static std::array<int64_t, 3> cut(Type type, int64_t dim, int64_t blocks) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  int64_t before = 1, rest = 1;
  for (auto [i, size] : llvm::enumerate(shape))
    (int64_t(i) < dim ? before : rest) *= size;
  return {before, blocks, rest / blocks};
}

/// Returns the ratio of the sizes of two values along a dim.
static int64_t ratio(Value large, Value small, int64_t dim) {
  return cast<RankedTensorType>(large.getType()).getDimSize(dim) /
         cast<RankedTensorType>(small.getType()).getDimSize(dim);
}

TaskLowering::Content TaskLowering::splitBlocks(Value input, int64_t dim,
                                                int64_t ranks) {
  Content from = contentOf(input);
  std::array<int64_t, 3> shape = cut(input.getType(), dim, ranks);
  if (shape[0] == 1)
    return from;
  Content blocks = emitTranspose(from, shape, {1, 0, 2});
  layouts[blocks.number] = layouts[from.number];
  return blocks;
}

void TaskLowering::concatBlocks(OpResult result, int64_t dim, int64_t ranks,
                                llvm::function_ref<void(Content)> receive) {
  Content to = {place(result).address, numberOf(result)};
  auto [before, blocks, rest] = cut(result.getType(), dim, ranks);
  if (before == 1)
    return receive(to);
  SmallVector<int64_t> shape = {blocks, before, rest};
  auto type = MemRefType::get(shape, typeOf(to.buffer).getElementType());
  Content received = {newTemporary(type)->address,
                      newNumber(layouts[to.number])};
  receive(received);
  emitTranspose(received, shape, {1, 0, 2}, to);
}

LogicalResult TaskLowering::lowerAllGather(dist::AllGatherOp op) {
  int64_t ranks = ratio(op.getResult(), op.getInput(), op.getDim());
  concatBlocks(op->getOpResult(0), op.getDim(), ranks, [&](Content to) {
    emitGathering<rt::AllGatherOp>(contentOf(op.getInput()), to, op.getAxes());
  });
  return success();
}

LogicalResult TaskLowering::lowerReduceScatter(dist::ReduceScatterOp op) {
  if (uses.isAdded(op))
    return success();
  Value to = place(op->getOpResult(0)).address;
  emitReduceScatter(op, {to, numberOf(op.getResult())});
  return success();
}

void TaskLowering::emitReduceScatter(dist::ReduceScatterOp op, Content result,
                                     std::optional<int64_t> before) {
  int64_t ranks = ratio(op.getInput(), op.getResult(), op.getDim());
  Content from = splitBlocks(op.getInput(), op.getDim(), ranks);
  SmallVector<int64_t> values = {from.number, result.number};
  if (before)
    values.insert(values.begin() + 1, *before);
  note(rt::ReduceScatterOp::create(builder, op.getLoc(), from.buffer,
                                   result.buffer, op.getAxes(),
                                   before.has_value()),
       values);
}

/// Sends blocks along dim `to` and receives blocks along dim `from`.
LogicalResult TaskLowering::lowerAllToAll(dist::AllToAllOp op) {
  int64_t ranks = ratio(op.getInput(), op.getResult(), op.getTo());
  Content blocks = splitBlocks(op.getInput(), op.getTo(), ranks);
  concatBlocks(op->getOpResult(0), op.getFrom(), ranks, [&](Content to) {
    emitGathering<rt::AllToAllOp>(blocks, to, op.getAxes());
  });
  return success();
}

LogicalResult TaskLowering::lowerShardSlice(dist::ShardSliceOp op) {
  int64_t ranks = ratio(op.getInput(), op.getResult(), op.getDim());
  Content from = splitBlocks(op.getInput(), op.getDim(), ranks);
  Value to = place(op->getOpResult(0)).address;
  emitGathering<rt::ShardSliceOp>(from, {to, numberOf(op.getResult())},
                                  op.getAxes());
  return success();
}

LogicalResult TaskLowering::lowerOffset(dist::OffsetOp op) {
  auto index = rt::CommIndexOp::create(builder, loc, bufferType(op.getType()),
                                       op.getAxes(), op.getExtent());
  Root *root = newRoot(Root::Constant);
  root->address = index;
  bind(op.getResult(), {root, index});
  note(index, numberOf(op.getResult()));
  return success();
}
