//===- Supervisor.cpp - The parent of a self-started job ------------------===//
//
// Only the parent receives signals. Ranks read the request to end on the status
// board when they are ready for it.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/Supervisor.h"

#include "runtime/launch/Signals.h"
#include "runtime/launch/StatusBoard.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

using namespace pcc;

static bool isIgnored(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

Supervisor::Supervisor() {
  sigemptyset(&taken);
  for (int signal : {SIGTERM, SIGUSR1, SIGINT, SIGQUIT, SIGCHLD})
    sigaddset(&taken, signal);
  // These are ignored under nohup, and in shells that cannot continue what they
  // stop.
  for (int signal : {SIGHUP, SIGTSTP})
    if (!isIgnored(signal))
      sigaddset(&taken, signal);
  // Background jobs of a shell ignore Ctrl-C, but not kill -INT.
  for (int signal : {SIGINT, SIGQUIT})
    if (isIgnored(signal))
      ignored.insert(signal);
  sigprocmask(SIG_BLOCK, &taken, nullptr);
  queue = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  if (queue < 0)
    fail(ExitWorld, format("cannot wait for signals: %s", strerror(errno)));
}

void Supervisor::prepareLauncher() const {
  signal(SIGPIPE, SIG_DFL);
  // Batch systems signal all processes of a job. The process that starts the
  // ranks must not end before them. So its other signals stay blocked.
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_UNBLOCK, &children, nullptr);
}

void Supervisor::suspend(JobProcesses &job) {
  job.stop();
  // The shell sees this process stop like any other, until the shell continues
  // it.
  raise(SIGSTOP);
  job.resume();
}

int Supervisor::takeSignals(JobProcesses &job) {
  signalfd_siginfo info;
  while (read(queue, &info, sizeof(info)) == sizeof(info)) {
    int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGINT || signal == SIGQUIT) {
      if (info.ssi_code != SI_KERNEL || !ignored.count(signal))
        return signal;
    } else if (signal == SIGTSTP) {
      suspend(job);
    } else if (signal != SIGCHLD) {
      if (noteSignal(signal))
        return signal;
      askToStop(stopSignal());
    }
  }
  return 0;
}

Ending Supervisor::supervise(JobProcesses &job, int ranks, double seconds) {
  // endPatience: seconds for the ranks to end after they are done. That takes
  // moments, but they may hang or be stopped.
  const double tick = 0.1, endPatience = 30;
  double waited = 0, asked = 0, left = 0, last = steadyNow();
  Ending ending;
  // Requests from before this call.
  if (stopSignal())
    askToStop(stopSignal());
  while (!job.launcherEnded(ending.status)) {
    bool starts = joinedRanks() < ranks;
    pollfd entry = {queue, POLLIN, 0};
    poll(&entry, 1, static_cast<int>(1000 * (starts ? tick : 5 * tick)));
    ending.signal = takeSignals(job);
    // During a longer pause this process was stopped.
    double passed = std::min(steadyNow() - last, 10 * tick);
    last = steadyNow();
    waited += passed;
    asked += starts && stopSignal() ? passed : 0;
    left += isJobOver() ? passed : 0;
    ending.late = starts && seconds > 0 && waited > seconds;
    ending.neverJoined = starts && asked > startPatience;
    ending.stuck = left > endPatience;
    if (ending.signal || ending.late || ending.neverJoined || ending.stuck)
      break;
  }
  job.end();
  return ending;
}
