//===- Child.h - Child processes --------------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_CHILD_H
#define PCC_TOOLS_PCC_CHILD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <csignal>
#include <string>
#include <sys/types.h>

namespace pcc {

/// While one lives, SIGINT, SIGTERM and SIGHUP do not end this process, but its
/// children: it can then remove its files and end, too. Signals that are
/// ignored, as under nohup, stay ignored. One that is made while another lives
/// changes nothing.
class CaughtSignals {
public:
  CaughtSignals();
  CaughtSignals(const CaughtSignals &) = delete;
  CaughtSignals &operator=(const CaughtSignals &) = delete;
  ~CaughtSignals();

  /// The signal that the current or else the last one caught; 0: none.
  static int caught();

private:
  friend class Child;
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  static constexpr int kCount = 3;
  /// Restores the reactions from before.
  void restore() const;
  static CaughtSignals *current;
  struct sigaction before[kCount] = {};
};

/// How a process ended.
struct Ended {
  int code = 0;      ///< its exit code
  int signal = 0;    ///< the signal that ended it, or 0
  std::string error; ///< why it could not be started, or empty

  /// Returns the exit code, or 128 + n after signal n.
  int exitCode() const { return signal ? 128 + signal : code; }
};

/// A child process. It ends if this process does.
class Child {
public:
  /// Starts `body` in a copy of this process, which ends with the result as its
  /// exit code. `log`: the file for its output; empty: that of this process.
  static Child fork(llvm::StringRef log, llvm::function_ref<int()> body);
  /// Starts a training program, outside of any launcher. `threads`: the number
  /// of its threads; 0: as many as it chooses.
  static Child train(llvm::StringRef log, llvm::ArrayRef<std::string> command,
                     int threads);
  /// Runs a program without standard input, in a process group of its own, and
  /// waits. `line` gets each line of its output and errors. `environment` has
  /// further variables, "NAME=value"; those that are set already are kept.
  static Ended run(llvm::ArrayRef<std::string> command,
                   llvm::ArrayRef<std::string> environment,
                   llvm::function_ref<void(llvm::StringRef)> line);

  /// Ends the process.
  void stop();
  /// Waits for the end.
  Ended wait();

private:
  /// Forks; `body` is the child's part, and does not return. `isGroup`: the
  /// child has a process group, all of which is to end. Fails with errno if
  /// there can be no process.
  bool start(bool isGroup, llvm::function_ref<void()> body);

  pid_t id = -1;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_CHILD_H
