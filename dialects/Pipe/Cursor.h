//===- Cursor.h - How far a schedule is -------------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_PIPE_CURSOR_H
#define PCC_DIALECTS_PIPE_CURSOR_H

#include "dialects/Pipe/Transfers.h"

namespace pcc::pipe {

/// Goes through the steps of a schedule as a stage does them: through its loops
/// as often as they run.
class Cursor {
public:
  /// Of no schedule.
  Cursor() = default;
  /// At a schedule's first step.
  explicit Cursor(ScheduleOp schedule);

  /// Whether all steps are done. If not:
  bool isDone() const { return next == block->end(); }
  /// The step to do: a run or a transfer.
  mlir::Operation *operator*() const { return &*next; }
  /// The loop it is in, or null.
  LoopOp getLoop() const { return loop; }
  /// The microbatch that the loop is at; 0 outside.
  int64_t getVariable() const { return variable; }
  /// The microbatch that a run is of; 0 for one of the whole step.
  int64_t microbatchOf(RunOp run) const {
    return run.getMicrobatchAt(variable);
  }
  /// What the step posts.
  llvm::SmallVector<Half, 2> getHalves() const {
    return halvesOf(&*next, variable);
  }

  /// Goes on to what comes next; true if that begins a loop's next turn.
  bool advance();
  /// Leaves out turns of the loop, which must have as many left.
  void skip(int64_t turns) { variable += turns; }

private:
  /// Into the loop that stands next, if one does.
  void enter();

  mlir::Block *block = nullptr;
  mlir::Block::iterator next;
  LoopOp loop;
  int64_t variable = 0;
};

} // namespace pcc::pipe

#endif // PCC_DIALECTS_PIPE_CURSOR_H
