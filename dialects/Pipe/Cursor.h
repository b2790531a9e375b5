//===- Cursor.h - Execution position in a schedule --------------*- C++ -*-===//

#ifndef PCC_DIALECTS_PIPE_CURSOR_H
#define PCC_DIALECTS_PIPE_CURSOR_H

#include "dialects/Pipe/Transfers.h"

namespace pcc::pipe {

/// The position of a stage in its schedule. It visits ops in the order in which
/// the stage executes them, and enters loops once per iteration.
class Cursor {
public:
  /// A cursor without a schedule; only assignment is valid.
  Cursor() = default;
  /// A cursor at the schedule's first op.
  explicit Cursor(ScheduleOp schedule);

  /// Whether the end of the schedule is reached. The other methods require that
  /// it is not.
  bool isDone() const { return next == block->end(); }
  /// The op to execute: a run, a release or a transfer.
  mlir::Operation *operator*() const { return &*next; }
  /// The loop that the op is in; null outside of loops.
  LoopOp getLoop() const { return loop; }
  /// The value of the loop variable; 0 outside of loops.
  int64_t getVariable() const { return variable; }
  /// The microbatch of a run; 0 for a run once per step.
  int64_t microbatchOf(RunOp run) const {
    return run.getMicrobatchAt(variable);
  }
  /// The halves of transfers that the op posts.
  llvm::SmallVector<Half, 2> getHalves() const {
    return halvesOf(&*next, variable);
  }

  /// Moves to the next op; returns true if that starts another iteration of the
  /// same loop.
  bool advance();
  /// Skips iterations of the current loop, which must have as many left.
  void skip(int64_t iterations) { variable += iterations; }

private:
  /// Enters the loop at the current position, if there is one.
  void enter();

  mlir::Block *block = nullptr;
  mlir::Block::iterator next;
  LoopOp loop;
  int64_t variable = 0;
};

} // namespace pcc::pipe

#endif // PCC_DIALECTS_PIPE_CURSOR_H
