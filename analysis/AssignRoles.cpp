//===- AssignRoles.cpp - Roles of inputs from their uses ------------------===//

#include "analysis/AssignRoles.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Roles.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace pcc::nn;

/// Whether an op looks up one number for each id, such as class weights in a
/// loss.
static bool looksUpNumbers(Operation *op) {
  auto lookup = dyn_cast<EmbeddingOp>(op);
  return lookup && tensorType(lookup.getTable()).getShape().back() == 1;
}

/// Whether `value` is the given operand of an Op, directly or through casts and
/// ops that move elements, for embeddings also through nn.where (unless the
/// lookup is of numbers). `shifted` is set if one of these ops is a slice, pad
/// or concatenation.
template <typename Op>
static bool reaches(Value value, unsigned operand, bool &shifted) {
  SmallVector<std::pair<Value, bool>> work = {{value, false}};
  llvm::DenseSet<Value> replaced;
  llvm::DenseSet<std::pair<Value, int>> seen;
  while (!work.empty()) {
    auto [at, isShifted] = work.pop_back_val();
    for (OpOperand &use : at.getUses()) {
      Operation *user = use.getOwner();
      if (isa<Op>(user) && use.getOperandNumber() == operand &&
          !(replaced.contains(at) && looksUpNumbers(user))) {
        shifted |= isShifted;
        return true;
      }
      // Ids with a special meaning may be replaced by padding before the
      // lookup.
      bool replaces = std::is_same_v<Op, EmbeddingOp> && isa<WhereOp>(user) &&
                      use.getOperandNumber() > 0;
      // A token stays one of a sequence. Not so in a select, which leaves one
      // token of each sample, or in a broadcast.
      bool moves = isa<SliceOp, ConcatOp, PadOp>(user);
      if (!moves && !replaces && !permutesElements(user) && !isa<CastOp>(user))
        continue;
      std::pair<Value, bool> next(user->getResult(0), isShifted || moves);
      if (replaces || replaced.contains(at))
        replaced.insert(next.first);
      if (seen.insert({next.first, next.second}).second)
        work.push_back(next);
    }
  }
  return false;
}

void pcc::analysis::assignTargets(func::FuncOp forward) {
  // At most one input has this role; targets of other losses are data, found by
  // their names.
  BlockArgument targets;
  bool isShifted = false;
  for (BlockArgument argument : forward.getArguments()) {
    std::optional<InputRole> role = roleOf(argument);
    if (role == InputRole::Targets || role == InputRole::Labels)
      return;
    RankedTensorType type = tensorType(argument);
    bool shifted = false,
         isCalledSo = inputName(forward, argument.getArgNumber()) == "labels";
    if (role != InputRole::Data || (targets && !isCalledSo) ||
        type.getRank() != 2 || !isa<IntegerType>(type.getElementType()) ||
        !reaches<CrossEntropyOp>(argument, 1, shifted))
      continue;
    targets = argument;
    isShifted = shifted;
  }
  if (targets)
    setRole(forward, targets.getArgNumber(),
            isShifted ? InputRole::Labels : InputRole::Targets);
}

void pcc::analysis::assignRoles(func::FuncOp forward) {
  BlockArgument tokens;
  for (BlockArgument argument : forward.getArguments()) {
    if (roleOf(argument) != InputRole::Tokens)
      continue;
    bool shifted = false;
    if (!tokens && reaches<EmbeddingOp>(argument, 0, shifted))
      tokens = argument;
    else
      setRole(forward, argument.getArgNumber(), InputRole::Data);
  }
  assignTargets(forward);
}
