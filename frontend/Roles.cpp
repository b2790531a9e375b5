//===- Roles.cpp - What the inputs of a model are -------------------------===//

#include "frontend/Roles.h"
#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace pcc::nn;

/// Whether a use of `value` is the given operand of an Op, seen through ops
/// that move elements; `shifted` is set where one of them changes which
/// position an element belongs to.
template <typename Op>
static bool reaches(Value value, unsigned operand, bool &shifted) {
  SmallVector<std::pair<Value, bool>> work = {{value, false}};
  llvm::DenseSet<std::pair<Value, int>> seen;
  while (!work.empty()) {
    auto [at, isShifted] = work.pop_back_val();
    for (OpOperand &use : at.getUses()) {
      Operation *user = use.getOwner();
      if (isa<Op>(user) && use.getOperandNumber() == operand) {
        shifted |= isShifted;
        return true;
      }
      bool moves = isa<SliceOp, ConcatOp, PadOp>(user);
      if (!moves && !isa<ReshapeOp, CastOp, TransposeOp>(user))
        continue;
      std::pair<Value, bool> next(user->getResult(0), isShifted || moves);
      if (seen.insert({next.first, next.second}).second)
        work.push_back(next);
    }
  }
  return false;
}

void pcc::frontend::assignRoles(func::FuncOp forward) {
  Builder builder(forward.getContext());
  BlockArgument tokens;
  for (BlockArgument argument : forward.getArguments()) {
    auto role = forward.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     kRoleAttr);
    if (!role || role.getValue() != "tokens")
      continue;
    bool shifted = false;
    if (!tokens && reaches<EmbeddingOp>(argument, 0, shifted)) {
      tokens = argument;
      continue;
    }
    bool isTargets = reaches<CrossEntropyOp>(argument, 1, shifted);
    forward.setArgAttr(argument.getArgNumber(), kRoleAttr,
                       builder.getStringAttr(!isTargets ? "data"
                                             : shifted  ? "labels"
                                                        : "targets"));
  }
}
