//===- Run.cpp - Takes a module from phase to phase -----------------------===//

#include "tools/pcc/Run.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/Pipelines.h"
#include "tools/pcc/Plan.h"

using namespace mlir;
using namespace pcc;

std::string pcc::pipelineOf(int index, const Options &options) {
  return getPhases()[index].pipeline(options);
}

LogicalResult
pcc::runPhase(ModuleOp module, int index, const Options &options,
              llvm::function_ref<LogicalResult(PassManager &)> prepare) {
  std::string pipeline = pipelineOf(index, options);
  PassManager manager(module->getName());
  if (!pipeline.empty() && failed(parsePassPipeline(pipeline, manager)))
    return failure();
  if (!prepare)
    manager.enableVerifier(false);
  else if (failed(prepare(manager)))
    return failure();
  if (failed(manager.run(module)))
    return failure();
  recordPlan(module, index, options);
  return success();
}
