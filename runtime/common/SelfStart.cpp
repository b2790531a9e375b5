//===- SelfStart.cpp - A program that starts its own ranks ----------------===//
//
// The parent process runs mpirun as a child rather than becoming it, so that
// signals and exit codes mean the same as under any other start.
//
//===----------------------------------------------------------------------===//

#include "runtime/common/Error.h"
#include "runtime/common/JobFolder.h"
#include "runtime/common/Launch.h"
#include "runtime/common/ProgressBar.h"
#include "runtime/common/StatusBoard.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

static volatile pid_t child = 0;
static volatile sig_atomic_t interrupted = 0;

static void passOn(int signal) {
  if (signal == SIGINT)
    interrupted = 1;
  // mpirun takes SIGTERM as an order to kill the ranks, but hands SIGUSR1 on.
  if (child > 0)
    kill(child, signal == SIGTERM ? SIGUSR1 : signal);
}

static void watch(int signal) {
  struct sigaction action = {};
  action.sa_handler = passOn;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

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
  // A group of its own, so that Ctrl-C reaches it through the parent only;
  // it ends when the parent is killed.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(ExitCommunication);
  int null = open("/dev/null", O_RDONLY);
  if (null >= 0)
    dup2(null, STDIN_FILENO);

  setenv("PCC_SELF_STARTED", "1", 1);
  setenv("PCC_COLUMNS", std::to_string(terminalColumns()).c_str(), 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  if (ranks > availableCores())
    setenv("OMP_WAIT_POLICY", "passive", 0);

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

/// The exit code of a run whose mpirun ended with `status`.
static int outcome(int status, int64_t ranks) {
  if (interrupted)
    return 128 + SIGINT;
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
  fail(ExitCommunication, who + " " + how + "; all other ranks were ended",
       code == 128 + SIGKILL ? "signal 9 nobody sent is often the kernel, out "
                               "of memory: 'dmesg' tells"
                             : "");
}

int pcc::startRanks(int64_t ranks, char **argv) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  if (length < 0 || length == sizeof(self))
    fail(ExitWorld, "cannot find this executable through /proc/self/exe");
  std::string path(self, length);

  std::string folder = createJobFolder();
  createStatusBoard(folder, static_cast<int>(ranks));
  for (int signal : {SIGTERM, SIGUSR1, SIGINT})
    watch(signal);
  pid_t parent = getpid();
  // A signal between the fork and the note of its result would be lost.
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t started = fork();
  if (started == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    becomeMpirun(ranks, argv, path, folder, parent);
  }
  child = started;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (started < 0)
    fail(ExitWorld, format("cannot fork: %s", strerror(errno)));
  int status = 0;
  while (waitpid(started, &status, 0) < 0 && errno == EINTR) {
  }
  removeJobFolder(folder);
  return outcome(status, ranks);
}
