//===- JobProcesses.cpp - The processes of a self-started job -------------===//

#include "runtime/launch/JobProcesses.h"

#include "runtime/support/Files.h"

#include <cctype>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <set>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pcc;

JobProcesses::JobProcesses(pid_t launcher, const std::string &mark)
    : launcher(launcher), mark(mark + '\0') {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/// The initial environment of a process; "" if the process has ended or belongs
/// to another user.
static std::string environmentOf(const std::string &process) {
  int file =
      open(("/proc/" + process + "/environ").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return "";
  std::string text;
  char piece[16384];
  for (ssize_t n; (n = read(file, piece, sizeof(piece))) > 0;)
    text.append(piece, n);
  close(file);
  return text;
}

std::vector<pid_t> JobProcesses::find() const {
  std::vector<pid_t> found;
  // Between fork and exec the launcher has this process's environment.
  if (!ended)
    found.push_back(launcher);
  for (const std::string &name : listFolder("/proc")) {
    if (!isdigit(static_cast<unsigned char>(name[0])))
      continue;
    pid_t process = atoi(name.c_str());
    if (process != launcher && process != getpid() &&
        environmentOf(name).find(mark) != std::string::npos)
      found.push_back(process);
  }
  return found;
}

void JobProcesses::collect() {
  int status;
  for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
    if (process == launcher) {
      ended = true;
      launcherStatus = status;
    }
}

bool JobProcesses::launcherEnded(int &status) {
  collect();
  status = launcherStatus;
  return ended;
}

void JobProcesses::stop() const {
  // Repeats until no newly started process is found.
  std::set<pid_t> stopped;
  for (bool more = true; more;) {
    more = false;
    for (pid_t process : find())
      if (stopped.insert(process).second) {
        kill(process, SIGSTOP);
        more = true;
      }
  }
}

void JobProcesses::resume() const {
  for (pid_t process : find())
    kill(process, SIGCONT);
}

void JobProcesses::end() {
  const int pauseUs = 5000, rounds = 10 * 1000000 / pauseUs;
  for (int round = 0; round < rounds; ++round) {
    collect();
    std::vector<pid_t> left = find();
    if (left.empty())
      return;
    for (pid_t process : left)
      kill(process, SIGKILL);
    usleep(pauseUs);
  }
}
