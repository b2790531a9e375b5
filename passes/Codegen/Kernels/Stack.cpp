//===- Stack.cpp - Stacked gradients of attention -------------------------===//

#include "passes/Codegen/Kernels/Stack.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// The results of an attention gradient that have rows of heads: dq, dk, dv.
static constexpr unsigned kCotangents = 3;

/// The attention whose results a sum stacks, one at each index of a dim other
/// than the last.
static Operation *findStacked(nn::SumOp sum) {
  Operation *maker = nullptr;
  llvm::SmallDenseSet<int64_t> indices;
  std::optional<int64_t> dim;
  for (Value operand : sum.getInputs()) {
    auto insert = operand.getDefiningOp<nn::InsertOp>();
    if (!insert || !insert->hasOneUse() || !insert.getInput().hasOneUse())
      return nullptr;
    auto part = dyn_cast<OpResult>(insert.getInput());
    if (!part || !isa<nn::AttentionGradOp>(part.getOwner()) ||
        part.getResultNumber() >= kCotangents ||
        (maker && maker != part.getOwner()) ||
        (dim && *dim != int64_t(insert.getDim())))
      return nullptr;
    maker = part.getOwner();
    dim = insert.getDim();
    indices.insert(insert.getIndex());
  }
  RankedTensorType type = nn::tensorType(sum);
  auto count = int64_t(sum.getNumOperands());
  bool isWhole =
      int64_t(indices.size()) == count && type.getDimSize(*dim) == count;
  return isWhole && *dim + 1 < type.getRank() ? maker : nullptr;
}

Operation *codegen::findStacked(Operation *op) {
  if (isa<nn::InsertOp>(op) && op->hasOneUse())
    op = *op->getUsers().begin();
  auto sum = dyn_cast<nn::SumOp>(op);
  return sum ? ::findStacked(sum) : nullptr;
}

Strided codegen::findDestination(Value part) {
  auto insert = part.hasOneUse()
                    ? dyn_cast<nn::InsertOp>(*part.getUsers().begin())
                    : nn::InsertOp();
  if (!insert || !findStacked(insert))
    return *findStrided(part, part);
  Value all = insert->getUsers().begin()->getResult(0);
  Strided place = *findStrided(all, all);
  place.offset = place.strides[insert.getDim()] * int64_t(insert.getIndex());
  place.strides.erase(place.strides.begin() + insert.getDim());
  return place;
}
