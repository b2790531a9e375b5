//===- HashThread.h - Thread for hashing ------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_HASHTHREAD_H
#define PCC_RUNTIME_SUPPORT_HASHTHREAD_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace pcc {

/// A thread that hashes data while the main thread reads or writes them.
class HashThread {
public:
  /// Returns the hash thread of this rank; null if the rank works with a single
  /// thread, which then hashes itself.
  static HashThread *find();

  /// Adds a job; jobs are executed in the order in which they are added.
  void add(std::function<void()> job);
  /// Waits until all jobs are done.
  void wait();

private:
  HashThread();
  void run();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs; ///< the first one is running
  std::thread thread;
};

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_HASHTHREAD_H
