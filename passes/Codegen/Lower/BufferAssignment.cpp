//===- BufferAssignment.cpp - Assignment of values to buffers -------------===//

#include "passes/Codegen/Kernels/Group.h"
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
  Root *root = newRoot(Root::Temporary);
  root->address =
      rt::TemporaryOp::create(builder, loc, type, /*offset=*/IntegerAttr());
  return root;
}

bool TaskLowering::isReadLater(const Root &root) {
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
    if (root->kind == Root::Constant || root->kind == Root::Given ||
        isReadLater(*root))
      continue;
    // The value must fill the allocation, and no other operand may use it.
    if (rt::getSpanBytes(typeOf(root->address)) !=
        rt::getSpanBytes(bufferType(result.getType())))
      continue;
    bool isShared = false;
    for (OpOperand &operand : op->getOpOperands())
      if (operand.getOperandNumber() != index &&
          places.lookup(operand.get()).root == root)
        isShared = true;
    if (!isShared && !isAnyIn(op->getResults(), root))
      return root;
  }
  return nullptr;
}

OpResult TaskLowering::resultInPlaceOf(OpOperand &operand) {
  auto call = dyn_cast<func::CallOp>(operand.getOwner());
  func::FuncOp kernel =
      call ? kernels.lookup(call.getCallee()) : func::FuncOp();
  if (!kernel)
    return {};
  for (OpResult result : call.getResults())
    if (auto reused = kernel.getResultAttrOfType<IntegerAttr>(
            result.getResultNumber(), rt::kInplaceAttr);
        reused && reused.getInt() == int64_t(operand.getOperandNumber()))
      return result;
  return {};
}

void TaskLowering::findEnds(Value value, SmallVectorImpl<Root *> &ends) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (isa<pipe::YieldOp>(user))
      ends.push_back(targets[number]);
    else if (auto sum = dyn_cast<nn::SumOp>(user);
             isa<nn::ReshapeOp>(user) ||
             (sum && uses.getAdded(sum) && number == 0))
      findEnds(user->getResult(0), ends);
    else if (OpResult result = resultInPlaceOf(use))
      findEnds(result, ends);
  }
}

TaskLowering::Root *TaskLowering::findReplaced(OpResult result) {
  Operation *op = result.getOwner();
  SmallVector<Root *> ends;
  findEnds(result, ends);
  for (Root *root : ends)
    if (root->kind == Root::Replaced && !isReadLater(*root) &&
        !isAnyIn(op->getOperands(), root) && !isAnyIn(op->getResults(), root))
      return root;
  return nullptr;
}

/// Returns the value that `value` is a view of, through all aliases, like
/// TaskUses.
static Value viewedBy(Value value) {
  for (Operation *maker = value.getDefiningOp();
       maker && codegen::isAlias(maker); maker = value.getDefiningOp())
    value = maker->getOperand(0);
  return value;
}

bool TaskLowering::isLastOf(OpOperand &operand) {
  Operation *op = operand.getOwner();
  Value value = viewedBy(operand.get());
  auto isIt = [&](Value other) { return viewedBy(other) == value; };
  return uses.lastUse(value) == uses.positionOf(op) &&
         llvm::count_if(op->getOperands(), isIt) == 1;
}

TaskLowering::Root *TaskLowering::findTarget(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (isa<pipe::YieldOp>(use.getOwner())) {
      Root *root = targets[use.getOperandNumber()];
      if (root->kind == Root::Given)
        return root;
    }
    if (auto reshape = dyn_cast<nn::ReshapeOp>(use.getOwner()))
      if (Root *target = findTarget(reshape.getResult()))
        return target;
    // The result of a kernel that overwrites its operand, if this is the last
    // use of the operand.
    if (OpResult result = resultInPlaceOf(use); result && isLastOf(use))
      if (Root *target = findTarget(result))
        return target;
  }
  return nullptr;
}

TaskLowering::Storage TaskLowering::place(OpResult result,
                                          ArrayRef<unsigned> inplace) {
  MemRefType type = bufferType(result.getType());
  // The final buffer is the first choice: otherwise the value would be copied
  // there.
  Root *root = findTarget(result);
  if (!root)
    root = findInplace(result, inplace);
  if (!root)
    root = findReplaced(result);
  if (!root)
    root = newTemporary(type);
  Storage place{root, reshaped(root->address, type.getShape())};
  bind(result, place);
  return place;
}
