//===- ExecRanks.cpp - Starts local ranks ---------------------------------===//

#include "runtime/launch/ExecRanks.h"

#include "runtime/launch/StatusBoard.h"
#include "runtime/support/Error.h"

#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

/// "<socket> <port> <secret in hexadecimal digits>".
static const char *const environmentName = "PCC_RENDEZVOUS";
/// The number of ranks to start.
static const char *const starterName = "PCC_STARTS_RANKS";

static std::string digitsOf(const Secret &secret) {
  std::string text;
  for (unsigned char byte : secret.bytes)
    text += format("%02x", byte);
  return text;
}

/// Listens on the loopback and passes port and secret in the environment, which
/// on Linux only this user can read. Returns the socket.
static int listenOnLoopback() {
  uint16_t port = 0;
  int listener = listenOn(htonl(INADDR_LOOPBACK), port);
  if (listener < 0)
    fail(ExitWorld, format("cannot listen on the loopback for the ranks: %s",
                           strerror(errno)));
  fcntl(listener, F_SETFD, 0); // rank 0 inherits it
  std::string text =
      format("%d %d ", listener, ntohs(port)) + digitsOf(newSecret());
  setenv(environmentName, text.c_str(), 1);
  return listener;
}

ExecRendezvous pcc::takeExecRendezvous(bool isFirst) {
  ExecRendezvous rendezvous;
  const char *text = getenv(environmentName);
  int port = 0, used = 0;
  bool isGood =
      text && sscanf(text, "%d %d %n", &rendezvous.listener, &port, &used) == 2;
  for (unsigned char &byte : rendezvous.secret.bytes) {
    isGood = isGood && sscanf(text + used, "%2hhx", &byte) == 1;
    used += 2;
  }
  if (!isGood)
    fail(ExitInternal, "this rank was not told where to find rank 0");
  rendezvous.port = static_cast<uint16_t>(port);
  if (isFirst)
    fcntl(rendezvous.listener, F_SETFD, FD_CLOEXEC);
  else
    rendezvous.listener = -1;
  return rendezvous;
}

bool pcc::sharesDevices() {
  const char *value = getenv("PCC_SHARE_DEVICES");
  return value && *value && strcmp(value, "0") != 0;
}

[[noreturn]] static void becomeRank(int64_t rank, int64_t ranks, int listener,
                                    pid_t starter,
                                    std::vector<char *> &arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != starter)
    _exit(ExitCommunication);
  // With `stty tostop` a terminal stops background processes that print, and
  // this process group counts as background.
  signal(SIGTTOU, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (rank > 0)
    close(listener);
  setenv("PCC_RANK", std::to_string(rank).c_str(), 1);
  setenv("PCC_RANKS", std::to_string(ranks).c_str(), 1);
  execv(arguments[0], arguments.data());
  fail(ExitWorld, format("cannot run '%s': %s", arguments[0], strerror(errno)));
}

/// Waits for all ranks; when one fails, kills the others.
static int waitForAll(std::vector<pid_t> processes) {
  int code = 0;
  for (size_t left = processes.size(); left > 0;) {
    int status;
    pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR)
      continue;
    if (ended < 0)
      break;
    --left;
    int own = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    for (size_t rank = 0; rank < processes.size(); ++rank) {
      if (processes[rank] == ended)
        processes[rank] = 0;
      else if (own != 0 && code == 0 && processes[rank] > 0) {
        statusEnded(static_cast<int>(rank));
        kill(processes[rank], SIGKILL);
      }
    }
    code = code ? code : own;
  }
  return code;
}

/// The argument vector to execute `self` with.
static std::vector<char *> argumentsOf(std::string &self, char **argv) {
  std::vector<char *> arguments = {self.data()};
  for (char **argument = argv + 1; *argument; ++argument)
    arguments.push_back(*argument);
  arguments.push_back(nullptr);
  return arguments;
}

void pcc::becomeStarter(int64_t ranks, char **argv, const std::string &self) {
  setenv(starterName, std::to_string(ranks).c_str(), 1);
  std::string path = self;
  std::vector<char *> arguments = argumentsOf(path, argv);
  execv(arguments[0], arguments.data());
  fail(ExitWorld, format("cannot run '%s': %s", path.c_str(), strerror(errno)));
}

bool pcc::isStarter() { return getenv(starterName); }

void pcc::runStarter(char **argv) {
  int64_t ranks = atoll(getenv(starterName));
  unsetenv(starterName);
  std::string self = argv[0];
  std::vector<char *> arguments = argumentsOf(self, argv);
  int listener = listenOnLoopback();
  pid_t starter = getpid();
  std::vector<pid_t> processes;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    pid_t made = fork();
    if (made == 0)
      becomeRank(rank, ranks, listener, starter, arguments);
    if (made < 0)
      // The ranks that already run end with this process.
      fail(ExitWorld, format("cannot start rank %lld: %s",
                             static_cast<long long>(rank), strerror(errno)));
    processes.push_back(made);
  }
  close(listener);
  _exit(waitForAll(processes));
}
