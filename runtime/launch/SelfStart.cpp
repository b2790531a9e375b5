//===- SelfStart.cpp - A program that starts its own ranks ----------------===//
//
// The parent process has a child that starts the ranks (ExecRanks.h), and
// supervises them. So signals and exit codes have the same meaning as under any
// launcher.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/launch/ExecRanks.h"
#include "runtime/launch/JobMemory.h"
#include "runtime/launch/Launch.h"
#include "runtime/launch/Signals.h"
#include "runtime/launch/StatusBoard.h"
#include "runtime/launch/Supervisor.h"
#include "runtime/launch/Waiting.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

static int availableCores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof(cores), &cores) ? 1 : CPU_COUNT(&cores);
}

/// The child that starts the ranks.
[[noreturn]] static void becomeLauncher(int64_t ranks, char **argv,
                                        const std::string &self, pid_t parent) {
  // It has its own process group, so that Ctrl-C reaches only the parent. It
  // ends with the parent even if it hangs or is stopped, and its ranks end with
  // it.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(ExitCommunication);
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null >= 0)
    dup2(null, STDIN_FILENO);
  if (ranks > availableCores())
    stopSpinsOfRanks();
  becomeStarter(ranks, argv, self);
}

/// The number of descriptors that rank 0 needs, with some reserve: it has two
/// connections with each other rank, and any two ranks may have two.
static int64_t neededDescriptors(int64_t ranks) { return 48 + 4 * ranks; }

/// Raises the limit of open files if rank 0 needs more.
static void allowDescriptors(int64_t ranks) {
  // Inherited descriptors count, too.
  int64_t needed = neededDescriptors(ranks) +
                   static_cast<int64_t>(listFolder("/proc/self/fd").size());
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) ||
      limit.rlim_cur >= static_cast<rlim_t>(needed))
    return;
  limit.rlim_cur = needed;
  if (limit.rlim_max < limit.rlim_cur || setrlimit(RLIMIT_NOFILE, &limit))
    fail(ExitWorld,
         format("starting %lld ranks needs %lld file descriptors, the limit is "
                "%lld",
                static_cast<long long>(ranks), static_cast<long long>(needed),
                static_cast<long long>(limit.rlim_max)),
         format("raise it with 'ulimit -n %lld', or have the hard limit raised",
                static_cast<long long>(needed)));
}

/// The time limit in seconds for all ranks to join. 64 ranks took 2 s on two
/// cores; a busy host or a slow file system takes longer.
static double startSeconds(int64_t ranks) {
  const char *given = getenv("PCC_START_SECONDS");
  if (!given || !*given)
    return 120 + 2.0 * ranks;
  char *end;
  double seconds = strtod(given, &end);
  if (*end || !(seconds >= 0))
    fail(ExitUsage,
         format("PCC_START_SECONDS: '%s' is not a number of seconds", given));
  return seconds;
}

[[noreturn]] static void failLate(int64_t ranks) {
  fail(ExitCommunication,
       format("the ranks did not start within %g s: of %lld, %d started and %d "
              "joined the others",
              startSeconds(ranks), static_cast<long long>(ranks),
              startedRanks(), joinedRanks()),
       "the environment variable PCC_START_SECONDS sets this limit (0: none)");
}

/// The exit code of a run with this ending.
static int outcome(const Ending &ending, int64_t ranks) {
  int status = ending.status;
  if (ending.neverJoined) {
    warn(format("%s ended the ranks before they had all started",
                signalName(stopSignal())));
    return ExitDone;
  }
  if (ending.late)
    failLate(ranks);
  if (ending.stuck) {
    warn("ranks did not end when they were done, and were killed");
    return firstFailure();
  }
  if (ending.signal && stopSignal())
    warn(format("%s ended the ranks before they had stopped",
                signalName(ending.signal)));
  if (ending.signal)
    return 128 + ending.signal;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (int failure = firstFailure())
    return failure;
  // The child could not start the ranks, and has printed the error.
  if (code == ExitWorld && startedRanks() == 0)
    return code;
  std::vector<LostRank> lost = lostRanks();
  if (code == 0 && lost.empty())
    return ExitDone;
  if (startedRanks() == 0)
    fail(ExitCommunication,
         format("the process that starts the %lld ranks ended with %d",
                static_cast<long long>(ranks), code));
  std::string who = "a rank";
  if (lost.size() == 1)
    who = format("rank %d (process %d)", lost[0].rank, lost[0].pid);
  std::string how = format("ended with code %d", code);
  if (WIFSIGNALED(status))
    how = format("was lost: the process that started it was killed by signal "
                 "%d",
                 WTERMSIG(status));
  else if (code > 128)
    how = format("was lost: killed by signal %d (%s)", code - 128,
                 strsignal(code - 128));
  std::string note;
  if (code == 128 + SIGKILL)
    note = "the kernel sends signal 9 when memory runs out: see 'dmesg'";
  if (code == 128 + SIGBUS)
    note = "signal 7 often means that memory ran out, or that a file which the "
           "program reads was shortened";
  fail(ExitCommunication, who + " " + how + "; all other ranks were ended",
       note);
}

int pcc::startRanks(int64_t ranks, char **argv) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  if (length < 0 || length == sizeof(self))
    fail(ExitWorld, "cannot find this executable through /proc/self/exe");
  std::string path(self, length);

  double seconds = startSeconds(ranks);
  if (!backend::usesMPI())
    checkDevices(ranks);
  allowDescriptors(ranks);
  Supervisor supervisor;
  std::string mark = createJobMemory(ranks);
  createStatusBoard(static_cast<int>(ranks));
  pid_t parent = getpid(), started = fork();
  if (started == 0) {
    supervisor.prepareLauncher();
    becomeLauncher(ranks, argv, path, parent);
  }
  if (started < 0)
    fail(ExitWorld, format("cannot start the ranks: %s", strerror(errno)));
  JobProcesses job(started, mark);
  Ending ending = supervisor.supervise(job, static_cast<int>(ranks), seconds);
  return outcome(ending, ranks);
}
