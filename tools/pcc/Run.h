//===- Run.h - Takes a module from phase to phase ---------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_RUN_H
#define PCC_TOOLS_PCC_RUN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Options.h"

namespace pcc {

/// The passes that lead to phase `index` from the one before.
std::string pipelineOf(int index, const Options &options);

/// Runs them and records the choices that are then fixed. `prepare` sets the
/// pass manager up; it runs as it is without.
mlir::LogicalResult runPhase(
    mlir::ModuleOp module, int index, const Options &options,
    llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)> prepare = {});

} // namespace pcc

#endif // PCC_TOOLS_PCC_RUN_H
