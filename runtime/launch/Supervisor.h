//===- Supervisor.h - The parent of a self-started job ----------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_SUPERVISOR_H
#define PCC_RUNTIME_LAUNCH_SUPERVISOR_H

#include "runtime/launch/JobProcesses.h"

#include <csignal>
#include <set>
#include <vector>

namespace pcc {

/// The end of a job.
struct Ending {
  int status = 0; ///< of the launcher, from waitpid
  int signal =
      0; ///< the signal because of which all processes were killed, or 0
  bool late = false; ///< all were killed: not all ranks joined in time
  /// All were killed: an end was requested, but the ranks never joined to learn
  /// of it.
  bool neverJoined = false;
  bool stuck =
      false; ///< the launcher was killed: it did not end after its ranks
};

/// Queues the signals of this process until the job can be told, and tells it.
/// The handlers of Signals.h do not run any more.
class Supervisor {
public:
  Supervisor();
  /// In the child that becomes the launcher: leaves signals to this process.
  void prepareLauncher() const;

  /// Waits for the end of the job. All ranks must join within `seconds`, not
  /// counting time in which the job was stopped; 0: no limit.
  Ending supervise(JobProcesses &job, int ranks, double seconds);

private:
  /// Returns the signal that must end the job at once, or 0.
  int takeSignals(JobProcesses &job);
  void suspend(JobProcesses &job);

  sigset_t taken;
  std::set<int> ignored; ///< SIGINT and SIGQUIT if ignored at the start
  int queue = -1;
};

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_SUPERVISOR_H
