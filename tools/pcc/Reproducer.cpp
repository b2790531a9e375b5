//===- Reproducer.cpp - Reproducers of internal errors --------------------===//

#include "tools/pcc/Reproducer.h"
#include "mlir/IR/AsmState.h"
#include "passes/Pipelines.h"
#include "passes/RegisterAll.h"
#include "tools/pcc/Output.h"
#include "tools/pcc/Run.h"

using namespace mlir;
using namespace pcc;

/// Returns the passes of a phase in pcc-opt's syntax.
static std::string pipelineOf(int index, const Options &options) {
  OpPassManager manager(ModuleOp::getOperationName());
  getPhases()[index].addPasses(manager, options);
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  return text;
}

/// Prints a module with its passes among the resources, as MLIR's reproducers
/// have them.
static void print(ModuleOp module, StringRef pipeline, bool verifyEach,
                  llvm::raw_ostream &os) {
  // Passes derive the names of nodes from locations.
  AsmState state(module, OpPrintingFlags().enableDebugInfo());
  state.attachResourcePrinter("mlir_reproducer",
                              [&](Operation *, AsmResourceBuilder &builder) {
                                builder.buildString("pipeline", pipeline);
                                builder.buildBool("disable_threading", false);
                                builder.buildBool("verify_each", verifyEach);
                              });
  module.print(os, state);
}

std::string pcc::writeReproducer(Arguments arguments, const Input &input,
                                 int index) {
  // A new context: the failed phase may have corrupted the old one.
  DialectRegistry registry;
  registerAllPccDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  // All diagnostics were printed before.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  Input again;
  again.onnx = input.onnx;
  again.standardInput = input.standardInput;
  if (failed(readInput(context, arguments, again)))
    return "";
  ModuleOp module = *again.module;
  for (int phase = again.phase + 1; phase < index; ++phase)
    if (failed(runPhase(module, phase, arguments.options)))
      return "";
  std::string path =
      ("pcc-reproducer-" + getPhases()[index].name + ".mlir").str();
  std::string pipeline = pipelineOf(index, arguments.options);
  LogicalResult written = writeText(path, [&](llvm::raw_ostream &os) {
    print(module, pipeline, arguments.verifyEach, os);
  });
  return succeeded(written) ? path : "";
}
