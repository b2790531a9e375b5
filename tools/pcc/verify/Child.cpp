//===- Child.cpp - Processes that pcc verify starts -----------------------===//

#include "tools/pcc/verify/Child.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pcc;

/// The running children, for the signal handler; 0: a free place.
static constexpr int kMostChildren = 8;
static std::atomic<pid_t> children[kMostChildren];
static std::atomic<int> caught = 0;

static void passOn(int signal) {
  caught = signal;
  for (std::atomic<pid_t> &child : children)
    if (pid_t id = child)
      // Programs end at once, without a checkpoint.
      ::kill(id, SIGINT);
}

void pcc::catchSignals() {
  struct sigaction action = {};
  action.sa_handler = passOn;
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    ::sigaction(signal, &action, nullptr);
}

int pcc::caughtSignal() { return caught; }

std::string pcc::readWhole(llvm::StringRef path) {
  // Files of /proc tell no size.
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().str() : "";
}

Child Child::fork(llvm::StringRef log, llvm::function_ref<int()> body) {
  llvm::outs().flush();
  llvm::errs().flush();
  std::string path = log.str();
  Child child;
  child.id = ::fork();
  if (child.id < 0)
    llvm::report_fatal_error("cannot start a process", false);
  if (child.id == 0) {
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
      ::signal(signal, SIG_DFL);
    if (!path.empty()) {
      int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      if (file < 0)
        ::_exit(1);
      ::dup2(file, STDOUT_FILENO);
      ::dup2(file, STDERR_FILENO);
      ::close(file);
    }
    int code = body();
    llvm::outs().flush();
    llvm::errs().flush();
    ::_exit(code);
  }
  for (std::atomic<pid_t> &place : children) {
    pid_t none = 0;
    if (place.compare_exchange_strong(none, child.id))
      break;
  }
  // The signal may have come before the child was noted.
  if (caught)
    ::kill(child.id, SIGINT);
  return child;
}

/// The variables by which programs recognize a launcher, and those with which
/// a child's results would depend on its parent's.
static constexpr const char *kLaunchers[] = {
    "RANK",           "WORLD_SIZE",
    "LOCAL_RANK",     "MASTER_ADDR",
    "MASTER_PORT",    "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK",       "OMPI_COMM_WORLD_RANK",
    "PMI_SIZE",       "SLURM_PROCID",
    "SLURM_NTASKS",   "SLURM_STEP_ID",
    "SLURM_STEPID",   "PMIX_RANK",
    "PMIX_NAMESPACE", "SLURM_LOCALID",
    "PMI_FD",         "OMPI_COMM_WORLD_LOCAL_RANK"};

Child Child::run(llvm::StringRef log, llvm::ArrayRef<std::string> command,
                 int threads) {
  return fork(log, [&] {
    for (const char *name : kLaunchers)
      ::unsetenv(name);
    if (threads)
      ::setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
    llvm::SmallVector<char *> arguments;
    for (const std::string &argument : command)
      arguments.push_back(const_cast<char *>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    llvm::errs() << "error: cannot start '" << command[0]
                 << "': " << ::strerror(errno) << "\n";
    return 127;
  });
}

void Child::stop() {
  ::kill(id, SIGKILL);
  (void)wait();
}

int Child::wait() {
  int status = 0;
  while (::waitpid(id, &status, 0) < 0)
    if (errno != EINTR)
      return 1;
  for (std::atomic<pid_t> &place : children) {
    pid_t own = id;
    place.compare_exchange_strong(own, 0);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
