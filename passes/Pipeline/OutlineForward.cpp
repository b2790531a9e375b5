//===- OutlineForward.cpp - The task of a forward-only program ------------===//

#include "dialects/NN/NN.h"
#include "passes/Pipeline/Outline.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

void pcc::outlineForward(TaskSymbols &symbols, func::FuncOp forward) {
  TaskBuilder task(symbols, "forward.0", 0, Phase::ForwardOnly,
                   forward.getLoc());
  IRMapping mapping;
  for (auto [i, argument] : llvm::enumerate(forward.getArguments()))
    mapping.map(argument,
                task.take(symbols.getInput(forward, i), argument.getType()));
  Block &body = forward.getBody().front();
  for (Operation &op : body.without_terminator())
    task.clone(op, mapping);
  for (auto [i, result] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    auto name = forward.getResultAttrOfType<StringAttr>(i, nn::kNameAttr);
    task.addResult(
        mapping.lookup(result),
        symbols.getOutput(name ? name.getValue().str() : std::to_string(i),
                          result.getType()));
  }
  task.close();
  task.finish();
}
