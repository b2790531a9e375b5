//===- LowerTask.cpp - Lowering of a body to an rt function ---------------===//

#include "passes/Codegen/Lower/LowerTask.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/Kernels/Stack.h"
#include "passes/Codegen/Lower/TaskLowering.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;

MemRefType pcc::bufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

LogicalResult pcc::lowerBody(pipe::BodyOp body, rt::StageOp stage,
                             SingleOpKernels &kernels) {
  return TaskLowering(body, stage, kernels).run();
}

LogicalResult TaskLowering::run() {
  builder.setInsertionPointToEnd(stage.getBlock());
  function = rt::FuncOp::create(builder, body.getLoc(), body.getSymName(),
                                /*frame=*/0, body.getGivesUpAttr());
  Block *block = builder.createBlock(&function.getBody());
  builder.setInsertionPointToEnd(block);

  auto addArgument = [&](Root::Kind kind, Type type) {
    Root *root = newRoot(kind);
    root->address = block->addArgument(bufferType(type), body.getLoc());
    return root;
  };
  SmallVector<Root *> taken;
  for (BlockArgument arg : body.getBlock()->getArguments()) {
    bool isReplaced = body.getReplacing(arg.getArgNumber()) ||
                      body.isDeadAfterCall(arg.getArgNumber());
    taken.push_back(addArgument(isReplaced ? Root::Replaced : Root::Constant,
                                arg.getType()));
    bind(arg, {taken.back(), taken.back()->address});
  }
  for (auto [i, result] : llvm::enumerate(body.getResults())) {
    std::optional<unsigned> replaced = body.getReplaced(i);
    targets.push_back(replaced ? taken[*replaced]
                               : addArgument(Root::Given, result.getType()));
  }

  for (Operation &op : *body.getBlock()) {
    position = uses.positionOf(&op);
    loc = op.getLoc();
    if (failed(lower(&op)))
      return failure();
  }
  noteEnds();
  return success();
}

void TaskLowering::noteEnds() {
  SmallVector<int64_t> held, left;
  for (BlockArgument arg : body.getBlock()->getArguments()) {
    auto replacing = body.getReplacing(arg.getArgNumber());
    held.push_back(numberOf(arg));
    left.push_back(
        body.isDeadAfterCall(arg.getArgNumber())
            ? -1
            : numberOf(replacing ? Value(body.getResults()[*replacing]) : arg));
  }
  for (auto [i, result] : llvm::enumerate(body.getResults()))
    if (!body.getReplaced(i)) {
      held.push_back(-1);
      left.push_back(numberOf(result));
    }
  llvm::append_range(held, left);
  note(function, held);
  if (!views.empty())
    function->setAttr(rt::kViewsAttr, builder.getDenseI64ArrayAttr(views));
  if (!llvm::any_of(layouts, [](Attribute layout) { return !!layout; }))
    return;
  for (Attribute &layout : layouts)
    if (!layout)
      layout = builder.getUnitAttr();
  function->setAttr(rt::kLayoutsAttr, builder.getArrayAttr(layouts));
}

LogicalResult TaskLowering::lower(Operation *op) {
  // The library has written the result in place.
  if (codegen::findStacked(op))
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](nn::SumOp op) { return lowerSum(op); })
      .Case([&](nn::ContractOp op) { return lowerProduct(op); })
      .Case([&](nn::GroupedContractOp op) { return lowerGrouped(op); })
      .Case([&](nn::AttentionOp op) { return lowerAttention(op); })
      .Case([&](nn::AttentionGradOp op) { return lowerAttentionGrad(op); })
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
        return LogicalResult(op->emitOpError("cannot be part of a body"));
      });
}

LogicalResult TaskLowering::lowerConstant(nn::ConstantOp op) {
  // The end of the body zeros the memory; the value has no buffer.
  return codegen::isCleared(op) ? success() : lowerAsKernel(op);
}

LogicalResult TaskLowering::lowerSum(nn::SumOp op) {
  Operation *added = uses.getAdded(op);
  if (!added)
    return lowerAsKernel(op);
  Value before = op.getInputs().front();
  Storage place = places.lookup(before);
  bind(op.getResult(), place);
  if (auto scatter = dyn_cast<dist::ReduceScatterOp>(added)) {
    emitReduceScatter(scatter, contentOf(op.getResult()), numberOf(before));
    return success();
  }
  if (auto grouped = dyn_cast<nn::GroupedContractOp>(added)) {
    Value sum = reshaped(place.address, grouped.getType().getShape());
    return emitGrouped(grouped, {sum, numberOf(op.getResult())},
                       numberOf(before));
  }
  codegen::FusedGemm product = *codegen::readGemm(added);
  auto type = cast<RankedTensorType>(product.result.getType());
  Value sum = reshaped(place.address, type.getShape());
  return emitGemm(product, {sum, numberOf(op.getResult())}, numberOf(before));
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
    Storage to = place(result, candidates);
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
  if (codegen::isGemm(op))
    return lowerProduct(op);
  func::FuncOp kernel = kernels.lookup(op.getCallee());
  if (!kernel || !kernel->hasAttr(rt::kKernelAttr))
    return op.emitOpError()
           << "calls " << op.getCalleeAttr() << ", which is not a kernel";
  emitLaunch(kernel, op, op.getOperands());
  return success();
}

LogicalResult TaskLowering::lowerAsKernel(Operation *op) {
  for (Value operand : op->getOperands())
    if (!rt::isContiguous(typeOf(addressOf(operand))))
      return op->emitOpError() << "needs contiguous operands";
  SetVector<Value> operands(op->operand_begin(), op->operand_end());
  emitLaunch(kernels.get(op), op, operands.getArrayRef());
  return success();
}

LogicalResult TaskLowering::lowerYield(pipe::YieldOp op) {
  struct Move {
    Content from;
    Root *root, *target;
  };
  SmallVector<Move> given, replacing;
  SmallVector<std::pair<Root *, int64_t>> cleared;
  for (auto [value, target] : llvm::zip(op.getResults(), targets)) {
    Operation *maker = value.getDefiningOp();
    if (maker && codegen::isCleared(maker))
      cleared.push_back({target, numberOf(value)});
    else if (Root *root = places.lookup(value).root; root != target)
      (target->kind == Root::Given ? given : replacing)
          .push_back({contentOf(value), root, target});
  }
  for (const Move &move : given)
    emitCopy(move.from, move.target->address);
  // A value is moved out of a target before the target is overwritten. If
  // results swap places, one of them goes through a temporary.
  auto isRead = [&](const Root *root) {
    return llvm::any_of(replacing,
                        [&](const Move &move) { return move.root == root; });
  };
  while (!replacing.empty()) {
    Move *next = llvm::find_if(
        replacing, [&](const Move &move) { return !isRead(move.target); });
    if (next == replacing.end()) {
      next = replacing.begin();
      for (Move &move : replacing)
        if (move.root == next->target) {
          move.root = newTemporary(typeOf(move.from.buffer));
          emitCopy(move.from, move.root->address);
          move.from.buffer = move.root->address;
        }
    }
    emitCopy(next->from, next->target->address);
    replacing.erase(next);
  }
  for (auto [target, number] : cleared)
    note(rt::ZeroOp::create(builder, loc, target->address), number);
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
