//===- Arguments.cpp - The command line of pcc ----------------------------===//

#include "tools/pcc/Arguments.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "passes/Codegen/Emit/Emit.h"
#include "passes/Codegen/Gpu/DeviceCode.h"
#include "passes/RegisterAll.h"
#include "runtime/Version.h"
#include "tools/pcc/Directory/ModelDirectory.h"
#include "tools/pcc/Flags.h"
#include "tools/pcc/verify/VerifyFlags.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <set>

using namespace pcc;

/// Checks the value of a flag that takes one of a few names. Plain strings keep
/// the Options struct free of enums that only the command line needs.
static bool checkChoice(llvm::StringRef flag, llvm::StringRef value,
                        llvm::ArrayRef<llvm::StringRef> choices) {
  if (llvm::is_contained(choices, value))
    return true;
  llvm::errs() << "pcc: error: --" << flag << " takes "
               << llvm::join(choices, ", ") << ", not '" << value << "'\n";
  return false;
}

/// Reads the GPUs in addition to the default, in order, each once.
static bool readChips(const Flags &flags, std::vector<int> &chips) {
  if (!flags.gpuArch.getNumOccurrences())
    return true;
  std::set<int> all;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(flags.gpuArch).split(names, ',');
  for (llvm::StringRef name : names) {
    std::string known;
    int chip = codegen::chipNumber(name, known);
    if (!chip) {
      llvm::errs() << "pcc: error: --gpu-arch: there is no GPU '" << name
                   << "'\npcc: note: there are " << known << "\n";
      return false;
    }
    if (chip != kDefaultChip)
      all.insert(chip);
  }
  chips.assign(all.begin(), all.end());
  return true;
}

static bool checkTargetCpu(llvm::StringRef cpu) {
  std::string others;
  if (!resolveCpu(cpu, others).empty())
    return true;
  llvm::errs() << "pcc: error: --target-cpu: there is no processor '" << cpu
               << "'\npcc: note: names like it are " << others
               << "; native is this machine's\n";
  return false;
}

/// The units of a size, and their bytes.
static constexpr std::pair<llvm::StringLiteral, int64_t> kByteUnits[] = {
    {"TiB", int64_t(1) << 40},
    {"GiB", int64_t(1) << 30},
    {"MiB", int64_t(1) << 20},
    {"KiB", int64_t(1) << 10},
    {"B", 1}};

/// Parses bytes as in "80GiB", "512MiB" or "1073741824"; returns -1 if the text
/// is invalid.
static int64_t parseBytes(llvm::StringRef text) {
  int64_t unit = 1;
  for (auto [name, bytes] : kByteUnits)
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

static bool refuseBytes(const Text &flag, llvm::StringRef example) {
  llvm::errs() << "pcc: error: --" << flag.ArgStr << " takes a size such as "
               << example << ", not '" << flag.getValue() << "'\n"
               << "pcc: note: a whole number of ";
  llvm::interleaveComma(llvm::make_first_range(kByteUnits), llvm::errs());
  llvm::errs() << "; without unit, of bytes\n";
  return false;
}

/// Checks --precision, which a forward-only program does not have.
static bool checkPrecision(const Flags &flags) {
  if (flags.forward && flags.precision.getNumOccurrences()) {
    llvm::errs() << "pcc: error: --precision " << flags.precision
                 << ": a forward-only program computes with the types of its "
                    "file\n"
                    "pcc: note: leave --precision or --forward out\n";
    return false;
  }
  return checkChoice("precision", flags.precision, {"f32", "bf16", "fp16"});
}

/// Warns that a flag changes nothing in a forward-only program, which `has` no
/// such feature. `nothing` is the value that has no effect in any program.
static void warnIfForward(const Flags &flags, const Text &flag,
                          llvm::StringRef nothing, llvm::StringRef has) {
  if (flags.forward && flag != nothing)
    llvm::errs() << "pcc: warning: --" << flag.ArgStr << " " << flag.getValue()
                 << " changes nothing: a forward-only program has " << has
                 << "\n";
}

static bool checkZero(const Flags &flags) {
  if (!flags.zero.getNumOccurrences())
    return true;
  if (!checkChoice("zero", flags.zero, {"0", "1", "2", "3"}))
    return false;
  warnIfForward(flags, flags.zero, "0", "no gradients and no optimizer");
  return true;
}

static bool checkRecompute(const Flags &flags) {
  if (!checkChoice("recompute", flags.recompute, {"none", "selective", "full"}))
    return false;
  warnIfForward(flags, flags.recompute, "none", "no backward pass");
  return true;
}

static bool checkCpCommType(const Flags &flags) {
  if (flags.cpCommType == "p2p") {
    llvm::errs() << "pcc: error: --cp-comm-type p2p: keys and values are not "
                    "sent around "
                    "a ring\npcc: note: a2a has equal work on all ranks; "
                    "allgather takes "
                    "any number of heads\n";
    return false;
  }
  return checkChoice("cp-comm-type", flags.cpCommType,
                     {"a2a", "allgather", "auto"});
}

static bool checkCpBalance(const Flags &flags) {
  return checkChoice("cp-balance", flags.cpBalance,
                     {"headtail", "none", "auto"});
}

static bool checkHeadChunks(const Flags &flags) {
  llvm::StringRef value = flags.headChunks;
  int64_t count = 0;
  if (value != "auto" && value != "off" &&
      (value.getAsInteger(10, count) || count < 1)) {
    llvm::errs() << "pcc: error: --head-chunks takes a number of at least 1, "
                    "off or auto, not '"
                 << value << "'\n";
    return false;
  }
  warnIfForward(flags, flags.headChunks, "auto", "no loss");
  return true;
}

/// Reads the tokens of --documents; "auto" is resolved when the model is read.
static bool readDocuments(const Flags &flags, Arguments &arguments) {
  llvm::StringRef value = flags.documents;
  arguments.findsDocumentEnds = value == "auto";
  if (!flags.documents.getNumOccurrences())
    return true;
  if (value == "auto")
    return true;
  llvm::SmallVector<llvm::StringRef> parts;
  value.split(parts, ',');
  std::vector<int64_t> &ends = arguments.options.documentEnds;
  for (llvm::StringRef part : parts) {
    int64_t id = 0;
    if (part.getAsInteger(10, id) || id < 0) {
      llvm::errs() << "pcc: error: --documents takes token ids with commas, or "
                      "auto, not '"
                   << value << "'\n";
      return false;
    }
    if (!llvm::is_contained(ends, id))
      ends.push_back(id);
  }
  return true;
}

static bool readBucketSize(const Flags &flags, Options &options) {
  options.bucketSize = parseBytes(flags.bucketSize);
  if (options.bucketSize > 0)
    return true;
  return refuseBytes(flags.bucketSize, "25MiB");
}

/// Refuses values and flags that this version does not support.
static bool checkOnlyValues(const Flags &flags) {
  if (flags.vpp != "1") {
    llvm::errs() << "pcc: error: --vpp " << flags.vpp
                 << ": only one model chunk per rank is supported\n";
    return false;
  }
  const cl::Option *none[] = {&flags.layersPerChunk,
                              &flags.distributedOptimizer, &flags.scheduleFile};
  for (const cl::Option *flag : none)
    if (flag->getNumOccurrences()) {
      llvm::errs() << "pcc: error: --" << flag->ArgStr
                   << ": this version does not have it\n"
                      "pcc: note: pcc --help lists what it has\n";
      return false;
    }
  return true;
}

/// Reads the path of the model; prints an error unless there is exactly one.
static bool readPositional(const Flags &flags, std::string &input) {
  llvm::StringRef first;
  if (!flags.inputs.empty())
    first = flags.inputs.front();
  if (flags.inputs.size() == 1 && !first.empty()) {
    input = flags.inputs.front();
    return true;
  }
  if (first.empty()) {
    llvm::errs() << "pcc: error: no model given; see pcc --help\n";
    return false;
  }
  llvm::errs() << "pcc: error: one model at a time, not '"
               << llvm::join(flags.inputs, "' and '") << "'\n";
  if (llvm::is_contained(flags.inputs, kVerifyCommand))
    llvm::errs() << "pcc: note: 'verify' is a command if it comes first: "
                    "pcc verify MODEL\n";
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

static void readOptions(const Flags &flags, Options &options) {
  options.tp = flags.tp;
  options.pp = flags.pp;
  options.dp = flags.dp;
  options.cp = flags.cp;
  options.ep = flags.ep;
  options.etp = flags.etp;
  options.sequenceParallel = flags.sequenceParallel;
  options.zero = flags.zero;
  options.schedule = flags.schedule;
  options.overlap = flags.overlap;
  options.recompute = flags.recompute;
  options.headChunks = flags.headChunks;
  options.cpCommType = flags.cpCommType;
  options.cpBalance = flags.cpBalance;
  options.epilogues = flags.epilogues;
  options.stageCut = flags.stageCut;
  options.microBatch = flags.microBatch;
  options.globalBatch = flags.globalBatch;
  options.seq = flags.seq;
  options.loss = flags.loss;
  options.optimizer = flags.optimizer;
  options.optimizerState = flags.optimizerState;
  options.forward = flags.forward;
  if (flags.targetName != "auto")
    options.target = flags.targetName;
  options.attention = flags.attention;
  options.precision = flags.precision;
  // The default precision on GPUs.
  if (options.hasDevice() && !options.forward &&
      !flags.precision.getNumOccurrences())
    options.precision = "bf16";
  options.noDropout = flags.noDropout;
  options.allowGatheredExperts = flags.allowGatheredExperts;
  options.keepPositions = flags.keepPositions;
  options.moeCapacity = flags.moeCapacity;
  options.moeAuxLoss = flags.moeAuxLoss;
  options.moeBiasRate = flags.moeBiasRate;
  options.runningNorms = flags.batchNorm == "running";
  if (flags.paddingMask || flags.noPaddingMask)
    options.paddingMask = flags.paddingMask;
  options.offload = flags.offload;
  options.targetCpu = flags.targetCpu;
  options.vectorLanes = vectorLanesOf(flags.targetCpu);
  options.freeze = flags.freeze;
  options.train = flags.train;
  options.normPlusOne = flags.normPlusOne;
  options.verbosity = flags.quiet ? 0 : flags.verbose ? 2 : 1;
  options.randomInit = flags.init == "random";
  options.globalBatchGiven = flags.globalBatch.getNumOccurrences();
}

/// The flags whose values are positive numbers.
static std::vector<const Count *> countsOf(const Flags &flags) {
  return {&flags.tp,         &flags.pp,         &flags.dp,        &flags.cp,
          &flags.ep,         &flags.etp,        &flags.worldSize, &flags.seq,
          &flags.microBatch, &flags.globalBatch};
}

/// The names of the given flags that change the program.
static std::vector<std::string> givenFlags(const Flags &flags) {
  std::vector<std::string> given;
  auto note = [&](const cl::Option &flag) {
    if (flag.getNumOccurrences())
      given.push_back(flag.ArgStr.str());
  };
  note(flags.sequenceParallel);
  note(flags.zero);
  note(flags.bucketSize);
  note(flags.schedule);
  note(flags.overlap);
  note(flags.recompute);
  note(flags.headChunks);
  note(flags.cpCommType);
  note(flags.cpBalance);
  note(flags.epilogues);
  note(flags.stageCut);
  note(flags.loss);
  note(flags.optimizer);
  note(flags.optimizerState);
  note(flags.precision);
  note(flags.init);
  note(flags.noDropout);
  note(flags.allowGatheredExperts);
  note(flags.documents);
  note(flags.keepPositions);
  note(flags.moeCapacity);
  note(flags.moeAuxLoss);
  note(flags.moeBiasRate);
  note(flags.batchNorm);
  note(flags.paddingMask);
  note(flags.noPaddingMask);
  note(flags.freeze);
  note(flags.train);
  note(flags.normPlusOne);
  note(flags.ties);
  note(flags.unties);
  note(flags.sharedInputs);
  note(flags.perSample);
  note(flags.dims);
  note(flags.memoryLimit);
  note(flags.offload);
  note(flags.attention);
  note(flags.gpuArch);
  if (flags.targetName != "auto")
    note(flags.targetName);
  if (flags.worldSize.getNumOccurrences())
    given.push_back("dp");
  for (const auto *flag : countsOf(flags))
    note(*flag);
  return given;
}

/// Reads the flags for the export of a directory.
static void readDirectoryChoices(const Flags &flags,
                                 DirectoryChoices &choices) {
  choices.python = flags.python;
  choices.task = flags.task;
  choices.trustsCode = flags.trustRemoteCode;
  const cl::Option *all[] = {&flags.task, &flags.python,
                             &flags.trustRemoteCode};
  for (const cl::Option *flag : all)
    if (flag->getNumOccurrences())
      choices.given.push_back(flag->ArgStr.str());
}

/// Checks a factor, which is positive if given.
static bool checkFactor(const cl::opt<double> &flag) {
  if (!flag.getNumOccurrences() || (flag > 0 && std::isfinite(flag)))
    return true;
  llvm::errs() << "pcc: error: --" << flag.ArgStr << " "
               << llvm::format("%g", double(flag))
               << " is not a positive number\n";
  return false;
}

static bool checkCapacity(const Flags &flags) {
  if (!flags.moeCapacity.getNumOccurrences() ||
      (flags.moeCapacity >= 1 && std::isfinite(flags.moeCapacity)))
    return true;
  llvm::errs() << "pcc: error: --moe-capacity "
               << llvm::format("%g", double(flags.moeCapacity))
               << " is less than 1, the mean over ranks\n";
  return false;
}

static bool checkOffload(const Flags &flags) {
  auto [what, folder] = llvm::StringRef(flags.offload).split('=');
  bool isOpen = flags.offload.empty() || llvm::StringRef(flags.offload) == what;
  if (flags.offload.empty() ||
      (what == "optimizer" && (isOpen || !folder.empty())))
    return true;
  llvm::errs() << "pcc: error: --offload takes optimizer or optimizer=DIR, not "
                  "'"
               << flags.offload << "'\n";
  return false;
}

static bool checkOptimizerState(const Flags &flags) {
  if (!checkChoice("optimizer-state", flags.optimizerState, {"f32", "bf16"}))
    return false;
  if (flags.optimizerState == "f32" || flags.optimizer != "sgd")
    return true;
  llvm::errs() << "pcc: error: --optimizer-state " << flags.optimizerState
               << ": --optimizer sgd has no state\n"
                  "pcc: note: leave --optimizer-state out\n";
  return false;
}

static bool checkChoices(const Flags &flags) {
  return checkChoice("schedule", flags.schedule, {"gpipe", "1f1b"}) &&
         checkChoice("overlap", flags.overlap, {"on", "off"}) &&
         checkChoice("epilogues", flags.epilogues, {"on", "off"}) &&
         (!flags.loss.getNumOccurrences() ||
          checkChoice("loss", flags.loss,
                      {"causal-lm", "cross-entropy", "mse"})) &&
         checkChoice("optimizer", flags.optimizer, {"adamw", "sgd"}) &&
         checkOptimizerState(flags) && checkPrecision(flags) &&
         checkZero(flags) && checkRecompute(flags) && checkHeadChunks(flags) &&
         checkCpCommType(flags) && checkCpBalance(flags) &&
         checkChoice("init", flags.init, {"from-onnx", "random"}) &&
         checkChoice("batch-norm", flags.batchNorm, {"batch", "running"}) &&
         checkChoice("target", flags.targetName,
                     {"auto", "cpu", "cuda", "cuda-emulated"}) &&
         checkChoice("attention-backend", flags.attention,
                     {"auto", "cudnn", "tiles"}) &&
         checkTargetCpu(flags.targetCpu) && checkFactor(flags.moeAuxLoss) &&
         checkFactor(flags.moeBiasRate) && checkCapacity(flags) &&
         (!flags.task.getNumOccurrences() ||
          checkChoice("task", flags.task, exportTasks())) &&
         checkChoice("emit", flags.emit,
                     {"import", "nn", "train", "plan", "spmd", "pipeline", "rt",
                      "llvm", "obj", "exe"}) &&
         checkOffload(flags) &&
         (flags.report.empty() ||
          checkChoice("report", flags.report, {"json"}));
}

static bool checkVerbosity(const Flags &flags) {
  if (!flags.quiet || !flags.verbose)
    return true;
  llvm::errs() << "pcc: error: -q prints less and -v more: give one of them\n";
  return false;
}

static bool readDims(const Flags &flags, Options &options) {
  for (const std::string &dim : flags.dims) {
    auto [name, value] = llvm::StringRef(dim).split('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size) || size < 1 ||
        size > kLargestCount) {
      llvm::errs() << "pcc: error: --dim takes NAME=N, not '" << dim << "'\n";
      return false;
    }
    for (const auto &known : options.dims)
      if (known.first == name) {
        llvm::errs() << "pcc: error: --dim " << name << " is given twice: '"
                     << known.second << "' and '" << size << "'\n";
        return false;
      }
    options.dims.push_back({name.str(), size});
  }
  return true;
}

static bool readTies(const Flags &flags, TieChoices &ties) {
  for (const std::string &tie : flags.ties) {
    auto [first, second] = llvm::StringRef(tie).split('=');
    if (first.empty() || second.empty()) {
      llvm::errs() << "pcc: error: --tie takes A=B, not '" << tie << "'\n";
      return false;
    }
    ties.ties.push_back({first.str(), second.str()});
  }
  ties.unties.assign(flags.unties.begin(), flags.unties.end());
  return true;
}

static bool readMemoryLimit(const Flags &flags, Options &options) {
  if (!flags.memoryLimit.getNumOccurrences())
    return true;
  options.memoryLimit = parseBytes(flags.memoryLimit);
  if (options.memoryLimit >= 0)
    return true;
  return refuseBytes(flags.memoryLimit, "80GiB");
}

int pcc::parseArguments(int argc, char **argv, Arguments &arguments) {
  // --mlir-print-ir-after and similar flags take the names of registered
  // passes.
  registerAllPccPasses();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  mlir::registerAsmPrinterCLOptions();
  // The registry keeps their addresses, and the linker resets all options.
  static Flags flags;
  bool verifies = argc > 1 && argv[1] == kVerifyCommand;
  // Exist only with the command.
  static std::optional<VerifyFlags> verifyFlags;
  static const std::string name = (llvm::Twine(argv[0]) + " verify").str();
  llvm::SmallVector<const char *> rest(argv, argv + argc);
  if (verifies) {
    verifyFlags.emplace();
    rest.erase(rest.begin() + 1);
    rest[0] = name.c_str();
  }
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "pcc " PCC_VERSION ", built with LLVM " << LLVM_VERSION_STRING
       << "\n";
  });
  llvm::SmallVector<const cl::OptionCategory *> shown = {
      &flags.parallelism, &flags.training, &flags.directory,
      &flags.target,      &flags.output,   &flags.debugging};
  if (verifies) {
    verifyFlags->hideOthers(flags);
    shown.push_back(&verifyFlags->verification);
  }
  cl::HideUnrelatedOptions(shown);
  if (!cl::ParseCommandLineOptions(
          int(rest.size()), rest.data(),
          verifies ? VerifyFlags::kOverview
                   : "pcc: compiles a transformer in ONNX into a program that "
                     "trains it on many ranks\n"
                     "pcc verify MODEL ...: checks that the program trains as "
                     "one rank does\n",
          &llvm::errs()))
    return 2;
  if (verifies && !verifyFlags->read(flags, arguments.verification))
    return 2;
  arguments.check = flags.check;
  if (!readPositional(flags, arguments.input))
    return 2;

  Options &options = arguments.options;
  readOptions(flags, options);
  arguments.given = givenFlags(flags);
  if (!checkChoices(flags) || !checkOnlyValues(flags) ||
      !checkVerbosity(flags) || !resolveWorldSize(flags, options))
    return 2;
  if (options.forward && options.worldSize() > 1) {
    llvm::errs() << "pcc: error: --forward compiles for one rank, not "
                 << options.worldSize() << "\n";
    return 2;
  }
  if (!readDims(flags, options) || !readMemoryLimit(flags, options) ||
      !readDocuments(flags, arguments) || !readBucketSize(flags, options) ||
      !readChips(flags, options.chips) || !readTies(flags, arguments.ties))
    return 2;
  InputChoices &inputs = arguments.inputs;
  inputs.shared.assign(flags.sharedInputs.begin(), flags.sharedInputs.end());
  inputs.perSample.assign(flags.perSample.begin(), flags.perSample.end());
  readDirectoryChoices(flags, arguments.directory);
  arguments.output = flags.outputPath;
  arguments.emit = flags.emit;
  arguments.listParams = flags.listParams;
  if (flags.report.getNumOccurrences())
    arguments.report = flags.report == "json" ? Report::JSON : Report::Text;
  arguments.memory = flags.memory;
  arguments.verifyEach = flags.verifyEach;
  arguments.printsModules = cl::getRegisteredOptions()
                                .find("mlir-print-ir-module-scope")
                                ->second->getNumOccurrences();
  return -1;
}

/// Checks that a program for a CPU offloads to a folder, and one for a GPU does
/// not.
static bool checkOffloadTarget(const Options &options) {
  if (options.offload.empty())
    return true;
  bool hasFolder = !options.offloadFolder().empty();
  if (hasFolder == !options.hasDevice())
    return true;
  llvm::errs() << "pcc: error: --offload " << options.offload
               << ": a program for " << options.target << " offloads to "
               << (hasFolder ? "the host's memory" : "files in a folder")
               << "\npcc: note: use --offload optimizer"
               << (hasFolder ? "" : "=DIR, with a folder on a disk") << "\n";
  return false;
}

bool pcc::checkTarget(const Arguments &arguments) {
  const Options &options = arguments.options;
  auto isGiven = [&](llvm::StringRef flag) {
    return llvm::is_contained(arguments.given, flag);
  };
  if (isGiven("gpu-arch") && !options.hasDevice()) {
    llvm::errs() << "pcc: error: --gpu-arch: a program for " << options.target
                 << " has no code for GPUs\n"
                 << "pcc: note: use --target cuda\n";
    return false;
  }
  if (isGiven("attention-backend") && !options.hasDevice()) {
    llvm::errs() << "pcc: error: --attention-backend: a program for a CPU has "
                    "a single backend\n"
                 << "pcc: note: use --target cuda\n";
    return false;
  }
  if (isGiven("epilogues") && !options.hasDevice()) {
    llvm::errs() << "pcc: error: --epilogues: a program for " << options.target
                 << " has no GEMM epilogues\n"
                 << "pcc: note: use --target cuda or cuda-emulated\n";
    return false;
  }
  return checkOffloadTarget(options);
}
