//===- Signals.cpp - Asking a run to stop ---------------------------------===//

#include "runtime/common/Signals.h"

#include "runtime/common/StatusBoard.h"

#include <csignal>
#include <utility>

static volatile sig_atomic_t seen = 0;

static void onSignal(int signal) {
  seen = signal;
  // A launcher ends the survivors of a lost rank with SIGTERM.
  if (signal == SIGTERM)
    pcc::statusTerminated();
}

void pcc::watchSignals() {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
  // A file over the limit of sizes is then an error of its write.
  signal(SIGXFSZ, SIG_IGN);
}

std::thread pcc::startThread(std::function<void()> run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

int pcc::stopSignal() { return seen; }
