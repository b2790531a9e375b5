//===- Outline.h - The functions that become tasks --------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_OUTLINE_H
#define PCC_PASSES_PIPELINE_OUTLINE_H

#include "passes/Pipeline/Passes.h"
#include "passes/Pipeline/TaskBuilder.h"

namespace pcc {

/// The segment of an op; a stage without segments is one.
std::optional<int64_t> segmentOf(mlir::Operation *op);

/// Makes the update tasks of every stage, and what exchanges the gradients of
/// parameters that several stages hold.
mlir::LogicalResult outlineUpdate(TaskSymbols &symbols,
                                  mlir::func::FuncOp update, int64_t stages);

/// The stages that have a gradient, a row of them, or what a rank keeps of
/// their sum: those that use the parameter. What nobody uses the first one has.
llvm::SmallVector<int64_t> stagesOf(const TaskSymbols &symbols,
                                    llvm::StringRef gradient,
                                    const StageUses &uses);

/// Makes the tasks of @counts: one on each stage whose tasks read what it adds
/// up, of that alone.
void outlineCounts(TaskSymbols &symbols, mlir::func::FuncOp counts);

/// Makes the tasks of @reduce: one for each row that is added up, on each stage
/// that has it.
void outlineReduce(TaskSymbols &symbols, mlir::func::FuncOp reduce);

/// Makes the tasks of @gather: one for each bucket, on each stage that uses it.
void outlineGather(TaskSymbols &symbols, mlir::func::FuncOp gather);

/// Makes a task per stage of a function that only reads sums and returns
/// scalars, such as @evaluate_result.
mlir::LogicalResult outlineResult(TaskSymbols &symbols, mlir::func::FuncOp func,
                                  int64_t stages);

/// Makes the one task of a forward-only program, whose results are the model's
/// outputs by name.
void outlineForward(TaskSymbols &symbols, mlir::func::FuncOp forward);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_OUTLINE_H
