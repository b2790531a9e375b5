//===- pcc.cpp - The compiler driver --------------------------------------===//
//
// Reads a model or the printed form of any phase, takes it as far as asked,
// and writes the result. Exit codes: 0 done, 1 the model or a value does not
// fit, 2 the command line cannot be read, 70 an internal error.
//
//===----------------------------------------------------------------------===//

#include "dialects/RT/RT.h"
#include "frontend/Import.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/Codegen/Emit.h"
#include "passes/Pipelines.h"
#include "passes/RegisterAll.h"
#include "tools/pcc/Arguments.h"
#include "tools/pcc/Check.h"
#include "tools/pcc/Diagnostics.h"
#include "tools/pcc/Fit.h"
#include "tools/pcc/Input.h"
#include "tools/pcc/Output.h"
#include "tools/pcc/Plan.h"
#include "tools/pcc/Summary.h"
#include "tools/pcc/SupportedOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

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

/// Runs the passes that lead to one phase.
static int runPhase(ModuleOp module, int index, const Arguments &arguments,
                    const DiagnosticPrinter &diagnostics) {
  const Phase &phase = getPhases()[index];
  std::string pipeline = phase.pipeline(arguments.options);
  PassManager manager(module->getName());
  if (!pipeline.empty() && failed(parsePassPipeline(pipeline, manager)))
    return internalError(module, phase.name, pipeline);
  manager.enableVerifier(arguments.verifyEach);
  if (failed(applyPassManagerCLOptions(manager)))
    return kBadUsage;
  OwningOpRef<ModuleOp> before = module.clone();
  if (failed(manager.run(module)))
    return diagnostics.sawInternalError()
               ? internalError(*before, phase.name, pipeline)
               : kBadInput;
  recordPlan(module, index, arguments.options);
  return kDone;
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

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Arguments arguments;
  if (int code = parseArguments(argc, argv, arguments); code >= 0)
    return code;

  registerAllPccPasses();
  DialectRegistry registry;
  registerAllPccDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  DiagnosticPrinter diagnostics(context, arguments.input,
                                arguments.options.verbosity > 1);

  if (arguments.supportedOps) {
    printSupportedOps(context, llvm::outs());
    return kDone;
  }
  if (arguments.check)
    return runCheck(context, arguments);
  Input input;
  if (failed(readInput(context, arguments, input)))
    return diagnostics.sawInternalError() ? kInternal : kBadInput;
  ModuleOp module = *input.module;
  if (arguments.listParams) {
    auto print = [&](llvm::raw_ostream &os) { printParams(module, os); };
    return failed(writeText("-", print)) ? kBadInput : kDone;
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
    if (int code = runPhase(module, phase, arguments, diagnostics))
      return code;
    summary.collect(module, getPhases()[phase].name);
    if (getPhases()[phase].name != "rt")
      continue;
    if (failed(checkMemory(module.getLoc(), summary, arguments)))
      return kBadInput;
    summary.annotate(module, model, source);
  }

  std::string path = arguments.output.empty() ? defaultOutput(arguments, isText)
                                              : arguments.output;
  // Nothing that exists as something else is replaced by a program.
  if (path != "-" && (llvm::sys::fs::is_directory(path) ||
                      llvm::sys::fs::equivalent(path, arguments.input))) {
    llvm::errs() << "pcc: error: cannot write '" << path << "': it is "
                 << (llvm::sys::fs::is_directory(path) ? "a folder"
                                                       : "the input")
                 << "\npcc: note: name another file with -o\n";
    return kBadInput;
  }
  if (path == "-" && arguments.report != Report::None) {
    llvm::errs() << "pcc: error: --report and --emit " << arguments.emit
                 << " both write to standard output\n"
                    "pcc: note: name a file for the module with -o\n";
    return kBadUsage;
  }
  auto printModule = [&](llvm::raw_ostream &os) { module.print(os); };
  auto emit = [&](StringRef temporary) {
    return arguments.emit == "obj"
               ? emitObject(module, temporary)
               : emitExecutable(module, findLibraries(), temporary);
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
    llvm::errs() << "wrote:    " << path << "\n";
  }
  return kDone;
}
