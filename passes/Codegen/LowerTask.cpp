//===- LowerTask.cpp - One task as an rt function -------------------------===//

#include "passes/Codegen/LowerTask.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/TaskLowering.h"

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
  return success();
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
  if (!uses.isChangedBefore(op.getSymbol(), position,
                            uses.lastUse(op.getResult()))) {
    bind(op.getResult(), {state, state->address});
    return success();
  }
  // The old value is needed beyond the change.
  Place to = place(op->getOpResult(0));
  rt::CopyOp::create(builder, loc, to.address, state->address);
  return success();
}

LogicalResult TaskLowering::lowerWrite(nn::WriteOp op) {
  Root *state = stateRoot(op.getSymbol());
  Operation *value = op.getValue().getDefiningOp();
  if (value && codegen::isCleared(value)) {
    rt::ZeroOp::create(builder, loc, state->address);
    return success();
  }
  Place from = places.lookup(op.getValue());
  if (from.root != state)
    rt::CopyOp::create(builder, loc, state->address, from.address);
  return success();
}

LogicalResult TaskLowering::lowerAccumulate(nn::AccumulateOp op) {
  Root *state = stateRoot(op.getSymbol());
  if (nn::ContractOp contract = uses.getAccumulated(op))
    return emitGemm(contract,
                    reshaped(state->address, contract.getType().getShape()),
                    /*accumulate=*/true);
  emitAdd(state->address, addressOf(op.getValue()));
  return success();
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

void TaskLowering::emitLaunch(func::FuncOp kernel, Operation *op,
                              ValueRange operands) {
  SmallVector<Value> ins, outs;
  for (Value operand : operands)
    ins.push_back(addressOf(operand));
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
    bool isInplace =
        reused && places.lookup(operands[reused.getInt()]).root == to.root;
    inplace.push_back(isInplace ? reused.getInt() : -1);
    isAnyInplace |= isInplace;
  }
  rt::LaunchOp::create(builder, loc, kernel.getSymName(), ins, outs,
                       isAnyInplace ? builder.getDenseI64ArrayAttr(inplace)
                                    : DenseI64ArrayAttr());
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
    Place from = places.lookup(value);
    if (from.root != target)
      rt::CopyOp::create(builder, loc, target->address, from.address);
  }
  return success();
}

Value TaskLowering::emitTranspose(Value from, ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> permutation, Value to) {
  auto tensor = RankedTensorType::get(shape, typeOf(from).getElementType());
  func::FuncOp kernel = kernels.getTranspose(tensor, permutation);
  MemRefType result = bufferType(kernel.getResultTypes()[0]);
  if (!to)
    to = newTemporary(result)->address;
  rt::LaunchOp::create(builder, loc, kernel.getSymName(), reshaped(from, shape),
                       reshaped(to, result.getShape()), DenseI64ArrayAttr());
  return to;
}

void TaskLowering::emitAdd(Value state, Value added) {
  auto tensorOf = [](Value address) {
    MemRefType type = typeOf(address);
    return RankedTensorType::get(type.getShape(), type.getElementType());
  };
  func::FuncOp kernel = kernels.getAdd(tensorOf(state), tensorOf(added));
  rt::LaunchOp::create(builder, loc, kernel.getSymName(),
                       ValueRange{state, added}, state,
                       builder.getDenseI64ArrayAttr(0));
}
