//===- Devices.cpp - Whether each rank can have a device ------------------===//
//
// A parent that starts its own ranks checks the number of devices first.
// Otherwise sixteen ranks would each report that the host has eight devices. A
// child process finds the devices and exits, because the state of a device's
// driver does not survive the parent's fork.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/Launch.h"

#include "runtime/Backend.h"
#include "runtime/launch/ExecRanks.h"
#include "runtime/launch/Listener.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

namespace {
/// The result that the child writes into a pipe.
struct Answer {
  int64_t count;
  char missing[512], note[512];
};
} // namespace

/// The time limit in seconds for starting the drivers; some take ten seconds.
static const double driverTimeout = 120;

[[noreturn]] static void answer(int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  backend::Devices devices = backend::findDevices();
  Answer answer = {};
  answer.count = devices.count;
  snprintf(answer.missing, sizeof(answer.missing), "%s",
           devices.missing.c_str());
  snprintf(answer.note, sizeof(answer.note), "%s", devices.note.c_str());
  // Small enough for an atomic write to a pipe.
  bool isWritten = write(pipe, &answer, sizeof(answer)) == sizeof(answer);
  _exit(isWritten ? 0 : 1);
}

enum class Heard { All, Nothing, TooLate };

/// Reads the child's result.
static Heard hear(int pipe, Answer &answer) {
  std::vector<pollfd> entries = {{pipe, POLLIN, 0}};
  pollUntil(entries, steadyNow() + driverTimeout);
  if (!entries[0].revents)
    return Heard::TooLate;
  return read(pipe, &answer, sizeof(answer)) == sizeof(answer) ? Heard::All
                                                               : Heard::Nothing;
}

static Answer askChild() {
  int ends[2];
  pid_t child = pipe2(ends, O_CLOEXEC) ? -1 : fork();
  if (child < 0)
    fail(ExitWorld, format("cannot look for devices: %s", strerror(errno)));
  if (child == 0)
    answer(ends[1]);
  close(ends[1]);
  Answer said = {};
  Heard heard = hear(ends[0], said);
  close(ends[0]);
  if (heard == Heard::TooLate)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (heard == Heard::All)
    return said;
  std::string how = format("ended with code %d", WEXITSTATUS(status));
  if (heard == Heard::TooLate)
    how = format("took more than %.0f s", driverTimeout);
  else if (WIFSIGNALED(status))
    how = format("was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
  fail(ExitDevice, "the search for devices " + how,
       "their driver does not work on this host");
}

void pcc::checkDevices(int64_t ranks) {
  Answer found = askChild();
  if (found.count == 0)
    fail(ExitDevice, found.missing, found.note);
  if (found.count < 0 || found.count >= ranks || sharesDevices())
    return;
  fail(ExitDevice,
       format("%lld ranks need a device each, and this host has %lld",
              static_cast<long long>(ranks),
              static_cast<long long>(found.count)),
       "on several hosts mpirun, srun or torchrun starts the ranks; for tests, "
       "PCC_SHARE_DEVICES=1 lets ranks share devices");
}
