//===- Signals.cpp - Requests to stop a run -------------------------------===//

#include "runtime/launch/Signals.h"

#include "runtime/launch/StatusBoard.h"
#include "runtime/support/Error.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <unistd.h>

static std::atomic<int> request{0};
/// The time of the first SIGTERM or SIGHUP.
static std::atomic<double> firstAt{0};
static std::atomic<bool> terminated{false};
/// Seconds within which a repetition counts as the same request.
static const double briefly = 0.1, longer = 2;
static double moment = briefly;

static double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

bool pcc::noteSignal(int signal) {
  int none = 0;
  request.compare_exchange_strong(none, signal);
  // A warning, which batch systems repeat and follow by SIGTERM.
  if (signal == SIGUSR1)
    return false;
  double time = now(), first = 0;
  return !firstAt.compare_exchange_strong(first, time) &&
         time - first > (signal == SIGHUP ? longer : moment);
}

static void onSignal(int signal) {
  if (signal == SIGTERM) {
    terminated = true;
    pcc::statusTerminated();
  }
  if (pcc::noteSignal(signal))
    _exit(128 + signal);
}

void pcc::expectRepeatedSignals() { moment = longer; }

void pcc::watchSignals() {
  setIsTerminated(gotSIGTERM);
  struct sigaction action = {}, before;
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGTERM, SIGUSR1, SIGHUP})
    if (signal != SIGHUP || sigaction(SIGHUP, nullptr, &before) ||
        before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  // Exceeding the file size limit is then an error of the write.
  signal(SIGXFSZ, SIG_IGN);
}

int pcc::stopSignal() {
  int asked = statusAskedToStop();
  return asked ? asked : request.load();
}

bool pcc::gotSIGTERM() { return terminated; }

const char *pcc::signalName(int signal) {
  switch (signal) {
  case SIGHUP:
    return "SIGHUP";
  case SIGINT:
    return "SIGINT";
  case SIGQUIT:
    return "SIGQUIT";
  case SIGTERM:
    return "SIGTERM";
  case SIGUSR1:
    return "SIGUSR1";
  }
  return "a signal";
}
