//===- VerifyFlags.h - The flags of pcc verify ------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_VERIFYFLAGS_H
#define PCC_TOOLS_PCC_VERIFY_VERIFYFLAGS_H

#include "tools/pcc/Flags.h"
#include "tools/pcc/verify/Verification.h"
#include <optional>

namespace pcc {

/// The command, as the first argument.
inline constexpr llvm::StringLiteral kVerifyCommand = "verify";

/// The flags that only `pcc verify` has. Constructed only for this command.
struct VerifyFlags {
  /// The first lines of --help.
  static constexpr const char *kOverview =
      "pcc verify: trains a plan and one rank for a few steps on this "
      "machine's "
      "CPUs and\ncompares losses, gradient norms, gradients and parameters. "
      "The "
      "flags are those of\npcc that choose the plan, and these. Exit codes: 0 "
      "equal, 1 not equal or an\nerror, 2 the command line cannot be read.\n";

  cl::OptionCategory verification{"Verification"};

  Count steps{"steps", cl::desc("Steps to train (default 4)"), cl::init(4),
              cl::value_desc("N"), cl::cat(verification)};
  Text data{"data",
            cl::desc("Training data, as programs take it (default: made up)"),
            cl::value_desc("PATH"), cl::cat(verification)};
  Text plan{"plan",
            cl::desc("The plan's printed module, up to phase rt, which may be "
                     "edited (default: compiled from the model)"),
            cl::value_desc("TEXT.mlir"), cl::cat(verification)};
  Text keep{"keep",
            cl::desc("Folder for programs, logs and checkpoints, which are "
                     "else temporary"),
            cl::value_desc("DIR"), cl::cat(verification)};
  Text reference{"reference",
                 cl::desc("Folder for one rank's programs and results, which "
                          "are reused for other plans of the same model, data "
                          "and batch"),
                 cl::value_desc("DIR"), cl::cat(verification)};

  /// Hides the flags of pcc that the command refuses.
  void hideOthers(Flags &flags);
  /// Reads the values; prints an error if one is invalid, or if a flag of pcc
  /// is given that has no meaning here.
  bool read(Flags &flags, std::optional<Verification> &verification);
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_VERIFYFLAGS_H
