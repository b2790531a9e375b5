//===- Signals.h - Asking a run to stop -------------------------*- C++ -*-===//
//
// A first signal asks for an end in order, a second one ends the process at
// once. Some senders send one request twice: timeout to the process and to its
// group, srun along two ways, a terminal that closes from the shell and from
// the kernel. What follows within a moment is the same request.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_SIGNALS_H
#define PCC_RUNTIME_LAUNCH_SIGNALS_H

namespace pcc {

/// From here on SIGTERM, SIGUSR1 and, unless it is ignored, SIGHUP ask for an
/// end after the current step. The second one that is SIGTERM or SIGHUP ends
/// the process with 128 + its number. A write that exceeds the limit of file
/// sizes fails like any other. Works before constructors have run.
void watchSignals();

/// This process was started by a launcher, whose signals may arrive twice
/// within a longer moment.
void expectRepeatedSignals();

/// Notes a signal; true: it is a second one, which ends the run at once. Safe
/// in a signal handler.
bool noteSignal(int signal);

/// The signal that asked the run for an end, or 0.
int stopSignal();

/// Whether this process got SIGTERM, by which launchers end the survivors of a
/// lost rank.
bool gotSIGTERM();

/// Seconds that a start has to hear of an end: it takes moments, but may hang.
inline constexpr double startPatience = 10;

/// "SIGTERM"
const char *signalName(int signal);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_SIGNALS_H
