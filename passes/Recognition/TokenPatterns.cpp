//===- TokenPatterns.cpp - Splits the dim of a router's tokens ------------===//
//
// A router computes on tokens [b s, ..]. Sharding needs batch and sequence
// apart. These patterns move the reshapes in front of experts up to the one
// that merged the dims:
//
//     %s = softmax %z : [b s, e]             %z' = reshape %z : [b, s, e]
//     %i = top_k %s : [b s, k]               %s = softmax %z' : [b, s, e]
//     reshape %i : [b, s, k]                 %i = top_k %s : [b, s, k]
//
//===----------------------------------------------------------------------===//

#include "passes/Recognition/DimParts.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

/// The leading dims of `shape` that together are `extent`, if there are at
/// least two.
static ArrayRef<int64_t> leadOf(ArrayRef<int64_t> shape, int64_t extent) {
  int64_t covered = 1;
  for (auto [dim, own] : llvm::enumerate(shape)) {
    covered *= own;
    if (covered == extent)
      return dim == 0 ? ArrayRef<int64_t>() : shape.take_front(dim + 1);
  }
  return {};
}

/// The dims into which all uses of an op's result split its first dim; empty if
/// they do not.
static SmallVector<int64_t> findSplit(Operation *op) {
  if (op->getNumResults() != 1 || op->use_empty())
    return {};
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() == 0)
    return {};
  SmallVector<int64_t> split;
  for (Operation *user : op->getUsers()) {
    auto reshape = dyn_cast<ReshapeOp>(user);
    if (!reshape)
      return {};
    ArrayRef<int64_t> lead =
        leadOf(reshape.getType().getShape(), type.getDimSize(0));
    if (lead.empty() || (!split.empty() && ArrayRef(split) != lead))
      return {};
    split.assign(lead.begin(), lead.end());
  }
  return split;
}

namespace {

/// Splits the first dim of an op whose users all split it.
struct SplitTokens : RewritePattern {
  explicit SplitTokens(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> split = findSplit(op);
    if (split.empty())
      return failure();
    Value moved = rebuild(rewriter, op, split);
    if (!moved)
      return failure();
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      rewriter.setInsertionPoint(user);
      auto to = cast<RankedTensorType>(user->getResult(0).getType());
      rewriter.replaceOp(
          user, reshapeTo(rewriter, user->getLoc(), moved, to.getShape()));
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static SmallVector<int64_t> splitShape(Value value, ArrayRef<int64_t> split) {
    SmallVector<int64_t> shape(split);
    llvm::append_range(shape, tensorType(value).getShape().drop_front());
    return shape;
  }
  /// Dims after the first one, which became `count` dims.
  static SmallVector<int64_t> shifted(ArrayRef<int64_t> dims, int64_t count) {
    return llvm::map_to_vector(dims, [&](int64_t d) { return d + count - 1; });
  }

  template <typename Op>
  static Value
  rebuildReduce(PatternRewriter &rewriter, Op op, RankedTensorType type,
                llvm::function_ref<Value(Value)> operand, int64_t count) {
    if (llvm::is_contained(op.getDims(), 0))
      return {};
    Value input = operand(op.getInput());
    auto moved = cast<Op>(rewriter.clone(*op));
    moved.getInputMutable().assign(input);
    moved.setDims(shifted(op.getDims(), count));
    moved->getResult(0).setType(type);
    return moved->getResult(0);
  }

  /// The result of the op with its first dim split; null if another dim depends
  /// on it.
  static Value rebuild(PatternRewriter &rewriter, Operation *op,
                       ArrayRef<int64_t> split) {
    Value result = op->getResult(0);
    SmallVector<int64_t> shape = splitShape(result, split);
    RankedTensorType type = tensorType(result).clone(shape);
    auto operand = [&](Value value) {
      return reshapeTo(rewriter, op->getLoc(), value, splitShape(value, split));
    };
    int64_t count = split.size();
    if (auto contract = dyn_cast<ContractOp>(op)) {
      DimParts parts = {SmallVector<int64_t, 2>(split)};
      for (int64_t extent : tensorType(result).getShape().drop_front())
        parts.push_back({extent});
      return splitContract(rewriter, contract, parts, type);
    }
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return rebuildReduce(rewriter, reduce, type, operand, count);
    if (auto reduce = dyn_cast<ReduceMaxOp>(op))
      return rebuildReduce(rewriter, reduce, type, operand, count);
    if (auto concat = dyn_cast<ConcatOp>(op)) {
      if (concat.getDim() == 0)
        return {};
      SmallVector<Value> inputs =
          llvm::map_to_vector(concat.getInputs(), operand);
      return ConcatOp::create(
          rewriter, op->getLoc(), type, inputs,
          rewriter.getI64IntegerAttr(concat.getDim() + count - 1));
    }
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      ArrayRef<int64_t> dims = broadcast.getDims();
      Value input = broadcast.getInput();
      SmallVector<int64_t> moved;
      if (!dims.empty() && dims[0] == 0) {
        input = operand(input);
        llvm::append_range(moved, llvm::seq<int64_t>(0, count));
        dims = dims.drop_front();
      }
      llvm::append_range(moved, shifted(dims, count));
      return BroadcastOp::create(rewriter, op->getLoc(), type, input, moved);
    }
    bool isRows = isa<SoftmaxOp, TopKOp, PickOp, SpreadOp>(op) &&
                  tensorType(result).getRank() > 1;
    if (!isRows && !isElementwise(op))
      return {};
    for (Value value : op->getOperands())
      if (tensorType(value).getRank() != tensorType(result).getRank())
        return {};
    SmallVector<Value> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value value) { return operand(value); });
    Operation *moved = rewriter.clone(*op);
    moved->setOperands(operands);
    moved->getResult(0).setType(type);
    return moved->getResult(0);
  }
};

} // namespace

void pcc::recognition::populateTokenPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitTokens>(patterns.getContext());
}
