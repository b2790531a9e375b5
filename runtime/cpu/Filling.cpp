//===- Filling.cpp - The thread that fills inputs -------------------------===//

#include "runtime/cpu/Filling.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"
#include "runtime/support/Thread.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>

using namespace pcc;

namespace {
struct Fill {
  int32_t input;
  int64_t microbatch;
  char *to;
};

class FillingThread {
public:
  uint64_t issue(const Fill &fill);
  void wait(uint64_t count);

  backend::Filler filler;
  std::atomic<uint64_t> done{0};

private:
  [[noreturn]] void run();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Fill> queue;
  uint64_t issued = 0;
};
} // namespace

/// Never freed: the process may exit while its thread waits.
static FillingThread &fillingThread() {
  static auto &thread = *new FillingThread;
  return thread;
}

uint64_t FillingThread::issue(const Fill &fill) {
  if (issued == 0)
    startThread([this] { run(); }).detach();
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back(fill);
  }
  changed.notify_all();
  return ++issued;
}

void FillingThread::wait(uint64_t count) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done.load() >= count; });
}

void FillingThread::run() {
  while (true) {
    Fill fill;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return !queue.empty(); });
      fill = queue.front();
      queue.pop_front();
    }
    try {
      filler(fill.input, fill.microbatch, fill.to);
    } catch (const std::bad_alloc &) {
      fail(ExitMemory, "out of memory on the host");
    }
    {
      std::lock_guard<std::mutex> lock(mutex);
      ++done;
    }
    changed.notify_all();
  }
}

uint64_t filling::issue(int32_t input, int64_t microbatch, char *to) {
  return fillingThread().issue({input, microbatch, to});
}
bool filling::hasDone(uint64_t count) {
  return fillingThread().done.load() >= count;
}
void filling::wait(uint64_t count) {
  Operation operation("fill of an input");
  fillingThread().wait(count);
}

// An entry ends when its fills are done, so none is called while this changes.
void backend::setFiller(Filler filler) {
  fillingThread().filler = std::move(filler);
}

void filling::fill(int32_t input, int64_t microbatch, char *to) {
  fillingThread().filler(input, microbatch, to);
}
