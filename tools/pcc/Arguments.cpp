//===- Arguments.cpp - The command line of pcc ----------------------------===//

#include "tools/pcc/Arguments.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
namespace cl = llvm::cl;

namespace {

/// A flag that may have one of a few names as its value. Plain strings keep
/// the Options struct free of enums that only the command line needs.
bool checkChoice(llvm::StringRef flag, llvm::StringRef value,
                 llvm::ArrayRef<llvm::StringRef> choices) {
  if (llvm::is_contained(choices, value))
    return true;
  llvm::errs() << "pcc: error: --" << flag << " takes "
               << llvm::join(choices, ", ") << ", not '" << value << "'\n";
  return false;
}

/// The CPU is the only target so far; whoever asks for a GPU is told so.
bool checkTarget(llvm::StringRef target) {
  if (target != "cuda" && target != "cuda-emulated")
    return checkChoice("target", target, {"auto", "cpu"});
  llvm::errs() << "pcc: error: --target " << target
               << ": this version compiles for CPUs only\n"
                  "pcc: note: leave --target out, or give --target cpu\n";
  return false;
}

/// Bytes of "80GiB", "512MiB", "1073741824"; -1 if it is none.
int64_t parseBytes(llvm::StringRef text) {
  int64_t unit = 1;
  std::pair<llvm::StringRef, int64_t> units[] = {{"GiB", int64_t(1) << 30},
                                                 {"MiB", int64_t(1) << 20},
                                                 {"KiB", int64_t(1) << 10},
                                                 {"B", 1}};
  for (auto [name, bytes] : units)
    if (text.consume_back(name)) {
      unit = bytes;
      break;
    }
  int64_t value;
  if (text.trim().getAsInteger(10, value) || value <= 0 ||
      value > INT64_MAX / unit)
    return -1;
  return value * unit;
}

/// Every flag of pcc. Constructed in main so that no flag exists before it.
struct Flags {
  cl::OptionCategory parallelism{"Parallelism"};
  cl::OptionCategory training{"Training"};
  cl::OptionCategory target{"Target"};
  cl::OptionCategory output{"Output"};
  cl::OptionCategory debugging{"Debugging"};

  cl::list<std::string> inputs{cl::Positional, cl::desc("<model>")};

  cl::opt<int64_t> tp{"tp", cl::desc("Ranks that share every layer"),
                      cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias tpAlias{"tensor-model-parallel-size", cl::aliasopt(tp),
                    cl::desc("Same as --tp")};
  cl::opt<int64_t> pp{"pp", cl::desc("Pipeline stages"), cl::init(1),
                      cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias ppAlias{"pipeline-model-parallel-size", cl::aliasopt(pp),
                    cl::desc("Same as --pp")};
  cl::opt<int64_t> dp{"dp", cl::desc("Copies that share the batch"),
                      cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::opt<int64_t> cp{"cp", cl::desc("Ranks that share every sequence"),
                      cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias cpAlias{"context-parallel-size", cl::aliasopt(cp),
                    cl::desc("Same as --cp")};
  cl::opt<int64_t> worldSize{
      "world-size", cl::desc("All ranks; dp is what is left of them"),
      cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};
  cl::opt<std::string> schedule{
      "schedule", cl::desc("Order of microbatches: gpipe, 1f1b"),
      cl::init("1f1b"), cl::value_desc("NAME"), cl::cat(parallelism)};
  cl::opt<std::string> stageCut{
      "stage-cut", cl::desc("Nodes that begin a stage (default: balance)"),
      cl::value_desc("NODE,NODE"), cl::cat(parallelism)};
  cl::opt<int64_t> microBatch{
      "micro-batch-size", cl::desc("Samples per microbatch and dp rank"),
      cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};
  cl::opt<int64_t> globalBatch{"global-batch-size",
                               cl::desc("Samples per step"), cl::init(0),
                               cl::value_desc("N"), cl::cat(parallelism)};

  cl::opt<bool> sequenceParallel{
      "sequence-parallel",
      cl::desc("Shares norms and residuals over tp by the sequence, too"),
      cl::cat(parallelism)};
  cl::alias sequenceParallelAlias{"sp", cl::aliasopt(sequenceParallel),
                                  cl::desc("Same as --sequence-parallel")};

  // What this version has one value of only, or none; hidden until it has
  // more.
  cl::opt<std::string> precision{"precision", cl::init("f32"), cl::Hidden,
                                 cl::cat(training)};
  cl::opt<std::string> recompute{"recompute", cl::init("none"), cl::Hidden,
                                 cl::cat(training)};
  cl::opt<std::string> zero{"zero", cl::init("0"), cl::Hidden,
                            cl::cat(parallelism)};
  cl::opt<std::string> vpp{"vpp", cl::init("1"), cl::Hidden,
                           cl::cat(parallelism)};
  cl::opt<std::string> layersPerChunk{"num-layers-per-virtual-pipeline-stage",
                                      cl::Hidden, cl::cat(parallelism)};
  cl::opt<bool> distributedOptimizer{"use-distributed-optimizer", cl::Hidden,
                                     cl::cat(parallelism)};
  cl::opt<std::string> scheduleFile{"schedule-file", cl::Hidden,
                                    cl::cat(parallelism)};
  cl::opt<std::string> gpuArch{"gpu-arch", cl::Hidden, cl::cat(target)};

  cl::opt<int64_t> seq{"seq", cl::desc("Tokens per sample"), cl::init(0),
                       cl::value_desc("N"), cl::cat(training)};
  cl::list<std::string> dims{"dim", cl::desc("Binds a dynamic dim of the file"),
                             cl::value_desc("NAME=N"), cl::cat(training)};
  cl::opt<std::string> loss{
      "loss",
      cl::desc("causal-lm, cross-entropy (of classes) or mse; ignored where "
               "the file ends in a loss"),
      cl::init("causal-lm"), cl::value_desc("NAME"), cl::cat(training)};
  cl::opt<std::string> optimizer{"optimizer", cl::desc("adamw or sgd"),
                                 cl::init("adamw"), cl::value_desc("NAME"),
                                 cl::cat(training)};
  cl::opt<std::string> init{
      "init", cl::desc("Initial weights: from-onnx or random"),
      cl::init("from-onnx"), cl::value_desc("HOW"), cl::cat(training)};
  cl::opt<std::string> freeze{"freeze",
                              cl::desc("Parameters that are not trained"),
                              cl::value_desc("REGEX"), cl::cat(training)};
  cl::opt<std::string> train{"train",
                             cl::desc("Parameters that are trained in spite "
                                      "of --freeze"),
                             cl::value_desc("REGEX"), cl::cat(training)};
  cl::opt<bool> paddingMask{
      "padding-mask",
      cl::desc("attention_mask is data; by default so unless --loss is "
               "causal-lm"),
      cl::cat(training)};
  cl::opt<bool> noDropout{"no-dropout", cl::desc("Leaves dropout out"),
                          cl::cat(training)};

  cl::opt<bool> forward{
      "forward",
      cl::desc("Compiles the model's outputs alone, for one rank: the program "
               "reads <input>.npy and writes <output>.npy"),
      cl::cat(training)};

  cl::opt<std::string> targetName{"target", cl::desc("auto, cpu"),
                                  cl::init("auto"), cl::value_desc("NAME"),
                                  cl::cat(target)};
  cl::opt<std::string> memoryLimit{"memory-limit",
                                   cl::desc("Refuses plans over this per rank"),
                                   cl::value_desc("80GiB"), cl::cat(target)};

  cl::opt<std::string> emit{
      "emit",
      cl::desc("Stops at import, nn, train, plan, spmd, pipeline, rt, llvm, "
               "obj or exe"),
      cl::init("exe"), cl::value_desc("STAGE"), cl::cat(output)};
  cl::opt<std::string> outputPath{"o", cl::desc("Where to write, - for stdout"),
                                  cl::value_desc("FILE"), cl::cat(output)};
  cl::opt<bool> check{
      "check", cl::desc("Says which operators of the file are supported"),
      cl::cat(output)};
  cl::opt<bool> supportedOps{"supported-ops",
                             cl::desc("Lists every operator as Markdown"),
                             cl::Hidden, cl::cat(output)};
  cl::opt<bool> listParams{"list-params",
                           cl::desc("Lists the parameters and stops"),
                           cl::cat(output)};
  cl::opt<std::string> report{"report", cl::ValueOptional,
                              cl::desc("Writes the summary to standard output, "
                                       "as text or with =json as JSON"),
                              cl::value_desc("json"), cl::cat(output)};
  cl::opt<bool> quiet{"q", cl::desc("Prints no summary"), cl::cat(output)};
  cl::opt<bool> verbose{"v", cl::desc("Prints the reason of every sharding"),
                        cl::cat(output)};
  cl::opt<bool> verifyEach{"verify-each",
                           cl::desc("Verifies after every pass (default on)"),
                           cl::init(true), cl::cat(debugging)};
};

} // namespace

/// Says no to what only later versions will have.
static bool checkOnlyValues(const Flags &flags) {
  std::pair<const cl::opt<std::string> *, llvm::StringRef> only[] = {
      {&flags.precision, "f32"},
      {&flags.recompute, "none"},
      {&flags.zero, "0"},
      {&flags.vpp, "1"}};
  for (auto [flag, value] : only)
    if (*flag != value) {
      llvm::errs() << "pcc: error: --" << flag->ArgStr << " "
                   << flag->getValue() << ": this version has only " << value
                   << "\n";
      return false;
    }
  const cl::Option *none[] = {&flags.layersPerChunk,
                              &flags.distributedOptimizer, &flags.scheduleFile,
                              &flags.gpuArch};
  for (const cl::Option *flag : none)
    if (flag->getNumOccurrences()) {
      llvm::errs() << "pcc: error: --" << flag->ArgStr
                   << ": this version does not have it\n"
                      "pcc: note: pcc --help lists what it has\n";
      return false;
    }
  return true;
}

/// The one model to read; says so and returns false if it is not one.
static bool readPositional(const Flags &flags, std::string &input) {
  if (flags.inputs.size() == 1) {
    input = flags.inputs.front();
    return true;
  }
  if (flags.inputs.empty())
    llvm::errs() << "pcc: error: no model given; see pcc --help\n";
  else if (flags.inputs.front() == "verify")
    llvm::errs() << "pcc: error: this version does not have 'pcc verify'\n"
                    "pcc: note: pcc --help lists what it has\n";
  else
    llvm::errs() << "pcc: error: one model at a time, not '"
                 << llvm::join(flags.inputs, "' and '") << "'\n";
  return false;
}

/// Derives dp from the world size.
static bool resolveWorldSize(const Flags &flags, Options &options) {
  if (!flags.worldSize)
    return true;
  int64_t model = options.tp * options.pp * options.cp;
  if (model > flags.worldSize || flags.worldSize % model) {
    llvm::errs() << "pcc: error: --world-size " << flags.worldSize
                 << " is not a multiple of tp * cp * pp = " << model << "\n";
    return false;
  }
  int64_t dp = flags.worldSize / model;
  if (flags.dp.getNumOccurrences() && flags.dp != dp) {
    llvm::errs() << "pcc: error: --world-size " << flags.worldSize
                 << " leaves dp = " << dp << ", not the given " << flags.dp
                 << "\n";
    return false;
  }
  options.dp = dp;
  return true;
}

int pcc::parseArguments(int argc, char **argv, Arguments &arguments) {
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerAsmPrinterCLOptions();
  Flags flags;
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "pcc 0.1, built with LLVM " << LLVM_VERSION_STRING << "\n";
  });
  cl::HideUnrelatedOptions({&flags.parallelism, &flags.training, &flags.target,
                            &flags.output, &flags.debugging});
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "pcc: compiles a transformer in ONNX into a program that trains it "
          "on many ranks\n",
          &llvm::errs()))
    return 2;
  arguments.check = flags.check;
  arguments.supportedOps = flags.supportedOps;
  if (flags.supportedOps)
    return -1;
  if (!readPositional(flags, arguments.input))
    return 2;

  Options &options = arguments.options;
  options.tp = flags.tp;
  options.pp = flags.pp;
  options.dp = flags.dp;
  options.cp = flags.cp;
  options.sequenceParallel = flags.sequenceParallel;
  options.schedule = flags.schedule;
  options.stageCut = flags.stageCut;
  options.microBatch = flags.microBatch;
  options.globalBatch = flags.globalBatch;
  options.seq = flags.seq;
  options.loss = flags.loss;
  options.optimizer = flags.optimizer;
  options.noDropout = flags.noDropout;
  options.paddingMask = flags.paddingMask;
  options.forward = flags.forward;
  options.freeze = flags.freeze;
  options.train = flags.train;
  options.verbosity = flags.quiet ? 0 : flags.verbose ? 2 : 1;

  std::pair<llvm::StringRef, const cl::opt<int64_t> *> counts[] = {
      {"tp", &flags.tp},
      {"pp", &flags.pp},
      {"dp", &flags.dp},
      {"cp", &flags.cp},
      {"world-size", &flags.worldSize},
      {"seq", &flags.seq},
      {"micro-batch-size", &flags.microBatch},
      {"global-batch-size", &flags.globalBatch}};
  auto note = [&](const cl::Option &flag) {
    if (flag.getNumOccurrences())
      arguments.given.push_back(flag.ArgStr.str());
  };
  note(flags.sequenceParallel);
  note(flags.schedule);
  note(flags.stageCut);
  note(flags.loss);
  note(flags.optimizer);
  note(flags.init);
  note(flags.noDropout);
  note(flags.paddingMask);
  note(flags.freeze);
  note(flags.train);
  note(flags.dims);
  note(flags.memoryLimit);
  if (flags.worldSize.getNumOccurrences())
    arguments.given.push_back("dp");
  options.globalBatchGiven = flags.globalBatch.getNumOccurrences();
  for (auto [name, flag] : counts) {
    if (flag->getNumOccurrences() == 0)
      continue;
    arguments.given.push_back(name.str());
    // Products of a few of these must fit in 64 bits.
    if (*flag > 1'000'000'000) {
      llvm::errs() << "pcc: error: --" << name << " " << *flag
                   << " is beyond every machine\n"
                      "pcc: note: at most 1000000000 is accepted\n";
      return 2;
    }
    if (*flag < 1) {
      llvm::errs() << "pcc: error: --" << name << " must be at least 1, not "
                   << *flag << "\n";
      return 2;
    }
  }
  if (!checkChoice("schedule", flags.schedule, {"gpipe", "1f1b"}) ||
      !checkChoice("loss", flags.loss, {"causal-lm", "cross-entropy", "mse"}) ||
      !checkChoice("optimizer", flags.optimizer, {"adamw", "sgd"}) ||
      !checkChoice("init", flags.init, {"from-onnx", "random"}) ||
      !checkTarget(flags.targetName) ||
      !checkChoice("emit", flags.emit,
                   {"import", "nn", "train", "plan", "spmd", "pipeline", "rt",
                    "llvm", "obj", "exe"}))
    return 2;
  if (!flags.report.empty() && !checkChoice("report", flags.report, {"json"}))
    return 2;
  if (!checkOnlyValues(flags) || !resolveWorldSize(flags, options))
    return 2;
  if (options.forward && options.worldSize() > 1) {
    llvm::errs() << "pcc: error: --forward compiles for one rank, not "
                 << options.worldSize() << "\n";
    return 2;
  }
  for (const std::string &dim : flags.dims) {
    auto [name, value] = llvm::StringRef(dim).split('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size) || size < 1) {
      llvm::errs() << "pcc: error: --dim takes NAME=N, not '" << dim << "'\n";
      return 2;
    }
    options.dims.push_back({name.str(), size});
  }
  if (flags.memoryLimit.getNumOccurrences()) {
    options.memoryLimit = parseBytes(flags.memoryLimit);
    if (options.memoryLimit < 0) {
      llvm::errs() << "pcc: error: --memory-limit takes a size such as 80GiB, "
                      "not '"
                   << flags.memoryLimit << "'\n";
      return 2;
    }
  }
  options.randomInit = flags.init == "random";
  arguments.output = flags.outputPath;
  arguments.emit = flags.emit;
  arguments.listParams = flags.listParams;
  if (flags.report.getNumOccurrences())
    arguments.report = flags.report == "json" ? Report::JSON : Report::Text;
  arguments.verifyEach = flags.verifyEach;
  return -1;
}
