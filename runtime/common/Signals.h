//===- Signals.h - Asking a run to stop -------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_COMMON_SIGNALS_H
#define PCC_RUNTIME_COMMON_SIGNALS_H

#include <functional>
#include <thread>

namespace pcc {

/// Starts a thread that gets no signals: they are for the main thread, which
/// may be waiting in MPI.
std::thread startThread(std::function<void()> run);

/// From here on SIGTERM and SIGUSR1 ask for an end after the current step, and
/// a write that exceeds the limit of file sizes fails like any other.
void watchSignals();

/// The signal that asked for an end, or 0.
int stopSignal();

} // namespace pcc

#endif // PCC_RUNTIME_COMMON_SIGNALS_H
