//===- TaskUses.cpp - When values and state of a task are used ------------===//

#include "passes/Codegen/Lower/TaskUses.h"
#include "dialects/Dist/Collectives.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/Kernels/Prepare.h"

using namespace mlir;
using namespace pcc;

/// The state of the module around an op, as a tensor type.
static Type stateType(Operation *op, FlatSymbolRefAttr symbol) {
  Operation *state = SymbolTable::lookupNearestSymbolFrom(op, symbol);
  if (auto param = dyn_cast_or_null<nn::ParamOp>(state))
    return param.getType();
  return cast<nn::StateOp>(state).getType();
}

/// Moves reductions of states to the start of the block, so that they stand
/// side by side. No state may have changed before. Those that join stages stay
/// in the order that these agree on: what is a state of one is zero to others.
static void hoistReductions(Block &block) {
  SmallVector<dist::AllReduceOp> found;
  for (Operation &op : block) {
    auto reduce = dyn_cast<dist::AllReduceOp>(op);
    if (reduce && !dist::joinsStages(reduce) &&
        llvm::all_of(reduce.getInputs(), [](Value input) {
          return input.getDefiningOp<nn::ReadOp>();
        }))
      found.push_back(reduce);
    else if (isa<nn::WriteOp, nn::AccumulateOp>(op))
      break;
  }
  Operation *last = nullptr;
  auto moveBehind = [&](Operation *op) {
    if (last)
      op->moveAfter(last);
    else
      op->moveBefore(&block, block.begin());
    last = op;
  };
  llvm::SmallPtrSet<Operation *, 16> moved;
  for (dist::AllReduceOp reduce : found) {
    for (Value input : reduce.getInputs())
      if (moved.insert(input.getDefiningOp()).second)
        moveBehind(input.getDefiningOp());
    moveBehind(reduce);
  }
}

TaskUses::TaskUses(Block &block) {
  hoistReductions(block);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto accumulate = dyn_cast<nn::AccumulateOp>(op);
    if (!accumulate)
      continue;
    nn::ContractOp contract = codegen::findProduct(accumulate.getValue());
    auto state = cast<RankedTensorType>(
        stateType(accumulate, accumulate.getSymbolAttr()));
    if (!contract ||
        contract.getType().getElementType() != state.getElementType())
      continue;
    // The product is made where it is added, from operands that live till then.
    Operation *place = &op;
    for (Value value = accumulate.getValue();;) {
      Operation *maker = value.getDefiningOp();
      maker->moveBefore(place);
      place = maker;
      if (maker == contract)
        break;
      value = cast<nn::ReshapeOp>(maker).getInput();
    }
    accumulated[accumulate] = contract;
    fused.insert(contract);
  }
  unsigned position = 0;
  for (Operation &op : block) {
    positions[&op] = ++position;
    StringRef state;
    if (auto read = dyn_cast<nn::ReadOp>(op))
      state = read.getSymbol();
    else if (auto write = dyn_cast<nn::WriteOp>(op))
      state = write.getSymbol();
    else if (auto accumulate = dyn_cast<nn::AccumulateOp>(op))
      state = accumulate.getSymbol();
    if (!state.empty())
      events[state].push_back({position, &op});
  }
}

unsigned TaskUses::lastUse(Value value) const {
  unsigned last = 0;
  for (Operation *user : value.getUsers()) {
    last = std::max(last, positionOf(user));
    // What may be a view uses the value as long as it is used itself.
    if (codegen::isAlias(user))
      last = std::max(last, lastUse(user->getResult(0)));
  }
  return last;
}

ArrayRef<TaskUses::Event> TaskUses::eventsOf(StringRef state) const {
  auto found = events.find(state);
  return found == events.end() ? ArrayRef<Event>() : found->second;
}

bool TaskUses::isChangedBefore(StringRef state, unsigned after,
                               unsigned until) const {
  return llvm::any_of(eventsOf(state), [&](const Event &event) {
    return event.position > after && event.position < until &&
           !isa<nn::ReadOp>(event.op);
  });
}

bool TaskUses::mayOverwrite(StringRef state, unsigned at, Value result) const {
  for (const Event &event : eventsOf(state)) {
    if (event.position <= at)
      continue;
    auto write = dyn_cast<nn::WriteOp>(event.op);
    if (!write)
      return false;
    if (write.getValue() == result)
      return mayReplace(state, at, write);
    return lastUse(result) < event.position;
  }
  return false;
}

bool TaskUses::mayReplace(StringRef state, unsigned at,
                          nn::WriteOp write) const {
  unsigned written = positionOf(write);
  for (const Event &event : eventsOf(state))
    if (event.position > at && event.position < written)
      return false;
  return !isChangedBefore(state, written, lastUse(write.getValue()));
}
