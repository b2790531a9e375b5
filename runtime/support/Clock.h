//===- Clock.h - The steady clock -------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_CLOCK_H
#define PCC_RUNTIME_SUPPORT_CLOCK_H

#include <chrono>

namespace pcc {

/// Returns the seconds of the steady clock, which stops while the machine is
/// suspended.
inline double steadyNow() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_CLOCK_H
