//===- HashThread.h - Hashes beside other work ------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_HASHTHREAD_H
#define PCC_RUNTIME_SUPPORT_HASHTHREAD_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace pcc {

/// A thread that hashes what the main one reads or writes at the same time.
class HashThread {
public:
  /// The one of this rank; null if it has a single thread for its work, which
  /// then hashes, too.
  static HashThread *find();

  /// Does this after what was added before.
  void add(std::function<void()> job);
  /// Returns when all is done.
  void wait();

private:
  HashThread();
  void run();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs; ///< the first is being done
  std::thread thread;
};

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_HASHTHREAD_H
