//===- Stall.h - Finds the rank that stalls a job ---------------*- C++ -*-===//
//
// A job is stalled if no rank has finished an operation, or read or written a
// byte, for some time. The cause is a silent rank, which is stopped or has lost
// its network. If no rank is silent, it is a rank that does not wait for
// others. If all wait, it is the network or the program.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_STALL_H
#define PCC_RUNTIME_LAUNCH_STALL_H

#include "runtime/support/Progress.h"

#include <ctime>
#include <vector>

namespace pcc {
/// A clock in seconds that pauses while this process is stopped. (A suspended
/// machine stops the steady clock itself.)
class RunningClock {
public:
  /// `tick`: the maximum interval between calls of update().
  explicit RunningClock(double tick) : tick(tick) {}
  /// `steady` is the value of steadyNow(). Returns true if the process was
  /// stopped since the previous call; others may still be stopped.
  bool update(double steady);
  /// The time of the last update().
  double now() const { return seconds; }

private:
  double tick, seconds = 0, last = -1;
};

/// The state of a rank, as known here; times are of a RunningClock.
struct RankState {
  bool isPresent = true; ///< has not ended
  Progress progress;
  double heard = 0; ///< time of the last heartbeat
  double moved = 0; ///< time of the last progress
  time_t movedAt = 0;

  /// Records a heartbeat of the rank that arrived at `now`. `moved` changes
  /// only if it reports progress since the previous one.
  void hear(const Progress &heard, double now);
  /// Resets the times, as if there had been progress now.
  void restart(double now);
};

/// The minimum time limit in seconds for a flush to a disk, whose progress
/// cannot be observed.
const double leastFlush = 600;

/// The result of findStall().
struct Stall {
  /// Whether the job is stalled; if not, the other fields are meaningless.
  bool found = false;
  std::vector<int> ranks; ///< the cause; empty: all wait for others
  bool isSilent = false;  ///< whether these are silent
};
/// Examines all ranks; `ranks` is indexed by rank. Both times are in seconds,
/// `now` by the RunningClock; a flush has at least `leastFlush`.
Stall findStall(const std::vector<RankState> &ranks, double now,
                double timeout);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_STALL_H
