//===- Cores.cpp - Values without broadcast dims --------------------------===//

#include "passes/Recognition/Cores.h"
#include "analysis/Runs.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::recognition;
using namespace pcc::nn;

Value pcc::recognition::repeat(PatternRewriter &rewriter, Location loc,
                               Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(value);
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> kept, dims;
  for (auto [dim, own] : llvm::enumerate(type.getShape()))
    if (own == shape[dim]) {
      kept.push_back(own);
      dims.push_back(dim);
    }
  return BroadcastOp::create(
      rewriter, loc, RankedTensorType::get(shape, type.getElementType()),
      reshapeTo(rewriter, loc, value, kept), dims);
}

static bool isUniform(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

SmallVector<int64_t> pcc::recognition::coreShape(Value value) {
  ArrayRef<int64_t> whole = tensorType(value).getShape();
  SmallVector<int64_t> shape(whole.size(), 1);
  Operation *op = value.getDefiningOp();
  if (op && isUniform(op))
    return shape;
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
    SmallVector<int64_t> inner = coreShape(broadcast.getInput());
    for (auto [dim, extent] : llvm::zip(broadcast.getDims(), inner))
      shape[dim] = extent;
    return shape;
  }
  if (op && isElementwise(op)) {
    for (Value operand : op->getOperands())
      for (auto [extent, own] : llvm::zip(shape, coreShape(operand)))
        extent = std::max(extent, own);
    return shape;
  }
  if (auto slice = dyn_cast_or_null<SliceOp>(op)) {
    SmallVector<int64_t> inner = coreShape(slice.getInput());
    for (auto [extent, full, own] : llvm::zip(shape, whole, inner))
      extent = own == 1 ? 1 : full;
    return shape;
  }
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
    SmallVector<int64_t> inner = coreShape(transpose.getInput());
    for (auto [extent, from] : llvm::zip(shape, transpose.getPermutation()))
      extent = inner[from];
    return shape;
  }
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op)) {
    // Only reshapes that add or remove dims of extent 1 are followed.
    auto isDim = [](int64_t extent) { return extent != 1; };
    ArrayRef<int64_t> from = tensorType(reshape.getInput()).getShape();
    if (llvm::equal(llvm::make_filter_range(from, isDim),
                    llvm::make_filter_range(whole, isDim))) {
      SmallVector<int64_t> inner = coreShape(reshape.getInput());
      size_t next = 0;
      for (auto [extent, full] : llvm::zip(shape, whole)) {
        if (full == 1)
          continue;
        while (from[next] == 1)
          ++next;
        extent = inner[next++];
      }
      return shape;
    }
  }
  return SmallVector<int64_t>(whole);
}

Value pcc::recognition::buildCore(PatternRewriter &rewriter, Location loc,
                                  Value value) {
  SmallVector<int64_t> shape = coreShape(value);
  RankedTensorType type = tensorType(value);
  if (type.getShape() == ArrayRef<int64_t>(shape))
    return value;
  Operation *op = value.getDefiningOp();
  auto core = RankedTensorType::get(shape, type.getElementType());
  if (auto constant = dyn_cast<ConstantOp>(op))
    return ConstantOp::create(
        rewriter, loc, core,
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(core));
  if (auto slice = dyn_cast<SliceOp>(op)) {
    Value input = buildCore(rewriter, loc, slice.getInput());
    SmallVector<int64_t> starts(slice.getStarts()), steps(slice.getSteps());
    for (auto [start, step, extent] :
         llvm::zip(starts, steps, tensorType(input).getShape()))
      if (extent == 1)
        start = 0, step = 1;
    return SliceOp::create(rewriter, loc, core, input, starts, steps);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return TransposeOp::create(rewriter, loc, core,
                               buildCore(rewriter, loc, transpose.getInput()),
                               transpose.getPermutation());
  if (!isElementwise(op))
    return reshapeTo(rewriter, loc, buildCore(rewriter, loc, op->getOperand(0)),
                     shape);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        repeat(rewriter, loc, buildCore(rewriter, loc, operand), shape));
  Operation *made = rewriter.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(core);
  return made->getResult(0);
}
