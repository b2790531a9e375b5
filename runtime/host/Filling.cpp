//===- Filling.cpp - The thread that fills inputs -------------------------===//

#include "runtime/host/Filling.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"
#include "runtime/support/Thread.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <new>

using namespace pcc;

namespace {
struct Fill {
  std::shared_ptr<backend::Filler> filler;
  int32_t input;
  int64_t microbatch;
  char *to;
  std::function<void()> before;
};

class FillingThread {
public:
  uint64_t issue(Fill fill);
  void wait(uint64_t count);

  std::shared_ptr<backend::Filler> filler;
  std::atomic<uint64_t> done{0};

private:
  [[noreturn]] void run();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Fill> queue;
  uint64_t issued = 0;
};
} // namespace

/// Never freed: the process may exit while the thread waits.
static FillingThread &fillingThread() {
  static auto &thread = *new FillingThread;
  return thread;
}

uint64_t FillingThread::issue(Fill fill) {
  if (issued == 0)
    startThread([this] { run(); }).detach();
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back(std::move(fill));
  }
  changed.notify_all();
  return ++issued;
}

void FillingThread::wait(uint64_t count) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done.load() >= count; });
}

void FillingThread::run() {
  unblockReadErrors();
  while (true) {
    Fill fill;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return !queue.empty(); });
      fill = std::move(queue.front());
      queue.pop_front();
    }
    try {
      if (fill.before)
        fill.before();
      (*fill.filler)(fill.input, fill.microbatch, fill.to);
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

uint64_t filling::issue(int32_t input, int64_t microbatch, char *to,
                        std::function<void()> before) {
  FillingThread &thread = fillingThread();
  return thread.issue(
      {thread.filler, input, microbatch, to, std::move(before)});
}
bool filling::hasDone(uint64_t count) {
  return fillingThread().done.load() >= count;
}
void filling::wait(uint64_t count) { fillingThread().wait(count); }

void backend::setFiller(Filler filler) {
  fillingThread().filler = std::make_shared<Filler>(std::move(filler));
}

void filling::fill(int32_t input, int64_t microbatch, char *to) {
  (*fillingThread().filler)(input, microbatch, to);
}
