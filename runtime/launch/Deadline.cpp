//===- Deadline.cpp - A time limit for joint operations of ranks ----------===//

#include "runtime/launch/Deadline.h"

#include "runtime/launch/Signals.h"
#include "runtime/launch/Stall.h"
#include "runtime/launch/StatusBoard.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"
#include "runtime/support/Thread.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace pcc;

struct Deadline::Watch {
  std::thread thread;
  std::mutex mutex;
  std::condition_variable wake;
  bool isOver = false;
};

Deadline::Deadline(const std::string &what, double seconds, int rank) {
  watch = std::make_unique<Watch>();
  double limit = rank == 0 ? seconds : seconds + 1.5 + 0.02 * rank;
  watch->thread = startThread([watch = watch.get(), what, seconds, limit] {
    const double tick = 0.5;
    RunningClock clock(tick);
    double asked = 0;
    std::unique_lock<std::mutex> lock(watch->mutex);
    while (!watch->wake.wait_for(lock, std::chrono::duration<double>(tick),
                                 [&] { return watch->isOver; })) {
      clock.update(steadyNow());
      asked += stopSignal() ? tick : 0;
      if (asked > startPatience) {
        warn(format("%s ended this rank before all ranks had joined",
                    signalName(stopSignal())));
        _exit(ExitDone);
      }
      if (seconds <= 0 || clock.now() < limit)
        continue;
      announce(
          format("%s has taken %.0f s", what.c_str(), seconds),
          "a rank, its host or the network does not answer: this one is in " +
              readProgress().text +
              "; --timeout SECONDS (0: never) is how long to wait");
      statusFailed(ExitCommunication);
      _exit(ExitCommunication);
    }
  });
}

Deadline::~Deadline() {
  {
    std::lock_guard<std::mutex> lock(watch->mutex);
    watch->isOver = true;
  }
  watch->wake.notify_all();
  watch->thread.join();
}
