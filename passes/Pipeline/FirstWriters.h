//===- FirstWriters.h - First writers of gradients --------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_FIRSTWRITERS_H
#define PCC_PASSES_PIPELINE_FIRSTWRITERS_H

#include "dialects/Pipe/Pipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace pcc {

/// Makes the first run that adds to a gradient in a step overwrite it instead,
/// so that no task needs to clear it.
class FirstWriters {
public:
  /// For the schedules of `module`, which must outlive this.
  explicit FirstWriters(mlir::ModuleOp module);

  /// Notes that a stage runs a task of a step; called in schedule order.
  void note(pipe::TaskOp task);
  /// Whether the first noted run of a task initializes gradients that later
  /// runs do not.
  bool firstRunDiffers(pipe::TaskOp task) const;
  /// Creates the bodies that initialize gradients, and removes the clears that
  /// they replace. Fails if runs of a task after the first initialize different
  /// gradients.
  mlir::LogicalResult finish();

private:
  /// The change of a body: the arguments that it overwrites instead of adding
  /// to them, and the results that clear gradients, which it no longer returns.
  using Change =
      std::pair<llvm::SmallVector<unsigned>, llvm::SmallVector<unsigned>>;
  using OnStage = std::pair<llvm::StringRef, int64_t>;
  /// The effects of a task's runs.
  struct Runs {
    /// The arguments that a run could initialize, with their gradients, and the
    /// gradients that the task clears or whose buffer a value takes.
    llvm::SmallVector<std::pair<unsigned, OnStage>> adds;
    llvm::SmallVector<OnStage> clears;
    /// The arguments that the first run and that later runs initialize.
    llvm::SmallVector<unsigned> first, later;
    int64_t count = 0;
    bool isRegular = true;
  };
  /// A call of a body in a task.
  struct Call {
    pipe::TaskOp task;
    bool isFirst;
  };

  pipe::BodyOp bodyOf(pipe::TaskOp task) const {
    return symbols.lookup<pipe::BodyOp>(task.getBody());
  }
  /// Returns the gradients of a symbol that a task binds; none if it is no
  /// gradient and no bucket of gradients.
  llvm::SmallVector<llvm::StringRef> gradientsOf(mlir::Attribute binding) const;
  void findInitialized();
  Runs runsOf(pipe::TaskOp task) const;
  /// Returns the results of a task that clear gradients that runs initialize.
  llvm::SmallVector<unsigned> findClears(pipe::TaskOp task) const;
  static llvm::SmallVector<unsigned> findUnused(const Change &change,
                                                pipe::BodyOp body);
  void apply(const Change &change, pipe::BodyOp body);
  void finish(pipe::BodyOp body,
              const std::map<Change, llvm::SmallVector<Call>> &groups);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  /// The gradients that runs initialize, and those of them that have contents.
  llvm::DenseSet<OnStage> begun, full;
  llvm::MapVector<mlir::Operation *, Runs> runs;
};

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_FIRSTWRITERS_H
