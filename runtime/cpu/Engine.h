//===- Engine.h - Drives the requests of a rank -----------------*- C++ -*-===//
//
// See Communication.h.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_ENGINE_H
#define PCC_RUNTIME_CPU_ENGINE_H

#include "runtime/cpu/Communication.h"
#include "runtime/cpu/Transport.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace pcc {

/// All requests of this rank, and the threads that drive them.
class Engine {
public:
  /// The transport has not begun yet.
  explicit Engine(std::unique_ptr<Transport> transport)
      : transport(std::move(transport)) {}

  /// Starts the communication thread; returns when the transport has begun.
  void start();
  /// `waits`: the caller calls wait() next, and may drive.
  void issue(Stream &stream, std::unique_ptr<Request> request, bool waits);
  /// Returns when the event is complete. The caller may become the driver.
  void wait(const Event &event);
  /// Returns when all requests are complete and the thread has ended.
  void end();
  /// See communication::abort().
  [[noreturn]] void abort(int code);
  /// Makes the driver test held requests and awaited events again.
  void lookAgain();
  /// Runs a request on the calling thread: for a process without a transport.
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

#endif // PCC_RUNTIME_CPU_ENGINE_H
