//===- Step.cpp - Ops of a training step ----------------------------------===//

#include "tools/pcc/Step.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc;

namespace {

struct Walk {
  llvm::StringMap<rt::FuncOp> functions;
  llvm::function_ref<void(Operation *, int64_t)> visit;

  void run(StringRef function, int64_t times) {
    if (rt::FuncOp found = functions.lookup(function))
      run(*found.getBlock(), times);
  }

  void run(Block &ops, int64_t times) {
    for (Operation &op : ops)
      if (auto loop = dyn_cast<rt::ForOp>(op))
        run(*loop.getBlock(),
            times * (int64_t(loop.getEnd()) - int64_t(loop.getBegin())));
      else if (auto call = dyn_cast<rt::CallOp>(op))
        run(call.getCallee(), times);
      else
        visit(&op, times);
  }
};

} // namespace

void pcc::forEachInStep(rt::StageOp stage,
                        llvm::function_ref<void(Operation *, int64_t)> visit) {
  Walk walk{{}, visit};
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    walk.functions[function.getSymName()] = function;
  walk.run(rt::kTrainEntry, 1);
}
