//===- Clocks.h - What streams know of each other ---------------*- C++ -*-===//
//
// Operations of a stream are numbered from 1 in program order. A stream's clock
// says of every stream how many of its operations are over before what the
// stream is given next; a record keeps the clock, a wait adds what it says:
//
//                          clock of 0   of 1
//     copy %a to %b          (1, 0)    (0, 0)
//     record %e              (1, 0)    (0, 0)     %e is (1, 0)
//     wait %e stream 1       (1, 0)    (1, 0)
//     send %b stream 1       (1, 0)    (1, 1)     knows of the copy
//     zero %b                (2, 0)    (1, 1)     does not know of the send
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

/// By stream; as many as there are.
using Clock = llvm::SmallVector<int64_t, 6>;

/// Adds what another clock says.
void join(Clock &clock, const Clock &other);

/// What used some bytes.
struct TimedAccess {
  /// Its stream; -1 for no access.
  int64_t stream = -1;
  /// Its operation's number.
  int64_t number = 0;
  /// Null for the runtime, which fills inputs and reads results.
  mlir::Operation *op = nullptr;
  /// Which run of an entry point it was in, from 0.
  int64_t run = 0;

  bool operator==(const TimedAccess &other) const {
    return stream == other.stream && number == other.number;
  }
};

/// Accesses to some bytes since they were written last.
struct History {
  /// What wrote them.
  TimedAccess writer;
  /// The last reader of each stream since then, by stream.
  llvm::SmallVector<TimedAccess, 2> readers;

  bool operator==(const History &other) const {
    return writer == other.writer && readers == other.readers;
  }
};

/// All that decides what may still go wrong.
struct ClockState {
  /// Of streams: how many operations each was given, and what it knows.
  Clock counts;
  /// By stream.
  std::vector<Clock> clocks;
  /// By event and slot: the clock of its last record.
  std::vector<std::optional<Clock>> events;
  /// By byte of the arena.
  Intervals<History> histories;

  /// Notes an access made by the last operation of its stream, at `clock`.
  /// Gives an earlier one that is not ordered with it, if there is one.
  std::optional<TimedAccess> add(const TimedAccess &access, const Clock &clock,
                                 int64_t begin, int64_t end, bool isWrite);
  /// The state without histories of some bytes; ranges come in order.
  ClockState outside(const Ranges &ranges) const;
  /// Forgets what all streams know of. Returns a description of the rest: two
  /// states with the same one have the same future.
  std::vector<int64_t> canonicalize();
};

/// A state that comes again and again as something is repeated: each time all
/// numbers of a stream have grown alike, but for those that were old already.
class Growth {
public:
  /// Whether what led from `before` to `after` leads on in the same way.
  static std::optional<Growth> find(const ClockState &before,
                                    const ClockState &after);

  /// A number of a stream, so many repetitions later.
  int64_t grow(int64_t stream, int64_t number, int64_t times) const {
    return number > old[stream] ? number + times * step[stream] : number;
  }
  /// A clock, so many repetitions later.
  Clock grow(Clock clock, int64_t times) const;
  /// A state, so many repetitions later; what is apart, in order, stays.
  void grow(ClockState &state, int64_t times, const Ranges &apart) const;

private:
  /// By stream: how much its numbers grow, those above `old`.
  Clock step, old;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_CLOCKS_H
