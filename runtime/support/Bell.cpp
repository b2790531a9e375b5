//===- Bell.cpp - Wakes a sleeping thread ---------------------------------===//

#include "runtime/support/Bell.h"

#include <climits>
#include <cmath>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace pcc;

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
                  std::atomic<uint32_t>::is_always_lock_free,
              "the kernel reads the number of rings");

static void callFutex(std::atomic<uint32_t> &word, int operation,
                      uint32_t value, const timespec *limit) {
  syscall(SYS_futex, &word, operation, value, limit, nullptr, 0);
}

void Bell::ring() {
  rings.fetch_add(1);
  // A thread either is counted here, or sees this ring before it sleeps.
  if (sleepers.load())
    callFutex(rings, FUTEX_WAKE, INT_MAX, nullptr);
}

void Bell::sleep(uint32_t since, double seconds) {
  if (seconds <= 0)
    return;
  const double mostSeconds = 1e6;
  timespec limit = {};
  bool isLimited = seconds < mostSeconds;
  if (isLimited) {
    double whole = std::floor(seconds);
    limit.tv_sec = static_cast<time_t>(whole);
    limit.tv_nsec = static_cast<long>((seconds - whole) * 1e9);
  }
  sleepers.fetch_add(1);
  callFutex(rings, FUTEX_WAIT, since, isLimited ? &limit : nullptr);
  sleepers.fetch_sub(1);
}
