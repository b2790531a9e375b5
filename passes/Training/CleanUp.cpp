//===- CleanUp.cpp - Flattens sums, removes dead code ---------------------===//

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Training/Entry.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

/// Whether two ops have the same stage attributes. Sums of different segments
/// stay separate, and a forward sum must not wait for the backward.
static bool belongTogether(Operation *a, Operation *b) {
  return llvm::all_of(kStageAttrs, [&](StringRef name) {
    return a->getAttr(name) == b->getAttr(name);
  });
}

void pcc::flattenSums(func::FuncOp function) {
  // In program order, so an inner sum is already flat when it is inlined.
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

void pcc::eraseUnusedInputs(func::FuncOp function) {
  for (unsigned i = function.getNumArguments(); i-- > 0;)
    if (function.getArgument(i).use_empty())
      // Fails for attributes that do not fit the arguments; these do.
      (void)function.eraseArgument(i);
}

void pcc::removeDropout(func::FuncOp function) {
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (auto dropout = dyn_cast<DropoutOp>(op)) {
      dropout.replaceAllUsesWith(dropout.getInput());
      dropout.erase();
    } else if (auto attention = dyn_cast<AttentionOp>(op)) {
      attention.getSamplesMutable().clear();
      attention.getSeedMutable().clear();
      attention.getStepMutable().clear();
      attention.setP(APFloat(0.0));
      attention.setId(0);
    }
  }
  removeDeadOps(function);
  for (InputRole role : {InputRole::Samples, InputRole::Seed, InputRole::Step})
    if (BlockArgument arg = findInput(function, role); arg && arg.use_empty())
      // Fails for attributes that do not fit the arguments; these do.
      (void)function.eraseArgument(arg.getArgNumber());
}
