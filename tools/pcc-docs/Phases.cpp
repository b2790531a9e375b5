//===- Phases.cpp - The table of phases and passes ------------------------===//

#include "tools/pcc-docs/Phases.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Pipelines.h"

using namespace mlir;
using namespace pcc;

void pcc::printPhases(llvm::raw_ostream &os) {
  Options options;
  options.tp = options.pp = options.dp = options.cp = 2;
  options.sequenceParallel = true;
  options.recompute = "full";
  os << "| phase | what it is | passes |\n|---|---|---|\n";
  for (const Phase &phase : getPhases()) {
    OpPassManager manager(ModuleOp::getOperationName());
    phase.addPasses(manager, options);
    os << "| " << phase.name << " | " << phase.summary << " | ";
    if (manager.empty())
      os << "the ONNX reader";
    llvm::interleaveComma(manager.getPasses(), os,
                          [&](Pass &pass) { os << pass.getArgument(); });
    os << " |\n";
  }
}
