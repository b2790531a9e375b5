//===- JobProcesses.h - The processes of a self-started job -----*- C++ -*-===//
//
// The process that started the ranks may hang or be gone. So the processes of a
// job are recognized by their inherited environment.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_JOBPROCESSES_H
#define PCC_RUNTIME_LAUNCH_JOBPROCESSES_H

#include <string>
#include <sys/types.h>
#include <vector>

namespace pcc {

/// Finds the processes of a job, waits for its launcher, and stops, continues
/// or kills all of them.
class JobProcesses {
public:
  /// The job of `launcher`, a child of this process. `mark`, an entry
  /// "NAME=value", is in the environment of all its processes. From now on,
  /// this process adopts processes whose parent dies.
  JobProcesses(pid_t launcher, const std::string &mark);

  /// Reaps processes that ended. Returns true if the launcher has ended;
  /// `status` is then its status from waitpid.
  bool launcherEnded(int &status);

  /// Sends SIGSTOP to all processes.
  void stop() const;
  /// Sends SIGCONT to all processes.
  void resume() const;

  /// Kills all processes and waits until they are gone, for at most 10 s.
  void end();

private:
  std::vector<pid_t> find() const;
  void collect();

  pid_t launcher;
  std::string mark;
  bool ended = false;
  int launcherStatus = 0;
};

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_JOBPROCESSES_H
