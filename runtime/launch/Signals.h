//===- Signals.h - Requests to stop a run -----------------------*- C++ -*-===//
//
// A first SIGTERM, SIGUSR1 or SIGHUP requests an orderly end, a second SIGTERM
// or SIGHUP ends the process at once. Some senders send one request twice:
// `timeout` to the process and to its group, srun on two paths, a closing
// terminal from the shell and from the kernel. A repetition within a short time
// counts as the same request.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_SIGNALS_H
#define PCC_RUNTIME_LAUNCH_SIGNALS_H

namespace pcc {

/// From now on SIGTERM, SIGUSR1 and, unless it is ignored, SIGHUP request an
/// end after the current step. A second SIGTERM or SIGHUP ends the process with
/// 128 + its number. A write beyond the file size limit fails like any other.
/// May be called before constructors have run.
void watchSignals();

/// This process was started by a launcher, whose signals may arrive twice
/// within a longer time.
void expectRepeatedSignals();

/// Records a signal. Returns true if it is a second SIGTERM or SIGHUP, which
/// must end the run at once. Safe in a signal handler.
bool noteSignal(int signal);

/// The signal that requested an end, or 0.
int stopSignal();

/// Whether this process received SIGTERM, with which launchers end the
/// survivors of a lost rank.
bool gotSIGTERM();

/// Seconds within which a starting job must react to a request to end; that
/// takes moments, but may hang.
inline constexpr double startPatience = 10;

/// "SIGTERM"
const char *signalName(int signal);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_SIGNALS_H
