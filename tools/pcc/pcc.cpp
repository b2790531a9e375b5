//===- pcc.cpp - The compiler driver --------------------------------------===//
//
// Reads a model or the printed form of any phase, takes it as far as asked,
// and writes the result. Exit codes: 0 done, 1 the model or a value does not
// fit, 2 the command line cannot be read, 70 an internal error.
//
//===----------------------------------------------------------------------===//

#include "dialects/RT/RT.h"
#include "frontend/import/Import.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "passes/Codegen/Emit/Emit.h"
#include "passes/Pipelines.h"
#include "passes/RegisterAll.h"
#include "tools/pcc/Arguments.h"
#include "tools/pcc/Check.h"
#include "tools/pcc/Diagnostics.h"
#include "tools/pcc/Fit.h"
#include "tools/pcc/Input.h"
#include "tools/pcc/Output.h"
#include "tools/pcc/Run.h"
#include "tools/pcc/Summary.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace mlir;
using namespace pcc;

enum ExitCode { kDone = 0, kBadInput = 1, kBadUsage = 2, kInternal = 70 };

/// Says that it is our fault, and leaves what we need to find it.
static int internalError(ModuleOp module, StringRef phase, StringRef pipeline) {
  std::string path = ("pcc-reproducer-" + phase + ".mlir").str();
  (void)writeText(path, [&](llvm::raw_ostream &os) {
    os << "// pcc-opt --pass-pipeline='builtin.module(" << pipeline << ")' "
       << path << "\n";
    module.print(os, OpPrintingFlags().enableDebugInfo());
  });
  llvm::errs() << "pcc: internal error in phase '" << phase
               << "'; please report it with " << path << "\n";
  return kInternal;
}

/// Runs the passes that lead to one phase, as the --mlir switches want it.
static int runPhase(ModuleOp module, int index, const Arguments &arguments,
                    const DiagnosticPrinter &diagnostics, TimingScope &timing) {
  StringRef name = getPhases()[index].name;
  TimingScope scope = timing.nest(name);
  bool isUsable = true;
  auto prepare = [&](PassManager &manager) -> LogicalResult {
    manager.enableVerifier(arguments.verifyEach);
    manager.enableTiming(scope);
    isUsable = succeeded(applyPassManagerCLOptions(manager));
    return success(isUsable);
  };
  OwningOpRef<ModuleOp> before = module.clone();
  if (succeeded(runPhase(module, index, arguments.options, prepare)))
    return kDone;
  if (!isUsable)
    return kBadUsage;
  // Whoever fails says why; that nobody did is our mistake, too.
  return diagnostics.sawInternalError() || !diagnostics.sawError()
             ? internalError(*before, name,
                             pipelineOf(index, arguments.options))
             : kBadInput;
}

/// The file a result is written to unless -o says so.
static std::string defaultOutput(const Arguments &arguments, bool isText) {
  if (isText)
    return "-";
  if (arguments.input == "-")
    return arguments.emit == "obj" ? "model.o" : "model";
  std::string stem = llvm::sys::path::stem(arguments.input).str();
  return arguments.emit == "obj" ? stem + ".o" : stem;
}

/// "x86-64-v3", "sapphirerapids, as this machine's".
static std::string targetText(StringRef cpu) {
  std::string others, name = resolveCpu(cpu, others);
  return cpu == kNativeCpu ? name + ", as this machine is" : name;
}

/// Where there is no memory left, there is no stack trace to be printed.
static void outOfMemory(void *, const char *, bool) {
  constexpr StringLiteral text =
      "pcc: error: out of memory while compiling\n"
      "pcc: note: a smaller --micro-batch-size or --seq takes less\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(kBadInput);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_bad_alloc_error_handler(outOfMemory);
  Arguments arguments;
  if (int code = parseArguments(argc, argv, arguments); code >= 0)
    return code;

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

  if (arguments.check)
    return runCheck(context, arguments);
  Input input;
  {
    TimingScope scope = timing.nest("read");
    if (failed(readInput(context, arguments, input)))
      return diagnostics.sawInternalError() ? kInternal : kBadInput;
  }
  ModuleOp module = *input.module;
  if (arguments.listParams) {
    std::string path = arguments.output.empty() ? "-" : arguments.output;
    if (path != "-" && failed(checkDestination(path, input.files)))
      return kBadInput;
    auto print = [&](llvm::raw_ostream &os) {
      printParams(module, input.report, os);
    };
    return failed(writeText(path, print)) ? kBadInput : kDone;
  }

  int last = findPhase(arguments.emit);
  bool isText = last >= 0;
  if (!isText)
    last = static_cast<int>(getPhases().size()) - 1;
  if (last < input.phase) {
    llvm::errs() << arguments.input << ": error: the module is already at '"
                 << getPhases()[input.phase].name << "', past --emit "
                 << arguments.emit << "\n";
    return kBadInput;
  }
  std::string path = arguments.output.empty() ? defaultOutput(arguments, isText)
                                              : arguments.output;
  if (path != "-" && failed(checkDestination(path, input.files)))
    return kBadInput;
  if (path == "-" && arguments.report != Report::None) {
    llvm::errs() << "pcc: error: --report and --emit " << arguments.emit
                 << " both write to standard output\n"
                    "pcc: note: name a file for the module with -o\n";
    return kBadUsage;
  }

  Summary summary(arguments.options);
  auto nameOf = [&](StringRef attr, std::string otherwise) {
    auto name = module->getAttrOfType<StringAttr>(attr);
    return name ? name.str() : otherwise;
  };
  std::string model =
      nameOf(kModelAttr, llvm::sys::path::stem(arguments.input).str());
  std::string source = nameOf(kSourceAttr, arguments.input);
  // What earlier phases would have told.
  if (input.phase < findPhase("rt"))
    summary.collect(module, "train");
  if (input.phase == findPhase("pipeline"))
    summary.collect(module, "pipeline");
  // A program printed at 'rt' or later carries the text itself.
  std::string told;
  for (auto program : module.getOps<rt::ProgramOp>())
    told = program.getSummary().value_or("").str();
  for (int phase = input.phase + 1; phase <= last; ++phase) {
    if (int code = runPhase(module, phase, arguments, diagnostics, timing))
      return code;
    summary.collect(module, getPhases()[phase].name);
    if (getPhases()[phase].name != "rt")
      continue;
    if (failed(checkMemory(module.getLoc(), summary, arguments)))
      return kBadInput;
    summary.annotate(module, model, source);
  }

  auto printModule = [&](llvm::raw_ostream &os) { module.print(os); };
  auto emit = [&](StringRef temporary) {
    TimingScope scope = timing.nest(arguments.emit);
    return arguments.emit == "obj"
               ? emitObject(module, arguments.options.targetCpu, temporary)
               : emitExecutable(module, arguments.options.targetCpu,
                                findLibraries(), temporary);
  };
  if (failed(isText ? writeText(path, printModule) : writeWhole(path, emit)))
    return kBadInput;

  auto printSummary = [&](llvm::raw_ostream &os) {
    if (arguments.report == Report::JSON)
      summary.printJson(os, model);
    else if (told.empty())
      summary.print(os, model);
    else
      os << told;
  };
  if (arguments.report != Report::None)
    return failed(writeText("-", printSummary)) ? kBadInput : kDone;
  if (arguments.options.verbosity > 0 && path != "-") {
    printSummary(llvm::errs());
    if (!isText)
      llvm::errs() << "target:   " << targetText(arguments.options.targetCpu)
                   << "\n";
    llvm::errs() << "wrote:    " << path << "\n";
  }
  return kDone;
}
