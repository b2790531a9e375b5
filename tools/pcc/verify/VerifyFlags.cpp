//===- VerifyFlags.cpp - The flags of pcc verify --------------------------===//

#include "tools/pcc/verify/VerifyFlags.h"
#include "llvm/ADT/STLExtras.h"

using namespace pcc;

/// The flags of pcc that `pcc verify` refuses, and why.
static std::vector<std::pair<cl::Option *, llvm::StringRef>>
refused(Flags &flags) {
  constexpr llvm::StringLiteral runs =
      "it compiles programs of its own, and runs them";
  constexpr llvm::StringLiteral trains = "it compares training steps";
  return {{&flags.emit, runs},
          {&flags.outputPath, runs},
          {&flags.check, runs},
          {&flags.listParams, runs},
          {&flags.forward, trains},
          {&flags.gpuArch, "it runs on CPUs"},
          {&flags.verbose, "it prints no plan; pcc -v does"}};
}

void VerifyFlags::hideOthers(Flags &flags) {
  for (auto &[flag, why] : refused(flags))
    flag->setHiddenFlag(cl::Hidden);
}

bool VerifyFlags::read(Flags &flags,
                       std::optional<Verification> &verification) {
  for (auto &[flag, why] : refused(flags))
    if (flag->getNumOccurrences()) {
      llvm::errs() << "pcc: error: " << (flag->ArgStr.size() == 1 ? "-" : "--")
                   << flag->ArgStr << ": 'pcc verify' does not take it: " << why
                   << "\n";
      return false;
    }
  if (llvm::is_contained(flags.inputs, "-")) {
    llvm::errs()
        << "pcc: error: 'pcc verify' compiles the model several times, "
           "and cannot read it from standard input\n"
           "pcc: note: give a file\n";
    return false;
  }
  llvm::StringRef target = flags.targetName;
  if (target != "auto" && target != "cpu") {
    llvm::errs() << "pcc: error: --target " << target
                 << ": 'pcc verify' compares programs for CPUs\n"
                    "pcc: note: the plan is the same on both: leave --target "
                    "out, with --precision bf16 for a GPU's default\n";
    return false;
  }
  if (!plan.empty() && !llvm::StringRef(plan).ends_with(".mlir")) {
    llvm::errs() << "pcc: error: --plan takes the text of a module, a file "
                    "*.mlir, not '"
                 << plan
                 << "'\n"
                    "pcc: note: pcc MODEL ... --emit=rt -o plan.mlir writes "
                    "one\n";
    return false;
  }
  flags.targetName.setValue("cpu");
  verification = Verification{steps, data, plan, keep, reference, ""};
  return true;
}
