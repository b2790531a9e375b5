//===- ChildProcess.cpp - Running another program -------------------------===//

#include "tools/pcc/Directory/ChildProcess.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace pcc;

/// The process group to end on a signal, and the signal that came.
static volatile sig_atomic_t child = 0, interruption = 0;

static void onSignal(int signal) {
  interruption = signal;
  if (child > 0)
    ::kill(-child, SIGTERM);
}

namespace {
/// Catches the signals that ask this process to end, except those that are
/// ignored, as under nohup.
class CaughtSignals {
public:
  CaughtSignals() {
    interruption = 0;
    struct sigaction action = {};
    action.sa_handler = onSignal;
    for (int i = 0; i < kCount; ++i) {
      ::sigaction(kSignals[i], &action, &before[i]);
      if (before[i].sa_handler == SIG_IGN)
        ::sigaction(kSignals[i], &before[i], nullptr);
    }
  }
  CaughtSignals(const CaughtSignals &) = delete;
  CaughtSignals &operator=(const CaughtSignals &) = delete;
  ~CaughtSignals() {
    for (int i = 0; i < kCount; ++i)
      ::sigaction(kSignals[i], &before[i], nullptr);
  }

private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  static constexpr int kCount = 3;
  struct sigaction before[kCount] = {};
};
} // namespace

/// The child's part: starts the program, or reports errno to `report`.
[[noreturn]] static void execute(char *const *arguments, char *const *variables,
                                 int output, int report, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  // The parent may have ended before prctl().
  if (::getppid() == parent)
    ::execve(arguments[0], arguments, variables);
  int error = errno;
  (void)!::write(report, &error, sizeof(error));
  ::_exit(127);
}

/// Reads a pipe to its end, line by line.
static void readLines(int pipe, llvm::function_ref<void(StringRef)> line) {
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
      line(StringRef(pending).take_front(end).rtrim('\r'));
      pending.erase(0, end + 1);
    }
  }
  if (!pending.empty())
    line(pending);
}

static std::vector<char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Ended pcc::runProgram(ArrayRef<std::string> command,
                      ArrayRef<std::string> environment,
                      llvm::function_ref<void(StringRef)> line) {
  std::vector<std::string> arguments = command.vec(), variables;
  for (char **entry = environ; *entry; ++entry)
    variables.push_back(*entry);
  for (StringRef entry : environment)
    if (!std::getenv(entry.split('=').first.str().c_str()))
      variables.push_back(entry.str());
  std::vector<char *> argumentPointers = pointersTo(arguments);
  std::vector<char *> variablePointers = pointersTo(variables);

  Ended ended;
  int output[2], report[2];
  if (::pipe2(output, O_CLOEXEC)) {
    ended.error = std::strerror(errno);
    return ended;
  }
  if (::pipe2(report, O_CLOEXEC)) {
    ended.error = std::strerror(errno);
    ::close(output[0]);
    ::close(output[1]);
    return ended;
  }
  CaughtSignals caught;
  pid_t parent = ::getpid(), started = ::fork();
  if (started == 0)
    execute(argumentPointers.data(), variablePointers.data(), output[1],
            report[1], parent);
  int forkError = errno;
  ::close(output[1]);
  ::close(report[1]);
  if (started > 0) {
    // By both processes, since either may be first.
    ::setpgid(started, started);
    child = started;
    if (interruption)
      ::kill(-started, SIGTERM);
    readLines(output[0], [&](StringRef text) {
      if (!interruption)
        line(text);
    });
    int status = 0, error = 0;
    while (::waitpid(started, &status, 0) < 0 && errno == EINTR)
      ;
    child = 0;
    if (::read(report[0], &error, sizeof(error)) == sizeof(error))
      ended.error = std::strerror(error);
    if (WIFEXITED(status))
      ended.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status))
      ended.signal = WTERMSIG(status);
  } else {
    ended.error = std::strerror(forkError);
  }
  ::close(output[0]);
  ::close(report[0]);
  ended.interrupted = interruption;
  return ended;
}
