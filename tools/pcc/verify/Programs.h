//===- Programs.h - Compiles and runs programs to verify --------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_PROGRAMS_H
#define PCC_TOOLS_PCC_VERIFY_PROGRAMS_H

#include "mlir/Support/LLVM.h"
#include "tools/pcc/Child.h"
#include "tools/pcc/verify/Facts.h"
#include "tools/pcc/verify/Hyperparameters.h"

namespace pcc {

/// Compiles a model as pcc does, and returns its exit code.
using Compile = llvm::function_ref<int(const Arguments &)>;

/// The compilation of a program, in a process of its own.
class Compiling {
public:
  /// Starts to compile `arguments` to a program at `path`. `log`: the file for
  /// diagnostics; empty: standard error.
  Compiling(Arguments arguments, llvm::StringRef path, llvm::StringRef log,
            Compile compile);
  /// Waits until the facts are known, long before the program is; nullopt if
  /// the compilation failed.
  const std::optional<Facts> &facts() const { return known; }
  /// Waits for the program; returns the exit code.
  int finish() { return child.wait().exitCode(); }
  /// Ends it.
  void stop() { child.stop(); }

private:
  Child child;
  std::optional<Facts> known;
};

/// How a program is run.
struct RunSettings {
  std::string program, folder; ///< the folder gets logs and checkpoints
  std::string data;
  bool hasWeights = true;
  int threads = 0; ///< 0: as many as the program chooses
  /// The seconds without progress after which the program ends.
  int64_t timeout = 600;
};

/// Returns the path of a run's log in RunSettings::folder.
std::string logOf(llvm::StringRef folder, llvm::StringRef run);
/// Returns the folder of a run's checkpoint after a step.
std::string checkpointOf(llvm::StringRef folder, llvm::StringRef run,
                         int64_t step);

/// Runs a program. `run` names its log and its checkpoints: "first". Returns
/// the exit code.
int runProgram(const RunSettings &settings, llvm::StringRef run,
               std::vector<std::string> flags);

/// Runs a program up to its first update and, again from the start, to the
/// end. Reports a failure of it, which `who` is: "one rank".
mlir::LogicalResult runTwice(const RunSettings &settings, llvm::StringRef who,
                             const Hyperparameters &hyperparameters,
                             llvm::StringRef input, bool skipsNonfinite);

/// Reports that a program failed, with the end of its output.
void reportFailure(const RunSettings &settings, llvm::StringRef run, int code,
                   llvm::StringRef who, llvm::StringRef input);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_PROGRAMS_H
