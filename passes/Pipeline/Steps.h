//===- Steps.h - What a stage does, as a list -------------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_STEPS_H
#define PCC_PASSES_PIPELINE_STEPS_H

#include "dialects/Pipe/Pipe.h"

namespace pcc {

/// Channels between two stages; each direction has its own.
enum StageChannel : int64_t { kActivations = 0, kGradients = 1, kTied = 2 };

/// A value on its way from one stage to the next towards a user.
struct Hop {
  /// The symbol of the `pipe.value`.
  llvm::StringRef value;
  /// The stage that sends it.
  int64_t from;
  /// The stage that receives it, next to the other.
  int64_t to;
  /// Whose schedules transfer it.
  pipe::Entry entry;
  /// Which of the channels between the two it takes.
  StageChannel channel;
};

/// What a stage does next for a microbatch, or after the last one: it runs
/// tasks, one after the other, or releases a row, or sends or receives, or both
/// at once.
struct Step {
  /// What it runs, in order; none of a transfer.
  llvm::ArrayRef<pipe::TaskOp> tasks;
  /// What it sends, or null.
  const Hop *sent = nullptr;
  /// What it receives, or null.
  const Hop *received = nullptr;
  /// Of the tasks or of what is sent, or, if nothing is, of what is received.
  int64_t microbatch = 0;
  /// Of what is received.
  int64_t receivedMicrobatch = 0;
  /// Of the tasks, those that write something first.
  llvm::SmallVector<pipe::TaskOp, 1> first;
  /// The row that is not used any more, if it is this that it says.
  llvm::StringRef released;

  /// Runs tasks, one after the other.
  static Step run(llvm::ArrayRef<pipe::TaskOp> tasks, int64_t microbatch) {
    return {tasks, nullptr, nullptr, microbatch, microbatch, {}, {}};
  }
  /// Sends a value.
  static Step send(const Hop &hop, int64_t microbatch) {
    return {{}, &hop, nullptr, microbatch, microbatch, {}, {}};
  }
  /// Receives one.
  static Step receive(const Hop &hop, int64_t microbatch) {
    return {{}, nullptr, &hop, microbatch, microbatch, {}, {}};
  }
  /// Says that a row is not used any more.
  static Step release(llvm::StringRef row, int64_t microbatch) {
    return {{}, nullptr, nullptr, microbatch, microbatch, {}, row};
  }

  /// Whether `later` is this step, one microbatch later.
  bool repeatsAs(const Step &later) const {
    return tasks.data() == later.tasks.data() &&
           tasks.size() == later.tasks.size() && sent == later.sent &&
           received == later.received && microbatch + 1 == later.microbatch &&
           receivedMicrobatch + 1 == later.receivedMicrobatch &&
           first.empty() && later.first.empty() && released == later.released;
  }
};

/// Joins sends with receives behind them. A send to a stage followed by a
/// receive from it waits forever if the other side does the same, as it does in
/// the steady state of 1f1b. One of each becomes one step; of several, the
/// later stage receives before it sends.
void joinTransfers(std::vector<Step> &steps, int64_t stage);

/// Part of a list of steps that is done several times, each time a microbatch
/// later.
struct Repetition {
  /// How many steps it is.
  size_t length = 1;
  /// How often it is done.
  size_t times = 1;
};

/// Whether what begins at `begin` is such a part; if not, one step, once.
Repetition findRepetition(llvm::ArrayRef<Step> steps, size_t begin);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_STEPS_H
