//===- HashThread.cpp - Thread for hashing --------------------------------===//

#include "runtime/support/HashThread.h"

#include "runtime/Backend.h"
#include "runtime/support/Thread.h"

using namespace pcc;

HashThread *HashThread::find() {
  if (backend::threads() < 2)
    return nullptr;
  // Never destroyed: it waits for work until the process ends.
  static HashThread *one = new HashThread;
  return one;
}

HashThread::HashThread() : thread(startThread([this] { run(); })) {
  thread.detach();
}

void HashThread::add(std::function<void()> job) {
  std::lock_guard<std::mutex> lock(mutex);
  jobs.push_back(std::move(job));
  changed.notify_all();
}

void HashThread::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [this] { return jobs.empty(); });
}

void HashThread::run() {
  unblockReadErrors();
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return !jobs.empty(); });
    std::function<void()> &job = jobs.front();
    lock.unlock();
    job();
    lock.lock();
    jobs.pop_front();
    changed.notify_all();
  }
}
