//===- Accumulation.cpp - Gradient accumulation in place ------------------===//

#include "passes/Codegen/Kernels/Accumulation.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "passes/Codegen/Kernels/FusedGemm.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"

using namespace mlir;
using namespace pcc;

std::optional<unsigned> codegen::accumulationTarget(Value value) {
  while (true) {
    std::optional<unsigned> place;
    for (OpOperand &use : value.getUses())
      if (auto body = dyn_cast<pipe::BodyOp>(use.getOwner()->getParentOp());
          body && isa<pipe::YieldOp>(use.getOwner()))
        if (auto replaced = body.getReplaced(use.getOperandNumber()))
          place = replaced;
    if (place || !value.hasOneUse())
      return place;
    OpOperand &use = *value.use_begin();
    auto sum = dyn_cast<nn::SumOp>(use.getOwner());
    if (!sum || use.getOperandNumber() != 0)
      return std::nullopt;
    value = sum.getResult();
  }
}

bool codegen::isAccumulation(nn::SumOp sum) {
  Value before = sum.getInputs().front();
  while (auto other = before.getDefiningOp<nn::SumOp>()) {
    if (!before.hasOneUse())
      return false;
    before = other.getInputs().front();
  }
  auto argument = dyn_cast<BlockArgument>(before);
  return argument && argument.hasOneUse() &&
         accumulationTarget(sum.getResult()) == argument.getArgNumber();
}

Operation *codegen::findAdding(Value value) {
  if (value.hasOneUse() && value.getDefiningOp<dist::ReduceScatterOp>())
    return value.getDefiningOp();
  while (value.hasOneUse()) {
    Operation *maker = value.getDefiningOp();
    if (maker && isGemm(maker))
      return mayAccumulate(maker) && value == maker->getResult(0) ? maker
                                                                  : nullptr;
    if (auto grouped = dyn_cast_or_null<nn::GroupedContractOp>(maker))
      return grouped.sumsRows() && !isByTiles(grouped) ? maker : nullptr;
    auto reshape = value.getDefiningOp<nn::ReshapeOp>();
    if (!reshape)
      return {};
    value = reshape.getInput();
  }
  return {};
}

Operation *codegen::getAdding(Operation *op) {
  return op->hasAttr(rt::kAddsInPlaceAttr) ? findAdding(op->getOperand(1))
                                           : nullptr;
}
