//===- Communication.cpp - Requests and the thread that runs them ---------===//

#include "runtime/cpu/Communication.h"

#include "runtime/cpu/Transport.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"
#include "runtime/support/Thread.h"
#include "runtime/telemetry/Trace.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <new>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace pcc;

//===----------------------------------------------------------------------===//
// A request in flight
//===----------------------------------------------------------------------===//

struct Stream::Running {
  explicit Running(std::unique_ptr<Request> request)
      : request(std::move(request)), slots(this->request->window) {}

  /// Starts the request if it may, after the earlier ones of its stream; `now`
  /// is by the steady clock.
  bool start(Stream &stream, double now);
  /// Whether one of the two writes memory that the other one accesses.
  bool conflictsWith(const Running &other) const;
  /// Runs the next phase of each piece whose previous phase is over. Returns
  /// true if there was any.
  bool move();
  bool isDone() const { return isPosted && underWay == 0; }
  /// Adds a span to the trace: from the start or the end of the stream's
  /// previous span, whichever is later, until now.
  void trace(Stream &stream) const {
    if (begin < 0 || !tracing)
      return;
    double end = traceNow();
    addSpan(trackOf(request->stream), request->name,
            std::max(begin, stream.traced), end, request->bytes);
    stream.traced = end;
  }

  /// Whether the conditions for the end of a phase hold.
  bool isOver(Posted &posted) const;

  struct Piece {
    int64_t index = -1; ///< -1: the slot is free
    int phase = 0;
    Posted posted;
  };
  std::unique_ptr<Request> request;
  std::vector<Piece> slots;
  int64_t next = 0; ///< the next piece without a slot
  int underWay = 0; ///< pieces in slots
  bool isPosted = false;
  bool isStarted = false;
  double due = -1;   ///< when its delay ends; -1: that has not begun
  double begin = -1; ///< for a trace; -1: not traced
};

Stream::Stream() = default;
Stream::~Stream() = default;

bool Stream::Running::start(Stream &stream, double now) {
  if (due < 0) {
    for (const Event &event : request->waits)
      if (!event.stream->hasDone(event.count))
        return false;
    PostOrder *launches = request->launches;
    if (launches &&
        (launches->posted != request->launchIndex || now < stream.linkFree))
      return false;
    // Without waits it starts at its issue, whenever this thread notices it.
    bool isLate = launches || !request->waits.empty();
    double came = isLate ? now : request->issuedAt;
    if (launches)
      ++launches->posted;
    due = std::max(came, stream.linkFree) + request->delay;
    if (request->delay > 0)
      stream.linkFree = due;
    if (tracing && request->stream >= 0)
      begin = traceNow();
  }
  if (now < due || (request->isHeld && request->isHeld()))
    return false;
  for (auto [order, turn] : request->turns)
    if (order->posted != turn)
      return false;
  isStarted = true;
  return true;
}

bool Stream::Running::conflictsWith(const Running &other) const {
  auto conflict = [](const Access &a, const Access &b) {
    auto from = [](const Access &x) {
      return reinterpret_cast<uintptr_t>(x.at);
    };
    return (a.writes || b.writes) && from(a) < from(b) + b.bytes &&
           from(b) < from(a) + a.bytes;
  };
  const std::vector<Access> &ours = request->accesses,
                            &theirs = other.request->accesses;
  if (ours.empty() || theirs.empty())
    return true;
  for (const Access &a : ours)
    for (const Access &b : theirs)
      if (conflict(a, b))
        return true;
  return false;
}

bool Stream::Running::isOver(Posted &posted) const {
  if (posted.counter &&
      posted.counter->load(std::memory_order_acquire) < posted.value)
    return false;
  return posted.messages.empty() || communication::transport()->areComplete(
                                        posted.messages, request->name);
}

bool Stream::Running::move() {
  bool moved = false;
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    Piece &piece = slots[slot];
    if (piece.index < 0) {
      if (next == request->pieces)
        continue;
      piece.index = next++;
      piece.phase = 0;
      ++underWay;
    } else {
      if (!isOver(piece.posted))
        continue;
      ++piece.phase;
    }
    moved = true;
    piece.posted.messages.clear();
    piece.posted.counter = nullptr;
    advanceCommunication();
    if (!request->post(piece.index, piece.phase, static_cast<int>(slot),
                       piece.posted)) {
      piece.index = -1;
      --underWay;
    }
  }
  if (!isPosted && next == request->pieces) {
    isPosted = true;
    for (auto [order, turn] : request->turns)
      order->posted = turn + 1;
  }
  return moved;
}

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

namespace pcc {

/// All requests of this rank, and the threads that drive them.
class Engine {
public:
  explicit Engine(std::unique_ptr<Transport> transport)
      : transport(std::move(transport)) {}

  void start();
  /// `waits`: the caller calls wait() next, and may drive.
  void issue(Stream &stream, std::unique_ptr<Request> request, bool waits);
  void wait(const Event &event);
  void end();
  [[noreturn]] void abort(int code);
  void lookAgain();
  static void runHere(Stream &stream, std::unique_ptr<Request> request);

  const std::unique_ptr<Transport> transport;
  Stream calls; ///< the requests of communication::call()

private:
  void run();
  void drive(const std::function<bool()> &isOver);
  void takeNews();
  bool moveStreams();
  bool moveStream(Stream &stream, double now);
  /// Whether a request may start alongside the earlier ones of its stream.
  static bool mayBegin(const Stream &stream, size_t index);
  void tellWaiting();
  void rest(uint32_t rung);

  std::thread thread;
  std::mutex mutex;
  /// For the communication thread: it should drive. For threads that wait for
  /// an event: it may be complete, or they may drive.
  std::condition_variable needed, told;

  // Protected by the mutex; `hasNews` tells the driver to read them.
  std::vector<std::pair<Stream *, std::unique_ptr<Request>>> incoming;
  std::vector<const Event *> awaited;
  bool isStarted = false, isEnding = false, isAborted = false;
  int abortCode = 0;
  bool isDriven = false; ///< a thread is the driver
  std::atomic<bool> hasNews{false};
  std::atomic<int> waiting{0}; ///< threads that wait for an event

  // Used only by the driver.
  std::vector<Stream *> busy; ///< the streams with requests
  double movedAt = 0;         ///< time of the last progress
  /// Whether requests of this rank are in flight, and when the next delay ends.
  bool isUnderWay = false;
  double nextDue = 0;
};

} // namespace pcc

/// Never freed: other threads may abort while the process ends.
static Engine *engine = nullptr;

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

//===----------------------------------------------------------------------===//

void Stream::noteDone() {
  done.store(done.load() + 1);
  noteIdle();
}

void Stream::noteIdle() {
  if (engine)
    engine->lookAgain();
}

void communication::start(std::unique_ptr<Transport> transport) {
  engine = new Engine(std::move(transport));
  engine->start();
}

Transport *communication::transport() {
  return engine ? engine->transport.get() : nullptr;
}

void communication::issue(Stream &stream, std::unique_ptr<Request> request,
                          bool waits) {
  ++stream.issued;
  request->issuedAt = steadyNow();
  stream.lastName = request->name;
  stream.lastDetail = request->detail;
  if (engine)
    engine->issue(stream, std::move(request), waits);
  else
    Engine::runHere(stream, std::move(request));
}

void communication::wait(const Event &event) {
  if (event.stream && !event.stream->hasDone(event.count))
    engine->wait(event);
}

void communication::run(Stream &stream, std::unique_ptr<Request> request) {
  issue(stream, std::move(request), /*waits=*/true);
  wait(stream.recorded());
}

void communication::call(const std::function<void()> &body) {
  if (!engine || !engine->transport->isPolled())
    return body();
  auto request = std::make_unique<Request>();
  request->post = [&body](int64_t, int, int, Posted &) {
    body();
    return false;
  };
  run(engine->calls, std::move(request));
}

void communication::end() {
  if (!engine)
    return;
  engine->end();
  engine = nullptr;
}

void communication::abort(int code) {
  if (Engine *running = engine)
    running->abort(code);
  _exit(code);
}
