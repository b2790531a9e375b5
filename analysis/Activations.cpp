//===- Activations.cpp - Activations and gradients of a block -------------===//

#include "analysis/Activations.h"

using namespace mlir;

llvm::DenseSet<Operation *> pcc::findActivations(Block &block) {
  llvm::DenseSet<Operation *> fromParameter, fromInput, activations;
  for (Operation &op : block) {
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || fromInput.contains(def))
        fromInput.insert(&op);
      if (def && (isa<nn::ReadOp>(def) || fromParameter.contains(def)))
        fromParameter.insert(&op);
    }
    if (fromParameter.contains(&op) && fromInput.contains(&op))
      activations.insert(&op);
  }
  return activations;
}

int64_t pcc::bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() *
         std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}
