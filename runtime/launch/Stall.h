//===- Stall.h - Tells which rank holds up a job ----------------*- C++ -*-===//
//
// A job stands still if for a time no rank has finished an operation, read or
// written a byte. To blame is a rank of which nothing is heard, because it is
// stopped or its network is dead; if all are heard, one that does not wait for
// others; if all wait, the network or the program.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_STALL_H
#define PCC_RUNTIME_LAUNCH_STALL_H

#include "runtime/support/Progress.h"

#include <ctime>
#include <vector>

namespace pcc {
/// Seconds in which this process ran: those for which it was stopped do not
/// count. (A suspended machine stops the steady clock itself.)
class RunningClock {
public:
  /// `tick`: update() is called at least so often.
  explicit RunningClock(double tick) : tick(tick) {}
  /// `steady`: what steadyNow() gives. Returns true if the process was
  /// stopped since the call before; others may still be.
  bool update(double steady);
  /// Seconds of it until the last update().
  double now() const { return seconds; }

private:
  double tick, seconds = 0, last = -1;
};

/// What is known of a rank; times are those of a RunningClock.
struct RankState {
  bool isPresent = true; ///< has not left
  Progress progress;
  double heard = 0; ///< when something was heard last
  double moved = 0; ///< when progress was last seen
  time_t movedAt = 0;

  /// Takes in a message of the rank that came at `now`; `moved` stays where it
  /// tells of no progress since the one before.
  void hear(const Progress &heard, double now);
  /// Begins anew, as if there had been progress now.
  void restart(double now);
};

/// Seconds that a flush to a disk has at least: nobody sees how far it is.
const double leastFlush = 600;

/// What rank 0 finds.
struct Stall {
  /// Whether the job stands still; else the rest says nothing.
  bool found = false;
  std::vector<int> ranks; ///< to blame; empty: all wait for others
  bool isSilent = false;  ///< nothing is heard of these
};
/// Looks at all ranks, which are indices of `ranks`. Both times are in seconds,
/// `now` by the RunningClock; a flush is given `leastFlush` at least.
Stall findStall(const std::vector<RankState> &ranks, double now,
                double timeout);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_STALL_H
