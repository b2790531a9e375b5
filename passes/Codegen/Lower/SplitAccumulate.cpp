//===- SplitAccumulate.cpp - Accumulates the terms of a sum one by one ----===//

#include "passes/Codegen/Kernels/Prepare.h"
#include "passes/Codegen/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_RTSPLITACCUMULATEPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// Whether a term is added to the state where it lies: a product by the
/// library, the rows of a table by their kernel.
bool addsInPlace(Value value) {
  if (codegen::findProduct(value))
    return true;
  return value.hasOneUse() && value.getDefiningOp<nn::EmbeddingGradOp>();
}

/// Whether between two ops of a block a state is neither read nor written.
/// Other accumulations may come in any order.
bool isUntouched(StringRef state, Operation *from, Operation *to) {
  for (Operation *op = from; op != to; op = op->getNextNode())
    if (isa<nn::ReadOp, nn::WriteOp>(op) &&
        op->getAttrOfType<FlatSymbolRefAttr>("symbol").getValue() == state)
      return false;
  return true;
}

struct RTSplitAccumulatePass
    : pcc::impl::RTSplitAccumulatePassBase<RTSplitAccumulatePass> {
  void runOnOperation() override {
    getOperation().walk([](nn::AccumulateOp op) { split(op); });
  }

  static void split(nn::AccumulateOp op) {
    auto sum = op.getValue().getDefiningOp<nn::SumOp>();
    if (!sum || !sum->hasOneUse())
      return;
    SmallVector<Value> terms, others;
    for (Value input : sum.getInputs())
      (addsInPlace(input) ? terms : others).push_back(input);
    if (terms.empty())
      return;
    // Each term as soon as it exists, if the state does not change in between:
    // its memory is free again.
    auto accumulate = [&](Value value) {
      OpBuilder builder(op);
      Operation *maker = value.getDefiningOp();
      if (maker && maker->getBlock() == op->getBlock() &&
          isUntouched(op.getSymbol(), maker, op))
        builder.setInsertionPointAfter(maker);
      nn::AccumulateOp::create(builder, op.getLoc(), value, op.getSymbol());
    };
    for (Value term : terms)
      accumulate(term);
    if (others.size() == 1) {
      accumulate(others.front());
    } else if (!others.empty()) {
      OpBuilder builder(op);
      auto rest =
          nn::SumOp::create(builder, sum.getLoc(), sum.getType(), others);
      nn::AccumulateOp::create(builder, op.getLoc(), rest, op.getSymbol());
    }
    op.erase();
    sum.erase();
  }
};

} // namespace
