//===- Error.h - Exit codes and fatal errors --------------------*- C++ -*-===//
//
// Every error of a training run is fatal: the run prints one message, ends all
// ranks and exits with a code that scripts can rely on.
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

/// Returns the text that printf would print.
std::string format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/// Prints "[rank R] error: message" (the prefix only when there are several
/// ranks), then one "note: " line if `note` is not empty, ends all ranks and
/// exits with `code`. Ranks other than 0 wait at least 1.5 s first, so that
/// rank 0 alone reports an error that all ranks find.
[[noreturn]] void fail(ExitCode code, const std::string &message,
                       const std::string &note = "");

/// Prints the same message from a thread other than the main one; ends no rank.
void announce(const std::string &message, const std::string &note = "");

/// Prints "warning: message" on the calling rank, with the rank's prefix.
void warn(const std::string &message);

/// Sets the rank for the prefix of messages; until this call messages have
/// none. `abort` ends all ranks with a code.
void setErrorRank(int rank, int size, void (*abort)(int code));

// Callbacks by which libraries that depend on this one take part in messages
// and failures. Each library registers its callbacks when it starts.

/// Registers `clear`, which clears the progress bar before a message of fail()
/// or warn(). announce() calls it only if `isReady` returns that it would not
/// block.
void setBeforeMessage(void (*clear)(), bool (*isReady)());

/// Registers a function that returns whether the process was asked to end from
/// outside. Launchers do so with the remaining ranks when one fails.
void setIsTerminated(bool (*isTerminated)());

/// Registers a function that fail() calls after its message, before it ends the
/// ranks. Several are called in the order of registration. They must not fail.
void addAfterMessage(void (*tell)(int code));

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_ERROR_H
