//===- Outline.h - The functions that become tasks --------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_OUTLINE_H
#define PCC_PASSES_PIPELINE_OUTLINE_H

#include "passes/Pipeline/Passes.h"
#include "passes/Pipeline/TaskBuilder.h"

namespace pcc {

/// Returns the segment of an op; a stage without segments is one.
std::optional<int64_t> segmentOf(mlir::Operation *op);

/// Creates the update tasks of every stage, and the tasks that reduce gradients
/// over data axes or give them to other stages that hold the parameter.
mlir::LogicalResult outlineUpdate(TaskSymbols &symbols,
                                  mlir::func::FuncOp update, int64_t stages);

/// Returns the stages that hold a gradient, a bucket of gradients, or a rank's
/// shard of their sum: the stages that use the parameter, or the first stage if
/// none does.
llvm::SmallVector<int64_t> stagesOf(const TaskSymbols &symbols,
                                    llvm::StringRef gradient,
                                    const StageUses &uses);

/// Creates the tasks of @counts: one on each stage whose tasks read counts,
/// which computes these counts only.
void outlineCounts(TaskSymbols &symbols, mlir::func::FuncOp counts);

/// Creates the tasks of @reduce: one for each accumulated bucket on each stage
/// that holds it.
void outlineReduce(TaskSymbols &symbols, mlir::func::FuncOp reduce);

/// Creates the tasks of @gather: those of each bucket on each stage that uses
/// it.
void outlineGather(TaskSymbols &symbols, mlir::func::FuncOp gather);

/// Creates a task per stage of @evaluate_result, which reads and clears sums
/// and returns two scalars.
mlir::LogicalResult outlineResult(TaskSymbols &symbols, mlir::func::FuncOp func,
                                  int64_t stages);

/// Creates the one task of a forward-only program, whose results are the
/// model's outputs by name.
void outlineForward(TaskSymbols &symbols, mlir::func::FuncOp forward);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_OUTLINE_H
