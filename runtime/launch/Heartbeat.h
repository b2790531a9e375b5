//===- Heartbeat.h - Detection of lost and hung ranks -----------*- C++ -*-===//
//
// A rank that waits for a dead one in a collective hangs forever, and some
// launchers do not end the survivors. So every rank has a heartbeat connection
// with rank 0. Its closing reports a death that MPI does not report. Heartbeats
// carry each side's progress, so that a hung rank is detected, too.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_HEARTBEAT_H
#define PCC_RUNTIME_LAUNCH_HEARTBEAT_H

#include <cstdint>

namespace pcc {

/// Options of startHeartbeat().
struct HeartbeatOptions {
  /// Seconds without any progress after which the job ends with
  /// ExitCommunication, naming the ranks that caused it, if any did; 0: never.
  int64_t timeout = 600;
  /// Whether a parent process detects ranks that die and reports them in more
  /// detail: see StatusBoard.h.
  bool hasParent = false;
  /// Whether the launcher keeps waiting for all ranks after one has exited with
  /// a code, as srun does.
  bool launcherWaits = false;
};

/// Connects to rank 0 and monitors the ranks from then on; all ranks call it.
/// Without `hasParent` the death of a rank makes all others exit with
/// ExitCommunication, and one of them names the dead rank; if a rank fails, the
/// others exit with its code. If the connections cannot be established, rank 0
/// warns and the run continues.
void startHeartbeat(const HeartbeatOptions &options);

/// Tells the other ranks that this rank ends on purpose: with code 0 that it is
/// done, otherwise that it failed with this code and has printed the error.
void endHeartbeat(int code);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_HEARTBEAT_H
