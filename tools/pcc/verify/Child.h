//===- Child.h - Processes that pcc verify starts ---------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_CHILD_H
#define PCC_TOOLS_PCC_VERIFY_CHILD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <sys/types.h>

namespace pcc {

/// A child process. Its standard output and error go to a file.
class Child {
public:
  /// Starts `body` in a copy of this process, which ends with the result as its
  /// exit code. `log`: the file for its output; empty: that of this process.
  static Child fork(llvm::StringRef log, llvm::function_ref<int()> body);
  /// Starts a program, outside of any launcher. `threads`: the number of its
  /// threads; 0: as many as it chooses.
  static Child run(llvm::StringRef log, llvm::ArrayRef<std::string> command,
                   int threads);

  /// Ends the process.
  void stop();
  /// Waits for the end. Returns the exit code, or 128 + n after signal n.
  int wait();

private:
  pid_t id = -1;
};

/// Makes SIGINT, SIGTERM and SIGHUP end the children, so that this process can
/// remove its files and end, too.
void catchSignals();
/// Returns the signal that was caught; 0: none.
int caughtSignal();

/// Returns the contents of a file; empty if it cannot be read.
std::string readWhole(llvm::StringRef path);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_CHILD_H
