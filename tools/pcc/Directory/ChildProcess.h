//===- ChildProcess.h - Running another program -----------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIRECTORY_CHILDPROCESS_H
#define PCC_TOOLS_PCC_DIRECTORY_CHILDPROCESS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace pcc {

/// How a program ended.
struct Ended {
  int code = 0;      ///< its exit code
  int signal = 0;    ///< the signal that ended it, or 0
  std::string error; ///< why it could not be started, or empty
  /// The signal that this process was asked to end by meanwhile, or 0. The
  /// program was then ended, too; raise the signal after cleaning up.
  int interrupted = 0;
};

/// Runs a program without standard input and waits. `line` gets each line of
/// its output and errors. `environment` has further variables, "NAME=value";
/// those that are set already are kept. The program ends if this process does.
Ended runProgram(llvm::ArrayRef<std::string> command,
                 llvm::ArrayRef<std::string> environment,
                 llvm::function_ref<void(llvm::StringRef)> line);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIRECTORY_CHILDPROCESS_H
