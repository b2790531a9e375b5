//===- LowerTask.cpp - One task as an rt function -------------------------===//

#include "passes/Codegen/Lower/LowerTask.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/Lower/TaskLowering.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;

MemRefType pcc::bufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

LogicalResult pcc::lowerTask(pipe::TaskOp task, rt::StageOp stage,
                             SingleOpKernels &kernels) {
  return TaskLowering(task, stage, kernels).run();
}

LogicalResult TaskLowering::run() {
  builder.setInsertionPointToEnd(stage.getBlock());
  function = rt::FuncOp::create(builder, task.getLoc(), task.getSymName());
  Block *block = builder.createBlock(&function.getBody());
  builder.setInsertionPointToEnd(block);

  auto addArgument = [&](Type type) {
    Root *root = newRoot(Root::Argument);
    root->address = block->addArgument(bufferType(type), task.getLoc());
    return root;
  };
  for (BlockArgument arg : task.getBlock()->getArguments()) {
    Root *root = addArgument(arg.getType());
    bind(arg, {root, root->address});
  }
  for (Type type : task.getBlock()->getTerminator()->getOperandTypes())
    targets.push_back(addArgument(type));

  for (Operation &op : *task.getBlock()) {
    position = uses.positionOf(&op);
    loc = op.getLoc();
    if (failed(lower(&op)))
      return failure();
  }
  noteEnd();
  return success();
}

void TaskLowering::noteEnd() {
  SmallVector<int64_t> held;
  for (BlockArgument arg : task.getBlock()->getArguments())
    held.push_back(numberOf(arg));
  for (Value yielded : task.getBlock()->getTerminator()->getOperands())
    held.push_back(numberOf(yielded));
  note(function, held);
  SmallVector<NamedAttribute> ends;
  for (auto [state, number] : stateNumbers)
    ends.push_back(
        builder.getNamedAttr(state, builder.getI64IntegerAttr(number)));
  function->setAttr(rt::kStateValuesAttr, builder.getDictionaryAttr(ends));
}

LogicalResult TaskLowering::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](nn::ReadOp op) { return lowerRead(op); })
      .Case([&](nn::WriteOp op) { return lowerWrite(op); })
      .Case([&](nn::AccumulateOp op) { return lowerAccumulate(op); })
      .Case([&](nn::ContractOp op) { return lowerContract(op); })
      .Case([&](func::CallOp op) { return lowerCall(op); })
      .Case([&](pipe::YieldOp op) { return lowerYield(op); })
      .Case([&](dist::AllReduceOp op) { return lowerAllReduce(op); })
      .Case([&](dist::AllGatherOp op) { return lowerAllGather(op); })
      .Case([&](dist::ReduceScatterOp op) { return lowerReduceScatter(op); })
      .Case([&](dist::AllToAllOp op) { return lowerAllToAll(op); })
      .Case([&](dist::ShardSliceOp op) { return lowerShardSlice(op); })
      .Case([&](dist::OffsetOp op) { return lowerOffset(op); })
      .Case([&](nn::ConstantOp op) { return lowerConstant(op); })
      .Case([&](nn::ReshapeOp op) { return lowerReshape(op); })
      .Case<nn::SelectOp, nn::SliceOp, nn::TransposeOp>([&](auto op) {
        return lowerAsView(op, op.getInput()) ? success() : lowerAsKernel(op);
      })
      .Default([&](Operation *op) {
        if (isa_and_nonnull<nn::NNDialect>(op->getDialect()))
          return lowerAsKernel(op);
        return LogicalResult(op->emitOpError("cannot be part of a task"));
      });
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

LogicalResult TaskLowering::lowerConstant(nn::ConstantOp op) {
  // The writes clear the states; the value itself lies nowhere.
  return codegen::isCleared(op) ? success() : lowerAsKernel(op);
}

LogicalResult TaskLowering::lowerRead(nn::ReadOp op) {
  Root *state = stateRoot(op.getSymbol());
  numbers[op.getResult()] = stateNumber(op.getSymbol());
  if (!uses.isChangedBefore(op.getSymbol(), position,
                            uses.lastUse(op.getResult()))) {
    bind(op.getResult(), {state, state->address});
    return success();
  }
  // The old value is needed beyond the change.
  Place to = place(op->getOpResult(0));
  emitCopy({state->address, numberOf(op.getResult())}, to.address);
  return success();
}

LogicalResult TaskLowering::lowerWrite(nn::WriteOp op) {
  Root *state = stateRoot(op.getSymbol());
  Operation *value = op.getValue().getDefiningOp();
  if (value && codegen::isCleared(value)) {
    stateNumber(op.getSymbol()) = newNumber();
    note(rt::ZeroOp::create(builder, loc, state->address),
         stateNumber(op.getSymbol()));
    return success();
  }
  if (places.lookup(op.getValue()).root != state)
    emitCopy(contentOf(op.getValue()), state->address);
  stateNumber(op.getSymbol()) = numberOf(op.getValue());
  return success();
}

LogicalResult TaskLowering::lowerAccumulate(nn::AccumulateOp op) {
  Root *state = stateRoot(op.getSymbol());
  int64_t before = stateNumber(op.getSymbol());
  int64_t number = stateNumber(op.getSymbol()) = newNumber();
  if (nn::ContractOp contract = uses.getAccumulated(op)) {
    Value sum = reshaped(state->address, contract.getType().getShape());
    return emitGemm(contract, {sum, number}, before);
  }
  emitAdd({state->address, number}, before, contentOf(op.getValue()));
  return success();
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

void TaskLowering::emitLaunch(func::FuncOp kernel, Operation *op,
                              ValueRange operands) {
  SmallVector<Value> ins, outs;
  SmallVector<int64_t> values;
  for (Value operand : operands) {
    ins.push_back(addressOf(operand));
    values.push_back(numberOf(operand));
  }
  SmallVector<int64_t> inplace;
  bool isAnyInplace = false;
  for (OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    auto reused =
        kernel.getResultAttrOfType<IntegerAttr>(index, rt::kInplaceAttr);
    SmallVector<unsigned> candidates;
    if (reused)
      candidates.push_back(reused.getInt());
    Place to = place(result, candidates);
    outs.push_back(to.address);
    values.push_back(numberOf(result));
    bool isInplace =
        reused && places.lookup(operands[reused.getInt()]).root == to.root;
    inplace.push_back(isInplace ? reused.getInt() : -1);
    isAnyInplace |= isInplace;
  }
  note(rt::LaunchOp::create(builder, loc, kernel.getSymName(), ins, outs,
                            isAnyInplace ? builder.getDenseI64ArrayAttr(inplace)
                                         : DenseI64ArrayAttr()),
       values);
}

LogicalResult TaskLowering::lowerCall(func::CallOp op) {
  auto kernel = dyn_cast_or_null<func::FuncOp>(SymbolTable::lookupSymbolIn(
      task->getParentOfType<ModuleOp>(), op.getCalleeAttr()));
  if (!kernel || !kernel->hasAttr(rt::kKernelAttr))
    return op.emitOpError()
           << "calls " << op.getCalleeAttr() << ", which is no kernel";
  emitLaunch(kernel, op, op.getOperands());
  return success();
}

LogicalResult TaskLowering::lowerAsKernel(Operation *op) {
  for (Value operand : op->getOperands())
    if (!rt::isContiguous(typeOf(addressOf(operand))))
      return op->emitOpError() << "needs operands that lie row major";
  SetVector<Value> operands(op->operand_begin(), op->operand_end());
  emitLaunch(kernels.get(op), op, operands.getArrayRef());
  return success();
}

LogicalResult TaskLowering::lowerYield(pipe::YieldOp op) {
  for (auto [value, target] : llvm::zip(op.getResults(), targets)) {
    if (places.lookup(value).root != target)
      emitCopy(contentOf(value), target->address);
  }
  return success();
}

void TaskLowering::emitCopy(Content from, Value to) {
  note(rt::CopyOp::create(builder, loc, to, from.buffer),
       {from.number, from.number});
}

TaskLowering::Content
TaskLowering::emitTranspose(Content from, ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> permutation) {
  auto moved =
      llvm::map_to_vector(permutation, [&](int64_t dim) { return shape[dim]; });
  auto type = MemRefType::get(moved, typeOf(from.buffer).getElementType());
  Content to = {newTemporary(type)->address, newNumber()};
  emitTranspose(from, shape, permutation, to);
  return to;
}

void TaskLowering::emitTranspose(Content from, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> permutation, Content to) {
  auto tensor =
      RankedTensorType::get(shape, typeOf(from.buffer).getElementType());
  func::FuncOp kernel = kernels.getTranspose(tensor, permutation);
  MemRefType result = bufferType(kernel.getResultTypes()[0]);
  note(rt::LaunchOp::create(
           builder, loc, kernel.getSymName(), reshaped(from.buffer, shape),
           reshaped(to.buffer, result.getShape()), DenseI64ArrayAttr()),
       {from.number, to.number});
}

void TaskLowering::emitAdd(Content sum, int64_t before, Content added) {
  auto tensorOf = [](Value address) {
    MemRefType type = typeOf(address);
    return RankedTensorType::get(type.getShape(), type.getElementType());
  };
  func::FuncOp kernel =
      kernels.getAdd(tensorOf(sum.buffer), tensorOf(added.buffer));
  note(rt::LaunchOp::create(builder, loc, kernel.getSymName(),
                            ValueRange{sum.buffer, added.buffer}, sum.buffer,
                            builder.getDenseI64ArrayAttr(0)),
       {before, added.number, sum.number});
}
