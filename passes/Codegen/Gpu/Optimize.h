//===- Optimize.h - LLVM's optimization pipeline ----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_OPTIMIZE_H
#define PCC_PASSES_CODEGEN_GPU_OPTIMIZE_H

#include "llvm/Passes/PassBuilder.h"

namespace pcc::codegen {

/// Runs LLVM's default pipeline of an optimization level, for a target if one
/// is given, followed by the passes that `addLast` adds.
void optimizeModule(
    llvm::Module &module, llvm::OptimizationLevel level,
    llvm::TargetMachine *target = nullptr,
    const llvm::PipelineTuningOptions &tuning = {},
    llvm::function_ref<void(llvm::ModulePassManager &)> addLast = {});

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_OPTIMIZE_H
