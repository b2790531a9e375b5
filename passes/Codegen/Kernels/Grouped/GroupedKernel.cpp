//===- GroupedKernel.cpp - Kernels of grouped contractions ----------------===//

#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

bool codegen::isByTiles(nn::GroupedContractOp op) {
  return op->hasAttr(kByTilesAttr);
}

static Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<nn::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

nn::GroupedContractOp codegen::findTiledSum(Value value) {
  while (value.hasOneUse()) {
    if (auto op = value.getDefiningOp<nn::GroupedContractOp>())
      return op.sumsRows() && isByTiles(op) ? op : nn::GroupedContractOp();
    auto reshape = value.getDefiningOp<nn::ReshapeOp>();
    if (!reshape)
      break;
    value = reshape.getInput();
  }
  return {};
}

nn::GroupedContractOp codegen::findGrouped(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (auto grouped = dyn_cast<nn::GroupedContractOp>(op))
      return grouped;
  return {};
}

static SmallVector<Operation *> opsOf(func::FuncOp kernel) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  return ops;
}

nn::GroupedContractOp codegen::findGrouped(func::FuncOp kernel) {
  return findGrouped(opsOf(kernel));
}

std::optional<GroupedKernel> GroupedKernel::find(ArrayRef<Operation *> ops,
                                                 ArrayRef<Value> arguments,
                                                 ArrayRef<Value> results,
                                                 std::string *why) {
  auto fail = [&](const Twine &reason) -> std::optional<GroupedKernel> {
    if (why)
      *why = reason.str();
    return std::nullopt;
  };
  GroupedKernel kernel;
  kernel.op = findGrouped(ops);
  if (!kernel.op)
    return fail("it has no grouped contraction");
  if (results.size() != 1)
    return fail("a grouped contraction has one result");
  kernel.result = results.front();
  Value made = throughReshapes(kernel.result);
  auto sum = made.getDefiningOp<nn::SumOp>();
  if (sum) {
    if (sum.getInputs().size() != 2 || !kernel.op.sumsRows())
      return fail("a sum over rows is added to one value");
    kernel.before = throughReshapes(sum.getInputs()[0]);
    made = throughReshapes(sum.getInputs()[1]);
  }
  if (made != kernel.op.getResult())
    return fail("its result is not that of a grouped contraction");
  for (Operation *op : ops)
    if (op != kernel.op && op != sum && !isa<nn::ReshapeOp>(op))
      return fail("'" + op->getName().getStringRef() +
                  "' cannot be together with a grouped contraction");
  kernel.lhs = throughReshapes(kernel.op.getLhs());
  kernel.rhs = throughReshapes(kernel.op.getRhs());
  kernel.ends = throughReshapes(kernel.op.getEnds());
  for (Value read : {kernel.lhs, kernel.rhs, kernel.ends, kernel.before})
    if (read && !llvm::is_contained(arguments, read))
      return fail("a grouped contraction reads whole buffers");
  return kernel;
}

GroupedKernel GroupedKernel::of(func::FuncOp kernel) {
  SmallVector<Value> arguments(kernel.getArguments()),
      results(kernel.getBody().front().getTerminator()->getOperands());
  return *find(opsOf(kernel), arguments, results);
}

GroupedSizes::GroupedSizes(nn::GroupedContractOp op) {
  form = op.sumsRows()                  ? Sums
         : op.getForm() == "rk,enk->rn" ? Transposed
                                        : Plain;
  Value matrices = form == Sums ? op.getResult() : op.getRhs();
  auto shape = nn::tensorType(matrices).getShape();
  rows = nn::tensorType(op.getLhs()).getDimSize(0);
  groups = shape[0], n = shape[1], k = shape[2];
}

GroupedBuffers::GroupedBuffers(const GroupedKernel &kernel,
                               ValueRange buffers) {
  auto bufferOf = [&](Value argument) {
    return buffers[cast<BlockArgument>(argument).getArgNumber()];
  };
  lhs = bufferOf(kernel.lhs), rhs = bufferOf(kernel.rhs);
  ends = bufferOf(kernel.ends);
  if (kernel.before)
    before = bufferOf(kernel.before);
  result = buffers.back();
}
