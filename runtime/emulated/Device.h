//===- Device.h - An emulated device that runs asynchronously ---*- C++ -*-===//
//
// Compiled code enqueues its work, as on a GPU: calls return at once, and one
// thread, the device, runs the work in order. Only events order it against
// other streams, and random delays decide which side is late:
//
//   compute stream   kernel  kernel  wait(e)  kernel  record(f)  kernel
//   stream 1                    all_gather  record(e)    wait(f)  send
//
// A transfer or collective may begin before kernels that precede it in program
// order, or be held back until kernels that follow it have run. Collectives and
// transfers start in the order of their issue, as NCCL's do. So a program that
// lacks an event reads data before it is written, or after it is overwritten.
// The seed selects whether communication is late, kernels are, or either at
// random.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_EMULATED_DEVICE_H
#define PCC_RUNTIME_EMULATED_DEVICE_H

#include "runtime/cpu/Communication.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

namespace pcc {

/// The device of a rank. Its public member functions are for the main thread.
class Device {
public:
  /// `seed` determines the delays.
  explicit Device(uint64_t seed);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Appends work to the compute stream; the texts are as for an Operation.
  void enqueue(const char *name, const char *detail,
               std::function<void()> work);
  /// Appends a transfer or collective that the compute stream waits for.
  void enqueueMessage(std::unique_ptr<Request> request);
  /// An event after all work that the compute stream has been given so far.
  Event recorded() const { return computed.recorded(); }
  /// Makes later work of the compute stream wait for an event of another
  /// stream.
  void enqueueWait(const Event &event);
  /// Holds back a request of another stream, depending on the mode and at
  /// random.
  void holdAtRandom(Request &request);
  /// Blocks the host until the work before `event`, one of recorded(), is done.
  void wait(const Event &event);
  /// How often wait() was called.
  int64_t hostWaits() const { return waits; }

private:
  struct Work {
    const char *name, *detail;
    std::function<void()> run;
    bool waits; ///< for another stream
  };

  enum class DelayMode { Either, Messages, Kernels };

  void append(Work work);
  void run();
  void delay();
  bool isHolding(uint64_t count) const;

  Stream computed, messages;
  int64_t waits = 0;
  std::mutex mutex;
  std::condition_variable given, finished;
  // Guarded by the mutex.
  std::deque<Work> queue;
  bool isEnding = false;
  bool isAwaited = false; ///< by the host
  /// The current or last operation.
  const char *name = "", *detail = "";

  std::atomic<int64_t> pending{0};    ///< enqueued and not done
  std::atomic<bool> isWaiting{false}; ///< for another stream
  DelayMode late;
  std::mt19937_64 hostChance, deviceChance;
  std::thread thread;
};

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_DEVICE_H
