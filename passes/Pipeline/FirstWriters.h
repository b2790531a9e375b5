//===- FirstWriters.h - Which runs begin a gradient -------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_FIRSTWRITERS_H
#define PCC_PASSES_PIPELINE_FIRSTWRITERS_H

#include "dialects/Pipe/Pipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace pcc {

/// Has the first run that adds to a gradient after a task has cleared it put
/// its part there instead, so that nobody clears it.
class FirstWriters {
public:
  /// For the schedules of `module`, which must outlive this.
  explicit FirstWriters(mlir::ModuleOp module);

  /// A stage runs a task of a step, in the order of calls.
  void note(pipe::TaskOp task);
  /// Whether the first of the runs that were noted begins something that later
  /// ones of the task do not.
  bool isFirstApart(pipe::TaskOp task) const;
  /// Makes the bodies of tasks that begin something, and takes out what clears
  /// that. An error if the runs of a task but the first begin different things.
  mlir::LogicalResult finish();

private:
  /// What a body no longer does: add to what these arguments hold; give these
  /// results.
  using Change =
      std::pair<llvm::SmallVector<unsigned>, llvm::SmallVector<unsigned>>;
  /// A state on one stage.
  using OnStage = std::pair<llvm::StringRef, int64_t>;
  /// What the runs of a task do.
  struct Runs {
    /// The arguments that one could begin, and what it clears.
    llvm::SmallVector<std::pair<unsigned, OnStage>> adds;
    llvm::SmallVector<OnStage> clears;
    /// The arguments that the first one and all others begin.
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
  /// What a task gives a result to, or takes; none if that is no gradients.
  llvm::SmallVector<llvm::StringRef> gradientsOf(mlir::Attribute binding) const;
  void findBegun();
  Runs runsOf(pipe::TaskOp task) const;
  /// The results of a task that clear what runs begin.
  llvm::SmallVector<unsigned> findClears(pipe::TaskOp task) const;
  static llvm::SmallVector<unsigned> findUnused(const Change &change,
                                                pipe::BodyOp body);
  void apply(const Change &change, pipe::BodyOp body);
  void finish(pipe::BodyOp body,
              const std::map<Change, llvm::SmallVector<Call>> &groups);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  /// The gradients that runs begin, and those of them that hold something.
  llvm::DenseSet<OnStage> begun, full;
  llvm::MapVector<mlir::Operation *, Runs> runs;
};

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_FIRSTWRITERS_H
