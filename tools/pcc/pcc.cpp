//===- pcc.cpp - The compiler driver --------------------------------------===//
//
// Reads a model or the printed module of any phase, which is checked like the
// output of that phase; compiles it as far as requested; writes the result.
// Exit codes: 0 success, 1 an error in the model, in a value or of a file, 2 an
// error in the command line, 70 an internal error.
//
//===----------------------------------------------------------------------===//

#include "dialects/RT/RT.h"
#include "frontend/import/Import.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "passes/Codegen/Emit/Emit.h"
#include "passes/Codegen/Gpu/DeviceCode.h"
#include "passes/Codegen/Gpu/Toolkit.h"
#include "passes/Pipelines.h"
#include "passes/RegisterAll.h"
#include "tools/Tools.h"
#include "tools/pcc/Arguments.h"
#include "tools/pcc/Check.h"
#include "tools/pcc/Child.h"
#include "tools/pcc/Diagnostics.h"
#include "tools/pcc/Directory/ExportDirectory.h"
#include "tools/pcc/Fit.h"
#include "tools/pcc/Input.h"
#include "tools/pcc/Needs.h"
#include "tools/pcc/Output.h"
#include "tools/pcc/Reproducer.h"
#include "tools/pcc/Run.h"
#include "tools/pcc/Savings.h"
#include "tools/pcc/Summary.h"
#include "tools/pcc/UnusedFlags.h"
#include "tools/pcc/verify/Verify.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <unistd.h>

using namespace mlir;
using namespace pcc;

enum ExitCode { kDone = 0, kBadInput = 1, kBadUsage = 2, kInternal = 70 };

/// The output file without -o.
static std::string defaultOutput(const Arguments &arguments, bool isText) {
  if (isText)
    return "-";
  if (arguments.input == "-")
    return arguments.emit == "obj" ? "model.o" : "model";
  std::string stem = llvm::sys::path::stem(arguments.input).str();
  return arguments.emit == "obj" ? stem + ".o" : stem;
}

/// Describes the target: "x86-64-v3" or "sapphirerapids, as this machine is",
/// and the GPUs.
static std::string targetText(const Machine &machine) {
  std::string others, text = resolveCpu(machine.cpu, others);
  if (machine.cpu == kNativeCpu)
    text += ", as this machine is";
  if (machine.target == "cpu")
    return text;
  text += "; " + codegen::chipName(kDefaultChip);
  for (int chip : machine.chips)
    text += ", " + codegen::chipName(chip);
  if (machine.target == "cuda")
    text += ", and PTX for later GPUs";
  return text + "; at most " + formatBytes(double(leastShared(machine.chips))) +
         " of shared memory per block";
}

/// Reports that memory is exhausted; there is none left to print a stack trace.
static void outOfMemory(void *, const char *, bool) {
  constexpr StringLiteral text =
      "pcc: error: out of memory while compiling\n"
      "pcc: note: a smaller --micro-batch-size or --seq needs less\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(kBadInput);
}

namespace {
/// One compilation, from the input to the output. Steps return kDone to
/// continue, or the exit code to leave with.
class Compilation {
public:
  Compilation(MLIRContext &context, const Arguments &arguments,
              const DiagnosticPrinter &diagnostics, TimingScope &timing)
      : asked(arguments), arguments(arguments), diagnostics(diagnostics),
        timing(timing), context(context) {}
  int run();

private:
  int read();
  int listParameters();
  int chooseEnd();
  int chooseDestination();
  int runPhases();
  LogicalResult setUp(PassManager &manager, TimingScope &scope);
  int runPhase(int index);
  int internalError(int index);
  int write();
  int printSummary();
  void printNeeds();
  Machine machine() const {
    return {arguments.options.target, arguments.options.targetCpu,
            arguments.options.chips};
  }
  bool isText() const { return findPhase(arguments.emit) >= 0; }

  const Arguments asked; ///< as on the command line
  Arguments arguments;   ///< completed by the input
  const DiagnosticPrinter &diagnostics;
  TimingScope &timing;
  MLIRContext &context;
  Input input;
  ModuleOp module;
  Summary summary{arguments.options};
  std::string model; ///< its name, for the summary
  /// The summary that a program printed at 'rt' or later contains.
  std::string recordedSummary;
  std::string path; ///< of the output
  int last = 0;     ///< the phase at which to stop
  /// Whether the --mlir flags are valid.
  bool isUsable = true;
};
} // namespace

int Compilation::run() {
  if (int code = read())
    return code;
  if (arguments.listParams)
    return listParameters();
  if (int code = chooseEnd())
    return code;
  if (int code = chooseDestination())
    return code;
  if (int code = runPhases())
    return code;
  if (int code = write())
    return code;
  return printSummary();
}

int Compilation::read() {
  TimingScope scope = timing.nest("read");
  LogicalResult read = readInput(context, arguments, input);
  if (!input.onnx) {
    // Errors in a text are errors of the user.
    auto prepare = [&](PassManager &manager) { return setUp(manager, scope); };
    if (failed(read) || failed(checkPhase(*input.module, input.phase, prepare)))
      return isUsable ? kBadInput : kBadUsage;
  } else if (failed(read)) {
    return diagnostics.sawInternalError() ? kInternal : kBadInput;
  }
  module = *input.module;
  if (!checkTarget(arguments))
    return kBadUsage;
  warnOfUnusedFlags(arguments);
  return kDone;
}

int Compilation::listParameters() {
  path = arguments.output.empty() ? "-" : arguments.output;
  if (path != "-" && failed(checkDestination(path, input.files)))
    return kBadInput;
  auto print = [&](llvm::raw_ostream &os) {
    printParams(module, input.report, os);
  };
  return failed(writeText(path, print)) ? kBadInput : kDone;
}

int Compilation::chooseEnd() {
  last = isText() ? findPhase(arguments.emit)
                  : static_cast<int>(getPhases().size()) - 1;
  if (last >= input.phase)
    return kDone;
  llvm::errs() << arguments.input << ": error: the module is already at '"
               << getPhases()[input.phase].name << "', past --emit "
               << arguments.emit << "\n";
  return kBadInput;
}

int Compilation::chooseDestination() {
  path = arguments.output.empty() ? defaultOutput(arguments, isText())
                                  : arguments.output;
  if (path != "-" && failed(checkDestination(path, input.files)))
    return kBadInput;
  if (path != "-" || arguments.report == Report::None)
    return kDone;
  llvm::errs() << "pcc: error: --report and --emit " << arguments.emit
               << " both write to standard output\n"
                  "pcc: note: name a file for the module with -o\n";
  return kBadUsage;
}

int Compilation::runPhases() {
  auto nameOf = [&](StringRef attr, std::string otherwise) {
    auto name = module->getAttrOfType<StringAttr>(attr);
    return name ? name.str() : otherwise;
  };
  model = nameOf(kModelAttr, modelName(arguments));
  std::string source = nameOf(kSourceAttr, arguments.input);
  // Facts that earlier phases would have collected.
  if (input.phase < findPhase("rt"))
    summary.collect(module, "train");
  if (input.phase == findPhase("pipeline"))
    summary.collect(module, "pipeline");
  for (auto program : module.getOps<rt::ProgramOp>())
    recordedSummary = program.getSummary().value_or("").str();
  if (input.phase == findPhase("rt") && arguments.onProgram) {
    summary.collect(module, "rt");
    arguments.onProgram(module, summary);
  }
  for (int phase = input.phase + 1; phase <= last; ++phase) {
    if (int code = runPhase(phase))
      return code;
    summary.collect(module, getPhases()[phase].name);
    if (getPhases()[phase].name != "rt")
      continue;
    if (failed(checkMemory(module.getLoc(), summary, arguments, input.onnx)))
      return kBadInput;
    if (arguments.memory) {
      summary.showMemory();
      addSavings(summary, arguments, input.onnx);
    }
    summary.annotate(module, model, source);
    if (arguments.onProgram)
      arguments.onProgram(module, summary);
  }
  return kDone;
}

/// Configures a pass manager by the --mlir flags.
LogicalResult Compilation::setUp(PassManager &manager, TimingScope &scope) {
  manager.enableVerifier(arguments.verifyEach);
  manager.enableTiming(scope);
  isUsable = succeeded(applyPassManagerCLOptions(manager));
  return success(isUsable);
}

/// Runs the passes that lead to one phase.
int Compilation::runPhase(int index) {
  TimingScope scope = timing.nest(getPhases()[index].name);
  auto prepare = [&](PassManager &manager) { return setUp(manager, scope); };
  if (succeeded(pcc::runPhase(module, index, arguments.options, prepare)))
    return kDone;
  if (!isUsable)
    return kBadUsage;
  // A failure without a diagnostic is an internal error, too.
  return diagnostics.sawInternalError() || !diagnostics.sawError()
             ? internalError(index)
             : kBadInput;
}

/// Reports an internal error, and writes a reproducer for it.
int Compilation::internalError(int index) {
  std::string reproducer = writeReproducer(asked, input, index);
  llvm::errs() << "pcc: internal error in phase '" << getPhases()[index].name
               << "'; please report it with ";
  if (reproducer.empty())
    llvm::errs() << "this command and its input\n";
  else
    llvm::errs() << reproducer << "\npcc: note: pcc-opt --run-reproducer "
                 << reproducer << " -o /dev/null reproduces it\n";
  return kInternal;
}

int Compilation::write() {
  auto print = [&](llvm::raw_ostream &os) { module.print(os); };
  auto emit = [&](StringRef temporary) {
    TimingScope scope = timing.nest(arguments.emit);
    if (arguments.emit == "obj")
      return emitObject(module, machine(), temporary);
    return emitExecutable(module, machine(), Origin::of(path), libraryFolder(),
                          temporary);
  };
  LogicalResult written =
      isText() ? writeText(path, print) : writeWhole(path, emit);
  return failed(written) ? kBadInput : kDone;
}

/// Prints what the program needs on other hosts.
void Compilation::printNeeds() {
  std::string needs =
      describeNeeds(path, libraryFolder(), arguments.options.target);
  if (!needs.empty())
    llvm::errs() << "needs:    " << needs << "\n";
  ArrayRef<std::string> files = input.files;
  if (!input.onnx)
    files = files.drop_front();
  if (!files.empty() && !arguments.options.randomInit)
    llvm::errs() << "needs:    for the initial weights "
                 << llvm::join(files, ", ") << "\n";
}

int Compilation::printSummary() {
  auto print = [&](llvm::raw_ostream &os) {
    if (arguments.report == Report::JSON)
      summary.printJson(os, model);
    else if (recordedSummary.empty())
      summary.print(os, model);
    else
      os << recordedSummary;
  };
  if (arguments.report != Report::None)
    return failed(writeText("-", print)) ? kBadInput : kDone;
  if (arguments.options.verbosity == 0 || path == "-")
    return kDone;
  print(llvm::errs());
  if (!isText())
    llvm::errs() << "target:   " << targetText(machine()) << "\n";
  if (arguments.emit == "exe")
    printNeeds();
  llvm::errs() << "wrote:    " << path << "\n";
  return kDone;
}

/// Compiles or checks a model; returns the exit code.
static int compile(const Arguments &arguments) {
  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  TimingScope timing = timingManager.getRootScope();
  DialectRegistry registry;
  registerAllPccDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  if (arguments.printsModules)
    context.disableMultithreading();
  DiagnosticPrinter diagnostics(context, arguments.input,
                                arguments.options.verbosity > 1);
  if (arguments.check) {
    if (!checkTarget(arguments))
      return kBadUsage;
    warnOfUnusedFlags(arguments);
    return runCheck(context, arguments);
  }
  return Compilation(context, arguments, diagnostics, timing).run();
}

int pccMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_bad_alloc_error_handler(outOfMemory);
  Arguments arguments;
  if (int code = parseArguments(argc, argv, arguments); code >= 0)
    return code;
  int code = arguments.verification ? runVerify(arguments, compile)
                                    : exportDirectory(arguments);
  // Its files are removed; this process ends as it was asked to.
  if (int signal = CaughtSignals::caught())
    ::raise(signal);
  return (code || arguments.verification) ? code : compile(arguments);
}
