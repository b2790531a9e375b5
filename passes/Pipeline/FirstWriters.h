//===- FirstWriters.h - Which runs begin a gradient -------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_FIRSTWRITERS_H
#define PCC_PASSES_PIPELINE_FIRSTWRITERS_H

#include "dialects/Pipe/Pipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace pcc {

/// Has the first run of a step that adds to a gradient put its part there
/// instead, so that nobody clears it.
class FirstWriters {
public:
  /// For the schedules of `module`, which must outlive this.
  explicit FirstWriters(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  /// A stage runs a task of a step, in the order of calls. True if nothing ran
  /// before that adds to one of the gradients that this run adds to.
  bool note(pipe::TaskOp task);
  /// Makes the bodies of first runs; where each task has one run only, the task
  /// calls it. No other task clears what is put there from now on.
  void finish(int64_t microbatches);

private:
  /// What a body no longer does: add to what these arguments hold; give these
  /// results.
  using Change =
      std::pair<llvm::SmallVector<unsigned>, llvm::SmallVector<unsigned>>;
  /// A state on one stage.
  using OnStage = std::pair<mlir::Attribute, int64_t>;

  bool isGradient(llvm::StringRef symbol) const;
  /// The results of a task that clear what a first writer begins.
  llvm::SmallVector<unsigned> findClears(pipe::TaskOp task);
  void apply(const Change &change, pipe::BodyOp body);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseSet<OnStage> begun;
  /// By task, the arguments whose gradients it begins.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned>> first;
};

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_FIRSTWRITERS_H
