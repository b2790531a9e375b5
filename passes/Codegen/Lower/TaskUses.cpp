//===- TaskUses.cpp - Uses of the values of a body ------------------------===//

#include "passes/Codegen/Lower/TaskUses.h"
#include "dialects/Dist/Collectives.h"
#include "passes/Codegen/Kernels/Accumulation.h"
#include "passes/Codegen/Kernels/Group.h"

using namespace mlir;
using namespace pcc;

/// Moves all_reduces of arguments to the start of the block, so that they are
/// adjacent. Those over several stages keep their order, which all stages must
/// agree on; another stage may reduce a zero instead of an argument.
static void hoistReductions(Block &block) {
  SmallVector<dist::AllReduceOp> found;
  for (auto reduce : block.getOps<dist::AllReduceOp>())
    if (!dist::spansStages(reduce) &&
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
    // The op moves to the sum, and its operands are live until then. Its other
    // results must not be needed earlier.
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
    // A possible view uses the value as long as the view is used.
    if (codegen::isAlias(user))
      last = std::max(last, lastUse(user->getResult(0)));
  }
  return last;
}
