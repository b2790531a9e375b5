//===- TargetShift.cpp - The distance of targets from tokens --------------===//

#include "passes/Training/Documents/TargetShift.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

void TargetShift::start(BlockArgument argument) {
  std::optional<InputRole> role = roleOf(argument);
  if (role == InputRole::Tokens)
    known[argument].tokens = 0;
  // The runtime shifts targets; the model shifts labels.
  if (role == InputRole::Targets || role == InputRole::Labels) {
    known[argument].targets = 0;
    known[argument].distance = role == InputRole::Labels;
  }
}

std::string TargetShift::visit(Operation *op, ArrayRef<Value> operands,
                               int64_t moved) {
  Shifts joint;
  auto join = [](std::optional<int64_t> &to, std::optional<int64_t> from) {
    bool isEqual = !to || !from || *to == *from;
    to = to ? to : from;
    return isEqual;
  };
  for (Value operand : operands) {
    auto it = known.find(operand);
    if (it == known.end())
      continue;
    if (!join(joint.tokens, it->second.tokens))
      return "combines several positions";
    if (!join(joint.targets, it->second.targets))
      return "combines the targets of several tokens";
    if (it->second.targets)
      joint.distance = it->second.distance;
  }
  if (joint.tokens && joint.targets &&
      *joint.targets - *joint.tokens != joint.distance)
    return "predicts another token than the next one";
  // The loss of a token.
  if (joint.tokens)
    joint.targets = std::nullopt;
  for (std::optional<int64_t> *shift : {&joint.tokens, &joint.targets})
    if (*shift)
      **shift += moved;
  if (joint.tokens || joint.targets)
    for (Value result : op->getResults())
      known[result] = joint;
  return "";
}
