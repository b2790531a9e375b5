//===- OutlineCounts.cpp - Tasks of the target counts ---------------------===//
//
// Counts of targets, the divisors of a step's losses, follow from the inputs
// alone. So each stage computes the counts that its tasks read, and sends none.
// A model with several heads on different stages has different counts there.
//
//===----------------------------------------------------------------------===//

#include "analysis/Dependence.h"
#include "dialects/NN/Names.h"
#include "passes/Pipeline/Outline.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

void pcc::outlineCounts(TaskSymbols &symbols, func::FuncOp counts) {
  auto module = counts->getParentOfType<ModuleOp>();
  // By stage: the counts that its tasks read.
  std::map<int64_t, llvm::StringSet<>> readers;
  for (auto &[symbol, stages] : findStageUses(module)) {
    auto state = symbols.lookup<nn::StateOp>(symbol);
    if (state && state->hasAttr(nn::kAheadAttr))
      for (int64_t stage : stages)
        readers[stage].insert(symbol);
  }
  for (const auto &[stage, states] : readers) {
    TaskBuilder task(symbols, (nn::kCounts + "." + Twine(stage)).str(), stage,
                     Phase::ForwardBackward, counts.getLoc());
    llvm::DenseSet<Value> needed;
    SmallVector<Operation *> ops;
    for (Operation &op : llvm::reverse(counts.getBody().front())) {
      auto accumulate = dyn_cast<nn::AccumulateOp>(op);
      if (accumulate ? !states.contains(accumulate.getSymbol())
                     : !nn::hasResultOf(needed, &op))
        continue;
      needed.insert(op.operand_begin(), op.operand_end());
      ops.push_back(&op);
    }
    IRMapping mapping;
    for (auto [i, argument] : llvm::enumerate(counts.getArguments()))
      if (needed.contains(argument))
        mapping.map(argument,
                    task.take(symbols.getInput(counts, i), argument.getType()));
    for (Operation *op : llvm::reverse(ops))
      task.clone(*op, mapping);
    task.close();
    task.finish()->setAttr(nn::kAheadAttr, UnitAttr::get(module.getContext()));
  }
}
