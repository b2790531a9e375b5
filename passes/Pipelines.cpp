//===- Pipelines.cpp - The passes of every phase, and why so --------------===//

#include "passes/Pipelines.h"
#include "passes/OptionText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;

/// "name{key=value ...}", leaving out keys without a value.
static std::string
withOptions(llvm::StringRef pass,
            llvm::ArrayRef<std::pair<llvm::StringRef, std::string>> options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << pass;
  llvm::StringRef separator = "{";
  for (auto &[key, value] : options) {
    if (value.empty())
      continue;
    os << separator << key << "=" << escapeOption(value);
    separator = " ";
  }
  if (separator != "{")
    os << "}";
  return text;
}

static std::string number(int64_t value) { return std::to_string(value); }

static std::string importPhase(const Options &) { return ""; }

/// Recognition by meaning, on a graph whose shapes are all known.
static std::string nnPhase(const Options &) {
  return "nn-recognize,canonicalize,cse,nn-verify";
}

static std::string trainPhase(const Options &options) {
  // A model that is not trained stays @forward up to its one task.
  if (options.forward)
    return "nn-bound-ids";
  std::string text = withOptions(
      "nn-attach-loss",
      {{"loss", options.loss},
       {"no-dropout", options.noDropout ? "true" : ""},
       {"whole-batch",
        options.dp == 1 && options.microbatches == 1 ? "true" : ""}});
  // The loss a file brings along may be no sum, or have no derivative.
  text += ",nn-verify,nn-bound-ids";
  // Padding rows must exist before their gradients do.
  if (options.tp > 1)
    text += ",nn-pad-vocab{multiple=" + number(options.tp) + "}";
  // Stages are marked on the forward pass alone: gradient ops inherit them.
  text += ",canonicalize,cse," +
          withOptions("nn-stage-cuts", {{"stages", number(options.pp)},
                                        {"cut", options.stageCut}});
  text += ",nn-autodiff," +
          withOptions("nn-optimizer", {{"kind", options.optimizer}});
  // No generic clean-up from here until partition: shardings are attributes.
  return text + ",nn-verify";
}

static std::string planPhase(const Options &options) {
  if (options.forward)
    return "";
  std::string text = "dist-mesh{pp=" + number(options.pp) +
                     " dp=" + number(options.dp) + " cp=" + number(options.cp) +
                     " tp=" + number(options.tp) + "}";
  // Seeds are wishes only. Tensor parallelism decides first, the data axes
  // second, sequence parallelism takes what is left.
  text += ",dist-seed-tensor,dist-seed-data";
  if (options.sequenceParallel)
    text += ",dist-seed-sequence";
  text += ",dist-propagate";
  if (options.verbosity > 1)
    text += "{remarks=true}";
  return text + ",dist-insert-reshards,dist-verify";
}

static std::string spmdPhase(const Options &options) {
  if (options.forward)
    return "";
  return "dist-partition,canonicalize,cse,dist-verify";
}

static std::string pipelinePhase(const Options &options) {
  return "pipe-outline," +
         withOptions("pipe-schedule",
                     {{"kind", options.schedule},
                      {"microbatches", number(options.microbatches)}}) +
         ",pipe-check";
}

static std::string rtPhase(const Options &) {
  // Attention stays whole up to here: a GPU has a library call for it. Kernels
  // are verified while they still say what they compute.
  return "nn-expand-attention,rt-split-accumulate,rt-form-kernels,"
         "rt-verify-kernels,rt-lower,rt-verify";
}

static std::string llvmPhase(const Options &) {
  return "rt-lower-kernels,rt-to-llvm";
}

llvm::ArrayRef<Phase> pcc::getPhases() {
  static const Phase phases[] = {
      {"import", "the file's operators on tensors of known shape", importPhase},
      {"nn", "the model: layer norms, attention, linear layers", nnPhase},
      {"train", "forward, backward and update of one device", trainPhase},
      {"plan", "where every value lives on the mesh", planPhase},
      {"spmd", "one rank's program, with collectives", spmdPhase},
      {"pipeline", "tasks, and the order each stage runs them in",
       pipelinePhase},
      {"rt", "launches, library calls, transfers, arena offsets", rtPhase},
      {"llvm", "machine-level code in the LLVM dialect", llvmPhase},
  };
  return phases;
}

int pcc::findPhase(llvm::StringRef name) {
  for (auto [i, phase] : llvm::enumerate(getPhases()))
    if (phase.name == name)
      return static_cast<int>(i);
  return -1;
}
