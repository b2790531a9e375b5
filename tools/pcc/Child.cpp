//===- Child.cpp - Child processes ----------------------------------------===//

#include "tools/pcc/Child.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// The running children, for the signal handler: the negative id of a group; 0:
/// a free place.
static constexpr int kMostChildren = 8;
static std::atomic<pid_t> children[kMostChildren];
static std::atomic<int> caughtSignal = 0;

/// Programs end at once on SIGINT, without a checkpoint, and pcc removes its
/// files. Python reports a SIGINT as an error.
static int endingSignal(bool isGroup) { return isGroup ? SIGTERM : SIGINT; }

static void endChild(pid_t child) { ::kill(child, endingSignal(child < 0)); }

static void passOn(int signal) {
  caughtSignal = signal;
  for (std::atomic<pid_t> &child : children)
    if (pid_t id = child)
      endChild(id);
}

CaughtSignals *CaughtSignals::current = nullptr;

CaughtSignals::CaughtSignals() {
  if (current)
    return;
  caughtSignal = 0;
  current = this;
  struct sigaction action = {};
  action.sa_handler = passOn;
  for (int i = 0; i < kCount; ++i) {
    ::sigaction(kSignals[i], &action, &before[i]);
    if (before[i].sa_handler == SIG_IGN)
      ::sigaction(kSignals[i], &before[i], nullptr);
  }
}

void CaughtSignals::restore() const {
  for (int i = 0; i < kCount; ++i)
    ::sigaction(kSignals[i], &before[i], nullptr);
}

CaughtSignals::~CaughtSignals() {
  if (current != this)
    return;
  restore();
  current = nullptr;
}

int CaughtSignals::caught() { return caughtSignal; }

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

bool Child::start(bool isGroup, llvm::function_ref<void()> body) {
  pid_t parent = ::getpid();
  id = ::fork();
  if (id < 0)
    return false;
  if (id == 0) {
    // It removes its files as this process would, but none of its children.
    for (std::atomic<pid_t> &child : children)
      child = 0;
    if (CaughtSignals::current)
      CaughtSignals::current->restore();
    CaughtSignals::current = nullptr;
    if (isGroup)
      ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, endingSignal(isGroup));
    // The parent may have ended before.
    if (::getppid() == parent)
      body();
    ::_exit(127);
  }
  // By both processes, since either may be first.
  if (isGroup)
    ::setpgid(id, id);
  pid_t target = isGroup ? -id : id;
  for (std::atomic<pid_t> &place : children) {
    pid_t none = 0;
    if (place.compare_exchange_strong(none, target))
      break;
  }
  // The signal may have come before the child was noted.
  if (CaughtSignals::current && caughtSignal)
    endChild(target);
  return true;
}

Child Child::fork(llvm::StringRef log, llvm::function_ref<int()> body) {
  llvm::outs().flush();
  llvm::errs().flush();
  std::string path = log.str();
  Child child;
  bool isStarted = child.start(/*isGroup=*/false, [&] {
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
  });
  if (!isStarted)
    llvm::report_fatal_error("cannot start a process", false);
  return child;
}

void Child::stop() {
  // On SIGKILL a compile could not remove its files.
  ::kill(id, SIGTERM);
  (void)wait();
}

Ended Child::wait() {
  int status = 0;
  while (::waitpid(id, &status, 0) < 0)
    if (errno != EINTR)
      return {1, 0, ""};
  for (std::atomic<pid_t> &place : children)
    for (pid_t own : {id, -id})
      place.compare_exchange_strong(own, 0);
  Ended ended;
  if (WIFEXITED(status))
    ended.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status))
    ended.signal = WTERMSIG(status);
  return ended;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static std::vector<char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
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

Child Child::train(llvm::StringRef log, llvm::ArrayRef<std::string> command,
                   int threads) {
  return fork(log, [&] {
    for (const char *name : kLaunchers)
      ::unsetenv(name);
    if (threads)
      ::setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
    ::execv(command[0].c_str(), pointersTo(command.vec()).data());
    llvm::errs() << "error: cannot start '" << command[0]
                 << "': " << ::strerror(errno) << "\n";
    return 127;
  });
}

/// Reads a pipe to its end, line by line.
static void readLines(int pipe,
                      llvm::function_ref<void(llvm::StringRef)> line) {
  std::string pending;
  char bytes[4096];
  while (true) {
    ssize_t count = ::read(pipe, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    pending.append(bytes, count);
    for (size_t end; (end = pending.find('\n')) != std::string::npos;) {
      line(llvm::StringRef(pending).take_front(end).rtrim('\r'));
      pending.erase(0, end + 1);
    }
  }
  if (!pending.empty())
    line(pending);
}

Ended Child::run(llvm::ArrayRef<std::string> command,
                 llvm::ArrayRef<std::string> environment,
                 llvm::function_ref<void(llvm::StringRef)> line) {
  std::vector<std::string> arguments = command.vec(), variables;
  for (char **entry = environ; *entry; ++entry)
    variables.push_back(*entry);
  for (llvm::StringRef entry : environment)
    if (!std::getenv(entry.split('=').first.str().c_str()))
      variables.push_back(entry.str());
  std::vector<char *> argumentPointers = pointersTo(arguments);
  std::vector<char *> variablePointers = pointersTo(variables);
  // The output, and errno if the program cannot be started.
  int output[2], report[2];
  auto failed = [] { return Ended{0, 0, std::strerror(errno)}; };
  if (::pipe2(output, O_CLOEXEC))
    return failed();
  if (::pipe2(report, O_CLOEXEC)) {
    Ended ended = failed();
    ::close(output[0]);
    ::close(output[1]);
    return ended;
  }
  Child child;
  bool isStarted = child.start(/*isGroup=*/true, [&] {
    int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(output[1], STDERR_FILENO);
    ::execve(argumentPointers[0], argumentPointers.data(),
             variablePointers.data());
    int error = errno;
    (void)!::write(report[1], &error, sizeof(error));
  });
  Ended ended = isStarted ? Ended() : failed();
  ::close(output[1]);
  ::close(report[1]);
  if (isStarted) {
    readLines(output[0], [&](llvm::StringRef text) {
      if (!caughtSignal)
        line(text);
    });
    ended = child.wait();
    int error = 0;
    if (::read(report[0], &error, sizeof(error)) == sizeof(error))
      ended.error = std::strerror(error);
  }
  ::close(output[0]);
  ::close(report[0]);
  return ended;
}
