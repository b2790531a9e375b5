//===- CleanUp.cpp - Flat sums and dead code ------------------------------===//

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Training/Entry.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

/// A stage's sum is the stage's work, and what is summed in the forward pass
/// must not wait for the backward.
static bool belongTogether(Operation *a, Operation *b) {
  return a->getAttr(kStageAttr) == b->getAttr(kStageAttr) &&
         a->hasAttr(kBackwardAttr) == b->hasAttr(kBackwardAttr);
}

void pcc::flattenSums(func::FuncOp function) {
  // In program order, so that an inner sum is flat when it is taken over.
  for (SumOp sum :
       llvm::make_early_inc_range(function.getBody().getOps<SumOp>())) {
    SmallVector<Value> inputs;
    SmallVector<SumOp> inner;
    for (Value input : sum.getInputs()) {
      auto part = input.getDefiningOp<SumOp>();
      if (part && input.hasOneUse() && belongTogether(part, sum)) {
        llvm::append_range(inputs, part.getInputs());
        inner.push_back(part);
      } else {
        inputs.push_back(input);
      }
    }
    if (inner.empty())
      continue;
    sum.getInputsMutable().assign(inputs);
    for (SumOp part : inner)
      part.erase();
  }
}

void pcc::removeDeadOps(func::FuncOp function) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}
