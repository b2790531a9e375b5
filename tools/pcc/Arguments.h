//===- Arguments.h - The command line of pcc --------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_ARGUMENTS_H
#define PCC_TOOLS_PCC_ARGUMENTS_H

#include "frontend/import/InputChoices.h"
#include "frontend/weights/Ties.h"
#include "passes/Options.h"
#include <string>

namespace pcc {

/// Where the summary goes: to standard error for people, or to standard output.
enum class Report { None, Text, JSON };

/// What the command line asks for.
struct Arguments {
  /// What the passes are told.
  Options options;
  std::string input;  ///< a path, or "-" for standard input
  std::string output; ///< empty: derived from the input
  std::string emit = "exe";
  bool check = false;
  bool listParams = false;
  Report report = Report::None;
  bool verifyEach = true;
  /// Whether --mlir-print-ir-module-scope wants whole modules printed, which
  /// passes that run beside each other would disturb.
  bool printsModules = false;
  TieChoices ties;
  InputChoices inputs;
  /// Which of the options were given, by flag name: files that carry choices
  /// of their own are checked against these.
  std::vector<std::string> given;
};

/// Reads the command line. Returns -1, or the exit code with which to leave
/// at once (0 after --help, 2 when it cannot be read; the reason is printed).
int parseArguments(int argc, char **argv, Arguments &arguments);

/// Whether the target, once it is known, has what was given a choice of; where
/// it has not, the reason is printed.
bool checkTarget(const Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_ARGUMENTS_H
