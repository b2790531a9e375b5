//===- Engine.cpp - Drives the requests of a rank -------------------------===//

#include "runtime/cpu/Engine.h"

#include "runtime/cpu/Running.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"
#include "runtime/support/Thread.h"

#include <algorithm>
#include <limits>
#include <new>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace pcc;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

/// The shortest and the longest nap between two tests of a polled transport
/// while the rank computes. A completion is noticed late by at most an eighth
/// of the time since the last progress, or by the shortest nap if that is
/// longer.
static const double shortNap = 20e-6, longNap = 200e-6;
/// A stream starts no further request while it has this much in flight: earlier
/// requests should not share the network with all later ones. The limit exceeds
/// a network's bandwidth-delay product, and the bytes that a rank may send
/// while its driver is preempted.
static const int mostUnderWay = 8;
static const int64_t mostBytesUnderWay = 4 << 20;
/// The interval for checking requests of other ranks when a polled transport
/// has nothing to test: MPI may still need calls for a message that it has
/// buffered.
static const double idleNap = 10e-3;

void Engine::start() {
  thread = startThread([this] {
    try {
      run();
    } catch (const std::bad_alloc &) {
      fail(ExitMemory, "out of memory on the host");
    }
  });
  std::unique_lock<std::mutex> lock(mutex);
  told.wait(lock, [&] { return isStarted; });
}

/// Requests short time slices from the kernel for the calling thread. A thread
/// with a short slice preempts a computing thread when it wakes up; otherwise
/// it waits for some milliseconds. Kernels before 6.12 use one slice for all
/// threads.
static void askForShortSlices() {
  // As in linux/sched/types.h, which conflicts with sched.h.
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; // ns
  } attributes = {};
  attributes.size = sizeof(attributes);
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) ||
      attributes.policy != SCHED_OTHER)
    return;
  attributes.runtime = 100'000; // the minimum
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void Engine::run() {
  progressNotes.communicator = gettid();
  // By default the kernel delays a timer by up to 50 us, more than a short nap.
  prctl(PR_SET_TIMERSLACK, 1000);
  askForShortSlices();
  transport->begin();
  std::unique_lock<std::mutex> lock(mutex);
  isStarted = true;
  told.notify_all();
  auto hasWork = [&] { return !busy.empty() || !incoming.empty(); };
  while (true) {
    // A polled transport always has this driver.
    needed.wait(lock, [&] {
      return !isDriven &&
             (isEnding || isAborted || hasWork() || transport->isPolled());
    });
    if (isEnding && !hasWork())
      break;
    isDriven = true;
    lock.unlock();
    drive([&] { return busy.empty() && !transport->isPolled(); });
    lock.lock();
    isDriven = false;
    told.notify_all();
  }
  lock.unlock();
  transport->finish();
}

/// Drives requests until `isOver()`, or until all are complete and the engine
/// ends.
void Engine::drive(const std::function<bool()> &isOver) {
  while (true) {
    uint32_t rung = transport->bell().read();
    // Another thread may have completed a request of its stream: noteDone().
    bool isNew = hasNews.load();
    if (isNew)
      takeNews();
    bool moved = moveStreams();
    if (moved)
      movedAt = steadyNow();
    if (moved || isNew)
      tellWaiting();
    if (isOver() && !hasNews.load())
      return;
    if (busy.empty() && !moved) {
      std::lock_guard<std::mutex> lock(mutex);
      if (isEnding && incoming.empty())
        return;
    }
    if (!moved)
      rest(rung);
  }
}

void Engine::takeNews() {
  std::lock_guard<std::mutex> lock(mutex);
  hasNews = false;
  if (isAborted)
    transport->abort(abortCode);
  for (auto &[stream, request] : incoming) {
    if (stream->queue.empty())
      busy.push_back(stream);
    stream->queue.push_back(
        std::make_unique<Stream::Running>(std::move(request)));
  }
  incoming.clear();
}

bool Engine::moveStreams() {
  bool moved = false;
  double now = steadyNow();
  isUnderWay = false;
  nextDue = std::numeric_limits<double>::infinity();
  for (Stream *stream : busy)
    moved |= moveStream(*stream, now);
  busy.erase(std::remove_if(
                 busy.begin(), busy.end(),
                 [](const Stream *stream) { return stream->queue.empty(); }),
             busy.end());
  return moved;
}

bool Engine::mayBegin(const Stream &stream, size_t index) {
  int64_t bytes = 0;
  int underWay = 0;
  for (size_t i = 0; i < index; ++i) {
    const Stream::Running &other = *stream.queue[i];
    if (other.isDone())
      continue;
    bytes += other.request->bytes;
    if (++underWay == mostUnderWay || bytes > mostBytesUnderWay ||
        stream.queue[index]->conflictsWith(other))
      return false;
  }
  return true;
}

bool Engine::moveStream(Stream &stream, double now) {
  bool moved = false;
  for (size_t i = 0; i < stream.queue.size(); ++i) {
    Stream::Running &running = *stream.queue[i];
    if (!running.isStarted) {
      if (!mayBegin(stream, i))
        break;
      if (!running.start(stream, now)) {
        for (double moment : {running.due, stream.linkFree})
          if (moment > now)
            nextDue = std::min(nextDue, moment);
        break;
      }
      moved = true;
    }
    if (!running.isDone())
      moved |= running.move();
    if (!running.isDone())
      isUnderWay = true;
  }
  // A request that completes before earlier ones counts as done only after
  // them.
  while (!stream.queue.empty() && stream.queue.front()->isDone()) {
    stream.queue.front()->trace(stream);
    stream.queue.pop_front();
    stream.done.store(stream.done.load() + 1);
  }
  return moved;
}

void Engine::tellWaiting() {
  if (!waiting.load())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (std::none_of(awaited.begin(), awaited.end(), [](const Event *event) {
          return event->stream->hasDone(event->count);
        }))
      return;
  }
  told.notify_all();
}

/// Tells the processor that this thread spins.
static void pauseSpin() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Pauses: nothing has happened since the bell rang for the `rung`-th time.
void Engine::rest(uint32_t rung) {
  Bell &bell = transport->bell();
  double now = steadyNow(), left = nextDue - now;
  if (!transport->isPolled()) {
    double end = now + std::min(transport->spinSeconds(), left);
    if (isUnderWay && waiting.load())
      while (bell.read() == rung && steadyNow() < end)
        pauseSpin();
    return bell.sleep(rung, left);
  }
  if (isUnderWay && waiting.load()) {
    // There may be fewer cores than spinning threads.
    sched_yield();
    return;
  }
  double nap = idleNap;
  if (isUnderWay)
    nap = std::clamp((now - movedAt) / 8, shortNap, longNap);
  bell.sleep(rung, std::min(nap, left));
  if (!isUnderWay)
    transport->poll();
}

//===----------------------------------------------------------------------===//
// The issuing threads
//===----------------------------------------------------------------------===//

void Engine::issue(Stream &stream, std::unique_ptr<Request> request,
                   bool waits) {
  bool drives;
  {
    std::lock_guard<std::mutex> lock(mutex);
    incoming.emplace_back(&stream, std::move(request));
    hasNews = true;
    drives = isDriven;
  }
  if (drives)
    transport->bell().ring();
  else if (!waits)
    needed.notify_one();
}

void Engine::wait(const Event &event) {
  std::unique_lock<std::mutex> lock(mutex);
  awaited.push_back(&event);
  ++waiting;
  auto isDone = [&] { return event.stream->hasDone(event.count); };
  while (!isDone()) {
    if (isDriven || transport->isPolled()) {
      // The driver either sees this wait and notifies it, or has already marked
      // the event as done.
      hasNews = true;
      transport->bell().ring();
      told.wait(lock, [&] {
        return isDone() || !(isDriven || transport->isPolled());
      });
      continue;
    }
    isDriven = true;
    lock.unlock();
    drive(isDone);
    lock.lock();
    isDriven = false;
    told.notify_all();
    if (!busy.empty() || !incoming.empty())
      needed.notify_one();
  }
  --waiting;
  awaited.erase(std::find(awaited.begin(), awaited.end(), &event));
}

void Engine::lookAgain() {
  bool drives;
  {
    std::lock_guard<std::mutex> lock(mutex);
    hasNews = true;
    drives = isDriven;
  }
  if (drives)
    transport->bell().ring();
}

void Engine::end() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
    hasNews = true;
  }
  needed.notify_one();
  transport->bell().ring();
  thread.join();
}

void Engine::abort(int code) {
  if (!transport->isPolled() || std::this_thread::get_id() == thread.get_id())
    transport->abort(code);
  {
    std::lock_guard<std::mutex> lock(mutex);
    isAborted = true;
    abortCode = code;
    hasNews = true;
  }
  transport->bell().ring();
  // The thread may be in a call that does not return.
  usleep(2000000);
  _exit(code);
}

void Engine::runHere(Stream &stream, std::unique_ptr<Request> request) {
  Stream::Running running(std::move(request));
  running.start(stream, steadyNow());
  while (!running.isDone())
    if (!running.move())
      fail(ExitInternal,
           format("%s waits in a program of one rank", running.request->name));
  stream.done = stream.issued;
}
