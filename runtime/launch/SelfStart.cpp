//===- SelfStart.cpp - A program that starts its own ranks ----------------===//
//
// The parent process runs mpirun as a child rather than becoming it, so that
// signals and exit codes mean the same as under any other start.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/Handover.h"
#include "runtime/launch/JobFolder.h"
#include "runtime/launch/Launch.h"
#include "runtime/launch/Loopback.h"
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

static std::vector<std::string> mpirunArguments(int64_t ranks,
                                                const std::string &folder) {
  std::string count = std::to_string(ranks);
  return {
      "mpirun", "-q", "-n", count,
      // All ranks here, also inside a batch job with hosts of its own.
      "--host", "localhost:" + count, "--oversubscribe", "--bind-to", "none",
      "--mca", "plm", "isolated", "--mca", "ras",
      "^slurm,tm,lsf,gridengine,alps,loadleveler",
      // Ranks of one host need neither a network nor the time to look for one.
      "--mca", "pml", "ob1", "--mca", "btl", "self,vader",
      // A rank that waits lets others run: with more ranks than cores, or
      // beside other work, a step is a hundred times slower without.
      "--mca", "mpi_yield_when_idle", "1",
      // Open MPI's own folder belongs to all jobs of a user, and one that ends
      // may remove it while another starts.
      "--mca", "orte_tmpdir_base", folder, "--mca",
      "btl_vader_backing_directory", folder};
}

[[noreturn]] static void becomeMpirun(int64_t ranks, char **argv,
                                      const std::string &self,
                                      const std::string &folder, pid_t parent) {
  // A group of its own, so that Ctrl-C reaches the parent only. It ends with
  // the parent, also where it hangs or is stopped, and its ranks with it.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(ExitCommunication);
  int null = open("/dev/null", O_RDONLY);
  if (null >= 0)
    dup2(null, STDIN_FILENO);

  setenv("PCC_SELF_STARTED", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  if (ranks > availableCores())
    stopSpinsOfRanks();

  std::vector<std::string> arguments = mpirunArguments(ranks, folder);
  arguments.push_back(self);
  for (char **argument = argv + 1; *argument; ++argument)
    arguments.push_back(*argument);
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  // Debian's name for Open MPI's, which holds where MPICH owns "mpirun".
  execvp("mpirun.openmpi", pointers.data());
  execvp("mpirun", pointers.data());
  fail(ExitWorld, format("cannot run mpirun: %s", strerror(errno)),
       "starting several ranks needs Open MPI (Debian: openmpi-bin)");
}

/// What mpirun and the ranks need, as measured with Open MPI 4.1 on 4, 16 and
/// 64 ranks, with something to spare. mpirun has 25 descriptors and 3 for each
/// rank, and some more while it starts one.
static int64_t neededDescriptors(int64_t ranks) { return 48 + 4 * ranks; }
/// 8 MiB of addresses and settings, and for each rank a file of 4 MiB in which
/// others leave it messages.
static int64_t neededBytes(int64_t ranks) {
  return (int64_t{12} << 20) + ranks * (int64_t{9} << 19);
}

/// Sees to it that mpirun may open what it needs; with less it hangs.
static void allowDescriptors(int64_t ranks) {
  // Those that it inherits count, too.
  int64_t needed = neededDescriptors(ranks) +
                   static_cast<int64_t>(listFolder("/proc/self/fd").size());
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) ||
      limit.rlim_cur >= static_cast<rlim_t>(needed))
    return;
  // No more than needed: mpirun closes them one by one in each rank.
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

/// Seconds in which all ranks must have joined. 64 of them took 2 s on two
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
       "the environment variable PCC_START_SECONDS gives them more (0: any)");
}

/// The exit code of a run that ended so.
static int outcome(const Ending &ending, int64_t ranks) {
  int status = ending.status;
  if (ending.deaf) {
    warn(format("%s ended the ranks before they had all started",
                signalName(stopSignal())));
    return ExitDone;
  }
  if (ending.late)
    failLate(ranks);
  if (ending.stuck) {
    warn("mpirun did not end when its ranks were done, and was killed");
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
  // mpirun's own child could not even start it.
  if (code == ExitWorld && startedRanks() == 0)
    return code;
  std::vector<LostRank> lost = lostRanks();
  if (code == 0 && lost.empty())
    return ExitDone;
  if (startedRanks() == 0)
    fail(ExitCommunication,
         format("mpirun could not start %lld ranks (it exited with %d)",
                static_cast<long long>(ranks), code),
         format("'mpirun -n %lld' with this program says more",
                static_cast<long long>(ranks)));
  std::string who = "a rank";
  if (lost.size() == 1)
    who = format("rank %d (process %d)", lost[0].rank, lost[0].pid);
  std::string how = format("ended with code %d", code);
  if (WIFSIGNALED(status))
    how = format("was lost: mpirun was killed by signal %d", WTERMSIG(status));
  else if (code > 128)
    how = format("was lost: killed by signal %d (%s)", code - 128,
                 strsignal(code - 128));
  std::string note;
  if (code == 128 + SIGKILL)
    note = "signal 9 nobody sent is often the kernel, out of memory: 'dmesg' "
           "tells";
  if (code == 128 + SIGBUS)
    note = "signal 7 is often a file system that is full, such as /dev/shm, "
           "under memory that ranks share";
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
  allowDescriptors(ranks);
  Supervisor supervisor;
  std::string folder = createJobFolder(neededBytes(ranks));
  std::string mark = createStatusBoard(folder, static_cast<int>(ranks));
  int streams = offerStreams(folder);
  // Hardening: a kernel that cannot do it leaves mpirun as it is.
  int binds = holdBinds();
  pid_t parent = getpid(), started = streams < 0 ? -1 : fork();
  if (started == 0) {
    supervisor.prepareLauncher();
    becomeMpirun(ranks, argv, path, folder, parent);
  }
  int error = errno;
  if (started < 0) {
    removeJobFolder(folder);
    fail(ExitWorld, format("cannot start the ranks: %s", strerror(error)));
  }
  JobProcesses job(started, mark);
  Ending ending = supervisor.supervise(
      job, static_cast<int>(ranks),
      {{streams, serveStreams}, {binds, serveBinds}}, seconds);
  removeJobFolder(folder);
  return outcome(ending, ranks);
}
