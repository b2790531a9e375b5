//===- Error.h - Exit codes and fatal errors --------------------*- C++ -*-===//
//
// Every error of a training run is fatal: the run says one clear thing, ends
// all ranks and leaves with a code that scripts can rely on.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_ERROR_H
#define PCC_RUNTIME_SUPPORT_ERROR_H

#include <string>

namespace pcc {

/// The exit codes of a compiled program; scripts rely on the numbers.
enum ExitCode {
  ExitDone = 0,
  ExitUsage = 2,
  ExitWorld = 3,         ///< world size or launcher does not match the plan
  ExitData = 4,          ///< data or weights
  ExitNonFinite = 5,     ///< the loss or the gradient norm
  ExitMemory = 6,        ///< out of memory
  ExitCommunication = 7, ///< communication failure, a lost rank or device
  ExitOutput = 8,        ///< checkpoint or output file
  /// No usable device: the processor or GPU cannot run the program; a GPU, a
  /// driver or a library is missing or refuses a call; ranks have different
  /// ones; or a GPU fails in its first step.
  ExitDevice = 9,
  ExitInternal = 70, ///< the compiled program and the runtime disagree
};

/// What printf would print, as a string.
std::string format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/// Prints "[rank R] error: message" (the prefix only when there are several
/// ranks), then one "note: " line if `note` is not empty, ends all ranks and
/// exits with `code`. Ranks other than 0 wait a moment first: what all of them
/// find out, rank 0 says once.
[[noreturn]] void fail(ExitCode code, const std::string &message,
                       const std::string &note = "");

/// Prints the same from a thread that is not the main one, and ends nothing.
void announce(const std::string &message, const std::string &note = "");

/// "warning: message", from whichever rank calls it.
void warn(const std::string &message);

/// The rank that fail() speaks for; before this call it speaks for a process
/// without ranks. `abort` ends all ranks with a code.
void setErrorRank(int rank, int size, void (*abort)(int code));

// What the rooms above do at messages and failures. Each registers itself when
// it begins to have a part in them; before, nothing is done for it.

/// `clear` clears the terminal for a message of fail() or warn(), and where
/// `isReady` says that it would not wait, for one of announce().
void setBeforeMessage(void (*clear)(), bool (*isReady)());

/// Whether this process was told to end from outside, as launchers do with the
/// ranks that a failed one leaves.
void setIsTerminated(bool (*isTerminated)());

/// Has fail() call this after its message, before it ends the ranks; several
/// in the order in which they were added. They must not fail.
void addAfterMessage(void (*tell)(int code));

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_ERROR_H
