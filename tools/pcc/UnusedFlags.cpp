//===- UnusedFlags.cpp - Warnings about unused flags ----------------------===//

#include "tools/pcc/UnusedFlags.h"
#include "passes/Pipelines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;

/// Flags that only affect training. --zero and --recompute have their own
/// warnings.
static constexpr llvm::StringLiteral kOfTraining[] = {
    "loss",     "optimizer",       "freeze",        "train",
    "tie",      "untie",           "norm-plus-one", "global-batch-size",
    "schedule", "overlap",         "bucket-size",   "padding-mask",
    "offload",  "optimizer-state", "documents",     "keep-positions"};

static void warn(const llvm::Twine &flag, llvm::StringRef why) {
  llvm::errs() << "pcc: warning: " << flag << " changes nothing: " << why
               << "\n";
}

/// Warns about flags that have no effect on the program.
static void warnOfPlan(const Arguments &arguments) {
  const Options &options = arguments.options;
  auto isGiven = [&](llvm::StringRef flag) {
    return llvm::is_contained(arguments.given, flag);
  };
  if (options.forward) {
    if (arguments.memory)
      warn("--memory", "a forward-only program keeps nothing");
    for (llvm::StringRef flag : kOfTraining)
      if (isGiven(flag))
        warn("--" + flag, "a forward-only program trains nothing");
    return;
  }
  if (arguments.memory && findPhase(arguments.emit) >= 0 &&
      findPhase(arguments.emit) < findPhase("rt"))
    warn("--memory", "offsets in memory are assigned in phase rt");
  if (isGiven("schedule") && options.schedule != "1f1b" && options.pp == 1)
    warn("--schedule " + options.schedule, "there is one stage, without --pp");
  if (isGiven("overlap") && options.overlap == "off" &&
      options.worldSize() == 1)
    warn("--overlap off", "a program of one rank sends nothing");
  if (isGiven("cp-comm-type") && options.cp == 1)
    warn("--cp-comm-type", "sequences are not split, without --cp");
  if (isGiven("cp-balance") && options.cp == 1)
    warn("--cp-balance", "sequences are not split, without --cp");
  if (isGiven("keep-positions") && !isGiven("documents"))
    warn("--keep-positions", "a sample is one document, without --documents");
  if (isGiven("offload") && options.optimizer == "sgd" &&
      options.precision == "f32")
    warn("--offload " + options.offload,
         "SGD has no state, and f32 weights are used as they are");
  if (isGiven("etp") && options.tp == 1)
    warn("--etp 1", "no ranks share a layer, without --tp");
  if (arguments.emit == "import" || arguments.emit == "nn")
    for (llvm::StringRef flag : {"documents", "keep-positions", "moe-aux-loss",
                                 "moe-bias-rate", "moe-capacity"})
      if (isGiven(flag))
        warn("--" + flag, "give it where the phase 'train' is made, too");
  if (options.moeCapacity > 0 && options.ep == 1 &&
      (options.etp != 1 || options.tp == 1))
    warn("--moe-capacity", "each rank has all experts, without --ep");
  if (options.sequenceParallel && options.tp == 1)
    warn("--sequence-parallel", "no ranks share a layer, without --tp");
}

void pcc::warnOfUnusedFlags(const Arguments &arguments) {
  warnOfPlan(arguments);
  // --list-params prints the facts of an import with any other flags but
  // --check.
  if (!arguments.check)
    return;
  llvm::StringRef why = "--check says what a compile would";
  if (arguments.listParams)
    warn("--list-params", why);
  if (!arguments.output.empty())
    warn("-o " + arguments.output, why);
  if (arguments.emit != "exe")
    warn("--emit " + arguments.emit, why);
}
