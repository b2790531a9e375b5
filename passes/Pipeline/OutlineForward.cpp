//===- OutlineForward.cpp - The task of a forward-only program ------------===//

#include "dialects/NN/NN.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Pipeline/Outline.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

void pcc::outlineForward(TaskBuilder &tasks, func::FuncOp forward) {
  TaskOp task =
      tasks.create("forward.0", 0, Phase::ForwardOnly, forward.getLoc());
  IRMapping mapping;
  for (BlockArgument argument : forward.getArguments())
    mapping.map(argument,
                tasks.addArgument(
                    task, tasks.getInput(forward, argument.getArgNumber()),
                    argument.getType()));
  OpBuilder builder = OpBuilder::atBlockEnd(task.getBlock());
  Block &body = forward.getBody().front();
  for (Operation &op : body.without_terminator())
    stripMarks(builder.clone(op, mapping));
  SmallVector<Value> results;
  SmallVector<FlatSymbolRefAttr> targets;
  for (auto [i, result] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    auto name = forward.getResultAttrOfType<StringAttr>(i, nn::kNameAttr);
    results.push_back(mapping.lookup(result));
    targets.push_back(tasks.getOutput(
        name ? name.getValue().str() : std::to_string(i), result.getType()));
  }
  tasks.finish(task, results, targets);
}
