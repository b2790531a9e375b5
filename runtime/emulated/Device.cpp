//===- Device.cpp - An emulated device that runs asynchronously -----------===//

#include "runtime/emulated/Device.h"

#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"
#include "runtime/support/Thread.h"
#include "runtime/telemetry/Trace.h"

#include <chrono>
#include <new>

using namespace pcc;

/// A held request waits for at most this many later operations: in the random
/// mode, and in the mode in which all communication is late.
static const uint64_t mostHeld = 32, allHeld = uint64_t{1} << 32;
/// The longest random delay of an operation, in microseconds: long enough for a
/// transfer between ranks of a host.
static const uint64_t mostLate = 300;
/// A late device runs while the host is more than this many operations ahead,
/// waits, or ends the device.
static const int64_t farAhead = 1000;

Device::Device(uint64_t seed)
    : late(static_cast<DelayMode>(seed % 3)), hostChance(seed),
      deviceChance(seed + 1), thread(startThread([this] {
        try {
          run();
        } catch (const std::bad_alloc &) {
          fail(ExitMemory, "out of memory on the host");
        }
      })) {}

Device::~Device() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  given.notify_one();
  thread.join();
}

void Device::append(Work work) {
  computed.noteIssued(work.name, work.detail);
  ++pending;
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back(std::move(work));
  }
  given.notify_one();
}

void Device::enqueue(const char *name, const char *detail,
                     std::function<void()> work) {
  append({name, detail, std::move(work), false});
}

void Device::enqueueMessage(std::unique_ptr<Request> request) {
  const char *name = request->name, *detail = request->detail;
  // A std::function must be copyable, which a request is not.
  auto shared = std::make_shared<std::unique_ptr<Request>>(std::move(request));
  append({name, detail,
          [this, shared] { communication::run(messages, std::move(*shared)); },
          true});
}

void Device::enqueueWait(const Event &event) {
  append({event.name, event.detail, [event] { communication::wait(event); },
          true});
}

bool Device::isHolding(uint64_t count) const {
  // Not while the device waits for another stream: it may be waiting for this
  // request.
  return pending.load() > 0 && !isWaiting.load() && !computed.hasDone(count);
}

void Device::holdAtRandom(Request &request) {
  if (late == DelayMode::Kernels ||
      (late == DelayMode::Either && hostChance() % 2))
    return;
  uint64_t behind =
      late == DelayMode::Messages ? allHeld : hostChance() % mostHeld;
  uint64_t until = computed.recorded().count + 1 + behind;
  request.isHeld = [this, until] { return isHolding(until); };
}

void Device::delay() {
  if (late == DelayMode::Kernels && deviceChance() % 2)
    std::this_thread::sleep_for(
        std::chrono::microseconds(deviceChance() % mostLate));
}

void Device::run() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    given.wait(lock, [&] {
      return isEnding || (!queue.empty() && (late != DelayMode::Kernels ||
                                             isAwaited || pending > farAhead));
    });
    if (queue.empty())
      return;
    Work work = std::move(queue.front());
    queue.pop_front();
    name = work.name;
    detail = work.detail;
    lock.unlock();
    delay();
    double begin = tracing ? traceNow() : -1;
    if (work.waits) {
      isWaiting = true;
      Stream::noteIdle();
    }
    work.run();
    isWaiting = false;
    if (tracing)
      addSpan(work.waits ? Track::Communication : Track::Compute, work.name,
              begin, traceNow(), 0);
    lock.lock();
    --pending;
    computed.noteDone();
    finished.notify_all();
  }
}

void Device::wait(const Event &event) {
  TraceSpan span(Track::Host, "wait for the device");
  ++waits;
  std::unique_lock<std::mutex> lock(mutex);
  isAwaited = true;
  given.notify_one();
  while (!computed.hasDone(event.count)) {
    // While the host waits, this rank's operation is that of the device.
    int64_t left = pending;
    Operation operation(
        name, isWaiting.load() ? Activity::Waits : Activity::Works, detail);
    finished.wait(lock, [&] { return pending != left; });
  }
  isAwaited = false;
}
