//===- Stack.cpp - Values that are made side by side ----------------------===//

#include "passes/Codegen/Kernels/Stack.h"
#include "passes/Codegen/Kernels/Attention/Choice.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Whether a sum is of one result of the library's op at each index of a dim.
static bool isStack(nn::SumOp sum) {
  Operation *maker = nullptr;
  llvm::SmallDenseSet<int64_t> indices;
  std::optional<int64_t> dim;
  for (Value operand : sum.getInputs()) {
    auto insert = operand.getDefiningOp<nn::InsertOp>();
    if (!insert || !insert->hasOneUse() || !insert.getInput().hasOneUse())
      return false;
    Operation *from = insert.getInput().getDefiningOp();
    if (!isa_and_nonnull<nn::AttentionGradOp>(from) || !isByLibrary(from) ||
        (maker && maker != from) || (dim && *dim != int64_t(insert.getDim())))
      return false;
    maker = from;
    dim = insert.getDim();
    indices.insert(insert.getIndex());
  }
  auto count = int64_t(sum.getNumOperands());
  return int64_t(indices.size()) == count &&
         nn::tensorType(sum).getDimSize(*dim) == count;
}

nn::InsertOp codegen::findPlaceInStack(Value part) {
  auto insert = part.hasOneUse()
                    ? dyn_cast<nn::InsertOp>(*part.getUsers().begin())
                    : nn::InsertOp();
  return insert && isOfStack(insert) ? insert : nullptr;
}

bool codegen::isOfStack(Operation *op) {
  if (isa<nn::InsertOp>(op) && op->hasOneUse())
    op = *op->getUsers().begin();
  auto sum = dyn_cast<nn::SumOp>(op);
  return sum && isStack(sum);
}
