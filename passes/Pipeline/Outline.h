//===- Outline.h - Tools for making tasks -----------------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_OUTLINE_H
#define PCC_PASSES_PIPELINE_OUTLINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipeline/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace pcc {

/// Makes tasks and the symbols they are bound to.
class TaskBuilder {
public:
  /// Adds tasks and symbols to `module`, which must outlive this.
  explicit TaskBuilder(mlir::ModuleOp module);

  /// An empty task at the end of the module; fill its block, then `finish`.
  pipe::TaskOp create(llvm::StringRef name, int64_t stage, pipe::Phase phase,
                      mlir::Location loc);
  /// Ends a task with its results.
  void finish(pipe::TaskOp task, mlir::ValueRange results,
              llvm::ArrayRef<mlir::FlatSymbolRefAttr> targets);
  /// Adds an argument bound to a symbol.
  mlir::Value addArgument(pipe::TaskOp task, mlir::FlatSymbolRefAttr source,
                          mlir::Type type);

  /// The program input that a function's argument is.
  mlir::FlatSymbolRefAttr getInput(mlir::func::FuncOp func, unsigned index);
  /// The program output of this name, added on first use.
  mlir::FlatSymbolRefAttr getOutput(llvm::StringRef name, mlir::Type type);
  /// A new symbol for a value that one task hands to another.
  mlir::FlatSymbolRefAttr addValue(mlir::Type type, mlir::Location loc);

private:
  mlir::ModuleOp module;
  mlir::OpBuilder symbols; ///< inserts before the first function
  int64_t values = 0;
};

/// Removes what only the phases before this one need: which stage an op is in,
/// and how its global value is sharded. Equal layers become equal ops.
void stripMarks(mlir::Operation *op);

/// Which stages read or write each parameter and state, by symbol.
using StageUses = llvm::MapVector<llvm::StringRef, llvm::SmallVector<int64_t>>;
/// Looks through all tasks; the stages of a symbol ascend, each once.
StageUses findStageUses(mlir::ModuleOp module);

/// Makes the update tasks of every stage, and what exchanges the gradients of
/// parameters that several stages hold.
mlir::LogicalResult outlineUpdate(TaskBuilder &tasks, mlir::func::FuncOp update,
                                  int64_t stages);

/// Makes a task per stage of a function that only reads sums and returns
/// scalars, such as @evaluate_result.
mlir::LogicalResult outlineResult(TaskBuilder &tasks, mlir::func::FuncOp func,
                                  int64_t stages);

/// Makes the one task of a forward-only program, whose results are the model's
/// outputs by name.
void outlineForward(TaskBuilder &tasks, mlir::func::FuncOp forward);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_OUTLINE_H
