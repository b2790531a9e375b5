//===- BufferAssignment.cpp - Where the values of a task lie --------------===//

#include "passes/Codegen/Lower/TaskLowering.h"

using namespace mlir;
using namespace pcc;

Value TaskLowering::reshaped(Value address, ArrayRef<int64_t> shape) {
  MemRefType type = typeOf(address);
  auto wanted = MemRefType::get(shape, type.getElementType());
  if (type == wanted)
    return address;
  return rt::ViewOp::create(builder, loc, wanted, address, 0);
}

TaskLowering::Root *TaskLowering::newRoot(Root::Kind kind) {
  Root *root = roots.emplace_back(std::make_unique<Root>()).get();
  root->kind = kind;
  return root;
}

TaskLowering::Root *TaskLowering::newTemporary(MemRefType type) {
  OpBuilder outside(function);
  std::string name = (task.getSymName() + ".t" + Twine(temporaries++)).str();
  rt::BufferOp::create(outside, loc, name, type, rt::BufferKind::Temporary,
                       /*offset=*/IntegerAttr(), /*slots=*/1,
                       /*layout=*/rt::LayoutAttr());
  Root *root = newRoot(Root::Temporary);
  root->address = rt::AddressOp::create(builder, loc, type, name, 0);
  return root;
}

TaskLowering::Root *TaskLowering::stateRoot(StringRef symbol) {
  Root *&root = states[symbol];
  if (root)
    return root;
  root = newRoot(Root::State);
  auto buffer = cast<rt::BufferOp>(SymbolTable::lookupSymbolIn(stage, symbol));
  root->state = buffer.getSymName();
  root->address = rt::AddressOp::create(builder, buffer.getLoc(),
                                        buffer.getType(), symbol, 0);
  return root;
}

bool TaskLowering::isBusy(const Root &root) {
  return llvm::any_of(
      root.values, [&](Value value) { return uses.lastUse(value) > position; });
}

bool TaskLowering::isAnyIn(ValueRange values, const Root *root) {
  return llvm::any_of(
      values, [&](Value value) { return places.lookup(value).root == root; });
}

TaskLowering::Root *TaskLowering::findInplace(OpResult result,
                                              ArrayRef<unsigned> inplace) {
  Operation *op = result.getOwner();
  for (unsigned index : inplace) {
    auto from = places.find(op->getOperand(index));
    if (from == places.end())
      continue;
    Root *root = from->second.root;
    if (root->kind == Root::Argument || isBusy(*root))
      continue;
    // The value must fill the memory, and no other operand may lie in it.
    if (rt::getSpanBytes(typeOf(root->address)) !=
        rt::getSpanBytes(bufferType(result.getType())))
      continue;
    bool isShared = false;
    for (OpOperand &operand : op->getOpOperands())
      if (operand.getOperandNumber() != index &&
          places.lookup(operand.get()).root == root)
        isShared = true;
    if (isShared || isAnyIn(op->getResults(), root))
      continue;
    if (root->kind == Root::State &&
        !uses.mayOverwrite(root->state, position, result))
      continue;
    return root;
  }
  return nullptr;
}

TaskLowering::Root *TaskLowering::findState(OpResult result) {
  for (Operation *user : result.getUsers()) {
    auto write = dyn_cast<nn::WriteOp>(user);
    if (!write || !uses.mayReplace(write.getSymbol(), position, write))
      continue;
    Root *root = stateRoot(write.getSymbol());
    if (isBusy(*root))
      continue;
    Operation *op = result.getOwner();
    if (!isAnyIn(op->getOperands(), root) && !isAnyIn(op->getResults(), root))
      return root;
  }
  return nullptr;
}

TaskLowering::Root *TaskLowering::findTarget(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (isa<pipe::YieldOp>(use.getOwner()))
      return targets[use.getOperandNumber()];
    if (auto reshape = dyn_cast<nn::ReshapeOp>(use.getOwner()))
      if (Root *target = findTarget(reshape.getResult()))
        return target;
  }
  return nullptr;
}

TaskLowering::Place TaskLowering::place(OpResult result,
                                        ArrayRef<unsigned> inplace) {
  MemRefType type = bufferType(result.getType());
  Root *root = findInplace(result, inplace);
  if (!root)
    root = findState(result);
  if (!root)
    root = findTarget(result);
  if (!root)
    root = newTemporary(type);
  Place place{root, reshaped(root->address, type.getShape())};
  bind(result, place);
  return place;
}
