//===- Clocks.h - Vector clocks of streams ----------------------*- C++ -*-===//
//
// Operations of a stream are numbered from 1 in program order. The clock of
// stream s counts, for every stream, its operations that are complete before
// the next operation of s starts. A record stores the clock of its stream in
// the event; a wait merges the event's clock into the stream's:
//
//                          clock of 0   of 1
//     copy %a to %b          (1, 0)    (0, 0)
//     record %e              (1, 0)    (0, 0)     %e is (1, 0)
//     wait %e stream 1       (1, 0)    (1, 0)
//     send %b stream 1       (1, 0)    (1, 1)     is after the copy
//     zero %b                (2, 0)    (1, 1)     races with the send
//
// Two accesses are ordered if the later one's clock counts the earlier one.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_CLOCKS_H
#define PCC_PASSES_CODEGEN_VERIFY_CLOCKS_H

#include "mlir/IR/Operation.h"
#include "passes/Codegen/Verify/Intervals.h"
#include <optional>

namespace pcc {

/// One entry per stream of the stage.
using Clock = llvm::SmallVector<int64_t, 6>;

/// Merges another clock into a clock: the maximum per stream.
void join(Clock &clock, const Clock &other);

/// An access to some bytes.
struct TimedAccess {
  /// Its stream; -1 for no access.
  int64_t stream = -1;
  /// The number of its operation.
  int64_t number = 0;
  /// Null for the runtime, which fills inputs and reads outputs.
  mlir::Operation *op = nullptr;
  /// The run of an entry point that it was in, from 0.
  int64_t run = 0;

  bool operator==(const TimedAccess &other) const {
    return stream == other.stream && number == other.number;
  }
};

/// The accesses to some bytes since the last write, and that write.
struct History {
  /// The last write.
  TimedAccess writer;
  /// The last read on each stream since then, ordered by stream.
  llvm::SmallVector<TimedAccess, 2> readers;

  bool operator==(const History &other) const {
    return writer == other.writer && readers == other.readers;
  }
};

/// The state of all streams and events, which determines later races.
struct ClockState {
  /// By stream: the number of operations issued.
  Clock counts;
  /// By stream: its clock.
  std::vector<Clock> clocks;
  /// By event and slot: the clock of its last record.
  std::vector<std::optional<Clock>> events;
  /// By byte of the arena: its accesses.
  Intervals<History> histories;

  /// Adds an access by the last operation of its stream, at `clock`. Returns an
  /// earlier conflicting access that is not ordered with it, if there is one.
  std::optional<TimedAccess> add(const TimedAccess &access, const Clock &clock,
                                 int64_t begin, int64_t end, bool isWrite);
  /// Returns the state without the histories of some bytes; `ranges` are in
  /// order.
  ClockState outside(const Ranges &ranges) const;
  /// Drops accesses that all streams are ordered after. Returns a key of the
  /// rest: states with equal keys have the same future.
  std::vector<int64_t> canonicalize();
};

/// A state that repeats itself: in each repetition all numbers of a stream grow
/// by the same amount, except old ones, which stay.
class Growth {
public:
  /// Returns the growth from `before` to `after` if repeating the same
  /// operations continues it; nothing otherwise.
  static std::optional<Growth> find(const ClockState &before,
                                    const ClockState &after);

  /// Returns a number of a stream after so many repetitions.
  int64_t grow(int64_t stream, int64_t number, int64_t times) const {
    return number > old[stream] ? number + times * step[stream] : number;
  }
  /// Returns a clock after so many repetitions.
  Clock grow(Clock clock, int64_t times) const;
  /// Advances a state by so many repetitions; bytes in `separate`, which are in
  /// order, stay as they are.
  void grow(ClockState &state, int64_t times, const Ranges &separate) const;

private:
  /// By stream: the growth of its numbers above `old` per repetition.
  Clock step, old;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_CLOCKS_H
