//===- SplitAccumulate.cpp - Accumulates the terms of a sum one by one ----===//

#include "passes/Codegen/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_RTSPLITACCUMULATEPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// Whether a value is a product that only this use needs.
bool isProduct(Value value) {
  while (value.hasOneUse()) {
    if (value.getDefiningOp<nn::ContractOp>())
      return true;
    auto reshape = value.getDefiningOp<nn::ReshapeOp>();
    if (!reshape)
      return false;
    value = reshape.getInput();
  }
  return false;
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
    SmallVector<Value> products, others;
    for (Value input : sum.getInputs())
      (isProduct(input) ? products : others).push_back(input);
    if (products.empty())
      return;
    // Each term as soon as it exists: its memory is free again.
    auto accumulate = [&](Value value) {
      OpBuilder builder(op);
      builder.setInsertionPointAfterValue(value);
      nn::AccumulateOp::create(builder, op.getLoc(), value, op.getSymbol());
    };
    for (Value product : products)
      accumulate(product);
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
