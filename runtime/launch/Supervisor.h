//===- Supervisor.h - The parent of a self-started job ----------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_SUPERVISOR_H
#define PCC_RUNTIME_LAUNCH_SUPERVISOR_H

#include "runtime/launch/JobProcesses.h"

#include <csignal>
#include <set>
#include <vector>

namespace pcc {

/// How a job ended.
struct Ending {
  int status = 0;    ///< of the launcher, as waitpid gives it
  int signal = 0;    ///< all was killed because of it; 0: it was not
  bool late = false; ///< all was killed: not all ranks joined in time
  /// All was killed: an end was asked for, and the ranks did not come together
  /// to hear of it.
  bool deaf = false;
  bool stuck = false; ///< the launcher was killed: all ranks were done
};

/// What the job asks for: called when the descriptor is readable.
struct Service {
  /// Watched for as long as the job runs; whoever gave it closes it.
  int descriptor;
  /// Called on the supervising thread, with the same descriptor.
  void (*serve)(int descriptor);
};

/// Has the signals of this process wait until the job is there to be told, and
/// tells it; the handlers of Signals.h do not run any more.
class Supervisor {
public:
  Supervisor();
  /// In the child that becomes the launcher: leaves signals to this process.
  void prepareLauncher() const;

  /// Waits for the end of the job and serves it. Within `seconds` all ranks
  /// must have joined, not counting time in which all was stopped; 0: whenever.
  Ending supervise(JobProcesses &job, int ranks,
                   const std::vector<Service> &services, double seconds);

private:
  /// The signal that ends all at once, or 0.
  int takeSignals(JobProcesses &job);
  void suspend(JobProcesses &job);

  sigset_t taken;
  std::set<int> ignored; ///< of SIGINT and SIGQUIT: from the terminal
  int queue = -1;
};

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_SUPERVISOR_H
