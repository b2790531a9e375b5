//===- Run.cpp - Running of phases ----------------------------------------===//

#include "tools/pcc/Run.h"
#include "passes/Pipelines.h"
#include "tools/pcc/Plan.h"

using namespace mlir;
using namespace pcc;

LogicalResult
pcc::runPhase(ModuleOp module, int index, const Options &options,
              llvm::function_ref<LogicalResult(PassManager &)> prepare) {
  PassManager manager(module->getName());
  getPhases()[index].addPasses(manager, options);
  if (!prepare)
    manager.enableVerifier(false);
  else if (failed(prepare(manager)))
    return failure();
  if (failed(manager.run(module)))
    return failure();
  recordPlan(module, index, options);
  return success();
}

LogicalResult
pcc::checkPhase(ModuleOp module, int index,
                llvm::function_ref<LogicalResult(PassManager &)> prepare) {
  PassManager manager(module->getName());
  getPhases()[index].addChecks(manager);
  if (failed(prepare(manager)))
    return failure();
  return manager.run(module);
}
