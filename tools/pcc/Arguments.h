//===- Arguments.h - The command line of pcc --------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_ARGUMENTS_H
#define PCC_TOOLS_PCC_ARGUMENTS_H

#include "frontend/import/InputChoices.h"
#include "frontend/weights/Ties.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Options.h"
#include "tools/pcc/verify/Verification.h"
#include <functional>
#include <optional>
#include <string>

namespace pcc {

class Summary;

/// The format of the summary on standard output; None: text on standard error.
enum class Report { None, Text, JSON };

/// The flags for the export of a directory.
struct DirectoryChoices {
  std::string python; ///< the Python that exports; empty: found
  std::string task;   ///< empty: by config.json
  bool trustsCode = false;
  /// The names of those that are given.
  std::vector<std::string> given;
};

/// The parsed command line.
struct Arguments {
  /// The options of the passes.
  Options options;
  std::string input;     ///< a path, or "-" for standard input
  std::string modelName; ///< empty: the input's stem
  std::string output;    ///< empty: derived from the input
  std::string emit = "exe";
  bool check = false;
  bool listParams = false;
  Report report = Report::None;
  bool memory = false; ///< --memory
  /// Whether config.json states the tokens that end a document.
  bool findsDocumentEnds = false;
  bool verifyEach = true;
  /// Whether --mlir-print-ir-module-scope is given; printing whole modules
  /// requires that passes do not run in parallel.
  bool printsModules = false;
  TieChoices ties;
  InputChoices inputs;
  DirectoryChoices directory;
  /// The names of the given flags. Files that carry choices of their own are
  /// checked against them.
  std::vector<std::string> given;
  /// The options of `pcc verify`; nullopt in any other compilation.
  std::optional<Verification> verification;
  /// If set, called with the module when it is at phase rt.
  std::function<void(mlir::ModuleOp, const Summary &)> onProgram;
};

/// Parses the command line. Returns -1, or the exit code to leave with: 2 after
/// an error, which is printed. Does not return after --help and --version.
int parseArguments(int argc, char **argv, Arguments &arguments);

/// Whether the target, which may be known only from the input, supports the
/// given flags; if not, prints an error.
bool checkTarget(const Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_ARGUMENTS_H
