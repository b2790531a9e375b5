//===- OutlineGather.cpp - What ranks keep made whole, by bucket ----------===//

#include "analysis/Buckets.h"
#include "dialects/NN/NN.h"
#include "passes/Pipeline/Outline.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

/// The stages that use what a rank keeps: those of any of its parameters, since
/// a bucket's are used alike. What nobody uses the first one keeps.
static SmallVector<int64_t> holdersOf(TaskSymbols &symbols, nn::StateOp own,
                                      const StageUses &uses) {
  for (StringRef member : nn::heldBy(own)) {
    auto found = uses.find(member);
    if (found != uses.end())
      return found->second;
  }
  return {0};
}

void pcc::outlineGather(TaskSymbols &symbols, func::FuncOp gather) {
  // Found ahead of the tasks that are made here.
  StageUses uses = findStageUses(symbols.getModule());
  int64_t number = 0;
  for (auto read : gather.getOps<nn::ReadOp>()) {
    auto own = symbols.lookup<nn::StateOp>(read.getSymbol());
    SmallVector<int64_t> holders = holdersOf(symbols, own, uses);
    for (int64_t stage : holders) {
      std::string name = ("gather." + Twine(number)).str();
      if (holders.size() > 1)
        name += "." + std::to_string(stage);
      TaskBuilder task(symbols, name, stage, Phase::Gather, read.getLoc());
      IRMapping mapping;
      for (Operation &op : gather.getBody().front().without_terminator()) {
        bool isOfThis = llvm::any_of(op.getOperands(), [&](Value operand) {
          return mapping.contains(operand);
        });
        if (&op == read || isOfThis)
          task.clone(op, mapping);
      }
      task.close();
      task.finish();
    }
    ++number;
  }
}
