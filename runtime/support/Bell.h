//===- Bell.h - Wakes a sleeping thread -------------------------*- C++ -*-===//
//
// A thread that found nothing to do sleeps until a bell rings. Because the
// thread reads the bell before it looks for work, no ring is lost:
//
//   thread                         another thread, or another process
//   rung = bell.read()
//   looks for work, finds none     creates work
//                                  bell.ring()
//   bell.sleep(rung, ...)          returns at once: the bell rang since
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_BELL_H
#define PCC_RUNTIME_SUPPORT_BELL_H

#include <atomic>
#include <cstdint>

namespace pcc {

/// A bell. It works between processes in shared memory, where zero bytes are a
/// valid bell.
class Bell {
public:
  /// Returns the number of rings so far, modulo 2^32.
  uint32_t read() const { return rings.load(); }
  /// Rings: wakes the threads that sleep.
  void ring();
  /// Sleeps until the bell has rung since read() returned `since`, or for so
  /// many seconds; infinity: without a limit. May return early.
  void sleep(uint32_t since, double seconds);

private:
  std::atomic<uint32_t> rings{0}, sleepers{0};
};

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_BELL_H
