//===- ResetPositions.cpp - Positions within documents --------------------===//

#include "analysis/Axes.h"
#include "passes/Training/Documents/Documents.h"
#include "passes/Training/Regularity.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

ResetPositions::ResetPositions(func::FuncOp function)
    : function(function),
      starts(analysis::entryArgument(function, InputRole::DocumentStarts)) {}

Value ResetPositions::get() {
  if (reset)
    return reset;
  Value index = analysis::entryArgument(function, InputRole::Positions);
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  RankedTensorType type = tensorType(starts);
  Value all = BroadcastOp::create(builder, function.getLoc(), type, index,
                                  ArrayRef<int64_t>{1});
  return reset = SubOp::create(builder, function.getLoc(), type, all, starts);
}

std::string
ResetPositions::lookUp(OpOperand &operand, int64_t batch, int64_t sequence,
                       llvm::function_ref<void(Operation *)> visit) {
  Operation *op = operand.getOwner();
  Value core = operand.get();
  RankedTensorType type = tensorType(core);
  if (!isa<FloatType>(type.getElementType()))
    return "numbers positions";
  Value &known = found[{core.getAsOpaquePointer(), batch, sequence}];
  if (known) {
    operand.set(known);
    return "";
  }
  OpBuilder builder(op);
  auto made = [&](auto created) -> Value {
    visit(created);
    return created->getResult(0);
  };
  // The dims of `core` in the op; a repetition needs no lookup.
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  while (auto wide = core.getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> inner;
    for (int64_t dim : wide.getDims())
      inner.push_back(dims[dim]);
    dims = inner;
    core = wide.getInput();
  }
  if (auto own = llvm::find(dims, batch); own != dims.end()) {
    int64_t dim = own - dims.begin();
    if (!isUniformAlong(core, dim))
      return "varies by sample and position";
    SmallVector<int64_t> shape(tensorType(core).getShape());
    shape.erase(shape.begin() + dim);
    core = made(SelectOp::create(builder, op->getLoc(),
                                 tensorType(core).clone(shape), core, dim, 0));
    dims.erase(own);
  }
  // The rows of the table are positions.
  int64_t row = llvm::find(dims, sequence) - dims.begin();
  SmallVector<int64_t> order = {row}, shape;
  for (int64_t i = 0, rank = dims.size(); i < rank; ++i)
    if (i != row)
      order.push_back(i);
  for (int64_t i : order)
    shape.push_back(tensorType(core).getDimSize(i));
  if (!llvm::is_sorted(order))
    core = made(TransposeOp::create(
        builder, op->getLoc(), tensorType(core).clone(shape), core, order));
  bool isNumber = shape.size() == 1;
  if (isNumber) {
    shape.push_back(1);
    core = made(ReshapeOp::create(builder, op->getLoc(),
                                  tensorType(core).clone(shape), core));
  }
  // [batch, seq, the other dims in the op's order]
  SmallVector<int64_t> opDims = {batch, sequence},
                       whole(tensorType(get()).getShape());
  whole.append(shape.begin() + 1, shape.end());
  Value rows = made(EmbeddingOp::create(builder, op->getLoc(),
                                        tensorType(core).clone(whole), get(),
                                        core, /*offset=*/Value()));
  if (isNumber) {
    whole.pop_back();
    rows = made(ReshapeOp::create(builder, op->getLoc(),
                                  tensorType(rows).clone(whole), rows));
  }
  for (int64_t i : ArrayRef(order).drop_front())
    opDims.push_back(dims[i]);
  SmallVector<int64_t> sorted =
      llvm::to_vector(llvm::seq<int64_t>(0, opDims.size()));
  llvm::sort(sorted,
             [&](int64_t x, int64_t y) { return opDims[x] < opDims[y]; });
  if (!llvm::is_sorted(sorted)) {
    SmallVector<int64_t> moved;
    for (int64_t i : sorted)
      moved.push_back(whole[i]);
    rows = made(TransposeOp::create(
        builder, op->getLoc(), tensorType(rows).clone(moved), rows, sorted));
  }
  llvm::sort(opDims);
  if (static_cast<int64_t>(opDims.size()) < type.getRank())
    rows = made(BroadcastOp::create(builder, op->getLoc(), type, rows, opDims));
  operand.set(known = rows);
  return "";
}
