//===- Device.h - A device that computes beside the host --------*- C++ -*-===//
//
// What compiled code computes goes into a queue, as on a GPU: calls return at
// once, and one thread, the device, does the work in order. Nothing but events
// orders it with other streams, and chance decides which side is late:
//
//   compute stream   kernel  kernel  wait(e)  kernel  record(f)  kernel
//   stream 1                    all_gather  record(e)    wait(f)  send
//
// A message may begin while kernels ahead of it in program order have not run,
// or be held back until those behind it have. Collectives and transfers start
// in the order of their issue, as NCCL's do. So a program that lacks an event
// computes with what is not there yet, or is not there any more; by one seed or
// another, for a seed has one side late, the other one, or now this, now that.
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

/// The device of a rank. Its member functions are for the main thread.
class Device {
public:
  /// `seed` decides who is late.
  explicit Device(uint64_t seed);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Appends work to the compute stream; the texts are as of an Operation.
  void enqueue(const char *name, const char *detail,
               std::function<void()> work);
  /// The same of a message that the compute stream waits for.
  void enqueueMessage(std::unique_ptr<Request> request);
  /// What the compute stream was given so far.
  Event recorded() const { return computed.recorded(); }
  /// Has what the compute stream is given from here on begin after an event of
  /// another stream.
  void enqueueWait(const Event &event);
  /// Has a request of another stream begin late, or not, as chance has it.
  void mayHold(Request &request);
  /// Returns when what `event`, one of recorded(), stands for is done: the host
  /// waits.
  void wait(const Event &event);
  /// How often the host has waited.
  int64_t hostWaits() const { return waits; }

private:
  struct Work {
    const char *name, *detail;
    std::function<void()> run;
    bool waits; ///< for another stream
  };

  enum class Late { Either, Messages, Kernels };

  void append(Work work);
  void run();
  void beLate();
  bool isHolding(uint64_t count) const;

  Stream computed, messages;
  int64_t waits = 0;
  std::mutex mutex;
  std::condition_variable given, finished;
  // Under the mutex.
  std::deque<Work> queue;
  bool isEnding = false;
  bool isAwaited = false; ///< by the host
  /// What the device is at, or was last.
  const char *name = "", *detail = "";

  std::atomic<int64_t> pending{0};    ///< enqueued and not done
  std::atomic<bool> isWaiting{false}; ///< for another stream
  Late late;
  std::mt19937_64 hostChance, deviceChance;
  std::thread thread;
};

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_DEVICE_H
