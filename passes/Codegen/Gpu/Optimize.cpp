//===- Optimize.cpp - LLVM's optimization pipeline ------------------------===//

#include "passes/Codegen/Gpu/Optimize.h"

using namespace pcc;

void codegen::optimizeModule(
    llvm::Module &module, llvm::OptimizationLevel level,
    llvm::TargetMachine *target, const llvm::PipelineTuningOptions &tuning,
    llvm::function_ref<void(llvm::ModulePassManager &)> addLast) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(target, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::ModulePassManager passes = builder.buildPerModuleDefaultPipeline(level);
  if (addLast)
    addLast(passes);
  passes.run(module, modules);
}
