//===- Steps.h - The steps of a stage as a list -----------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_STEPS_H
#define PCC_PASSES_PIPELINE_STEPS_H

#include "dialects/Pipe/Pipe.h"

namespace pcc {

/// Point-to-point channels between two stages; each direction has its own.
enum StageChannel : int64_t { kActivations = 0, kGradients = 1, kTied = 2 };

/// The transfer of a value from one stage to the next, towards its user; on
/// channel kTied directly to its user.
struct StageTransfer {
  llvm::StringRef value;
  int64_t from;
  /// The receiving stage: next to `from`, or on channel kTied any other.
  int64_t to;
  /// The entry point whose schedules transfer it.
  pipe::Entry entry;
  StageChannel channel;
};

/// A step of a stage for a microbatch, or after the last one: it runs tasks,
/// releases a bucket, sends, receives, or sends and receives at once.
struct Step {
  /// The tasks that it runs, in order; none for a transfer or a release.
  llvm::ArrayRef<pipe::TaskOp> tasks;
  /// The value that it sends, or null.
  const StageTransfer *sent = nullptr;
  /// The value that it receives, or null.
  const StageTransfer *received = nullptr;
  /// The microbatch of the tasks, of the sent value or, without either, of the
  /// received value.
  int64_t microbatch = 0;
  /// The microbatch of the received value.
  int64_t receivedMicrobatch = 0;
  /// The tasks that run for the first time here and initialize gradients that
  /// their later runs do not.
  llvm::SmallVector<pipe::TaskOp, 1> first;
  /// The bucket that it releases, if any.
  llvm::StringRef released;

  static Step run(llvm::ArrayRef<pipe::TaskOp> tasks, int64_t microbatch) {
    return {tasks, nullptr, nullptr, microbatch, microbatch, {}, {}};
  }
  static Step send(const StageTransfer &transfer, int64_t microbatch) {
    return {{}, &transfer, nullptr, microbatch, microbatch, {}, {}};
  }
  static Step receive(const StageTransfer &transfer, int64_t microbatch) {
    return {{}, nullptr, &transfer, microbatch, microbatch, {}, {}};
  }
  /// Releases a bucket.
  static Step release(llvm::StringRef row, int64_t microbatch) {
    return {{}, nullptr, nullptr, microbatch, microbatch, {}, row};
  }

  /// Whether `later` is the same step one microbatch later.
  bool repeatsAs(const Step &later) const {
    return tasks.data() == later.tasks.data() &&
           tasks.size() == later.tasks.size() && sent == later.sent &&
           received == later.received && microbatch + 1 == later.microbatch &&
           receivedMicrobatch + 1 == later.receivedMicrobatch &&
           first.empty() && later.first.empty() && released == later.released;
  }
};

/// Pairs sends with the receives after them. If both stages send to each other
/// and then receive, as in the steady state of 1f1b, both wait forever. One
/// send and one receive become one exchange. Of several, the later stage
/// receives before it sends.
void pairTransfers(std::vector<Step> &steps, int64_t stage);

/// A part of a list of steps that repeats, each time a microbatch later.
struct Repetition {
  /// The number of steps.
  size_t length = 1;
  /// The number of repetitions.
  size_t times = 1;
};

/// Returns the repetition that begins at `begin`; if there is none, one step,
/// once.
Repetition findRepetition(llvm::ArrayRef<Step> steps, size_t begin);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_STEPS_H
