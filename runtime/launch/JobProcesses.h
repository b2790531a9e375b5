//===- JobProcesses.h - The processes of a self-started job -----*- C++ -*-===//
//
// mpirun may hang or be gone, and each rank leads a process group of its own.
// What belongs to a job is told by the environment that all its processes
// inherit, in which the job's folder stands.
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
  /// Finds those of the job that `launcher` starts: a child of this process,
  /// whose environment has `mark` as one of its entries "NAME=value". Processes
  /// whose parent dies become this process's from here on.
  JobProcesses(pid_t launcher, const std::string &mark);

  /// Looks for processes that ended; true when the launcher has. Its status as
  /// waitpid gives it is then in `status`.
  bool launcherEnded(int &status);

  /// SIGSTOP and SIGCONT for all of them.
  void stop() const;
  /// Lets all go on that stop() stopped.
  void resume() const;

  /// Kills all of them and waits until they are gone; gives up on one that the
  /// kernel does not let go of within 10 s.
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
