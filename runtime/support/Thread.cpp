//===- Thread.cpp - Auxiliary threads -------------------------------------===//

#include "runtime/support/Thread.h"

#include <csignal>
#include <pthread.h>
#include <utility>

std::thread pcc::startThread(std::function<void()> run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

void pcc::unblockReadErrors() {
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGBUS);
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
}
