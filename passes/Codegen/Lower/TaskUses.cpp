//===- TaskUses.cpp - When the values of a body are used ------------------===//

#include "passes/Codegen/Lower/TaskUses.h"
#include "dialects/Dist/Collectives.h"
#include "passes/Codegen/Kernels/Accumulation.h"
#include "passes/Codegen/Kernels/Group.h"

using namespace mlir;
using namespace pcc;

/// Moves reductions of arguments to the start of the block, so that they stand
/// side by side. Those that join stages stay in the order that these agree on:
/// what is a state of one is zero to others.
static void hoistReductions(Block &block) {
  SmallVector<dist::AllReduceOp> found;
  for (auto reduce : block.getOps<dist::AllReduceOp>())
    if (!dist::joinsStages(reduce) &&
        llvm::all_of(reduce.getInputs(), llvm::IsaPred<BlockArgument>))
      found.push_back(reduce);
  for (dist::AllReduceOp reduce : llvm::reverse(found))
    reduce->moveBefore(&block, block.begin());
}

TaskUses::TaskUses(Block &block) {
  hoistReductions(block);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    Operation *adding = codegen::getAdding(&op);
    if (!adding || getElementTypeOrSelf(adding->getResult(0)) !=
                       cast<nn::SumOp>(op).getType().getElementType())
      continue;
    // It is made where it is added, from operands that live till then. What it
    // makes besides must not be needed earlier.
    if (llvm::any_of(adding->getUsers(), [&](Operation *user) {
          return user->getBlock() == &block && user->isBeforeInBlock(&op) &&
                 !isa<nn::ReshapeOp>(user);
        }))
      continue;
    Operation *place = &op;
    for (Value value = op.getOperand(1);;) {
      Operation *maker = value.getDefiningOp();
      maker->moveBefore(place);
      place = maker;
      if (maker == adding)
        break;
      value = cast<nn::ReshapeOp>(maker).getInput();
    }
    added[&op] = adding;
    fused.insert(adding);
  }
  unsigned position = 0;
  for (Operation &op : block)
    positions[&op] = ++position;
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
