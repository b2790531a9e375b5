//===- Run.h - Running of phases --------------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_RUN_H
#define PCC_TOOLS_PCC_RUN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Options.h"

namespace pcc {

/// Runs the passes that lead to phase `index` from the one before, and records
/// the options that are then fixed. `prepare` configures the pass manager;
/// without it, no pass is verified.
mlir::LogicalResult runPhase(
    mlir::ModuleOp module, int index, const Options &options,
    llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)> prepare = {});

/// Runs the checks at the end of phase `index` on a module that was read from
/// text and may be invalid in ways that no pass produces.
mlir::LogicalResult checkPhase(
    mlir::ModuleOp module, int index,
    llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)> prepare);

} // namespace pcc

#endif // PCC_TOOLS_PCC_RUN_H
