//===- Input.cpp - What pcc reads -----------------------------------------===//

#include "tools/pcc/Input.h"
#include "dialects/NN/NN.h"
#include "mlir/Parser/Parser.h"
#include "passes/Pipelines.h"
#include "tools/pcc/Plan.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace pcc;

/// Reads the printed form of a phase.
static LogicalResult readModule(MLIRContext &context, Arguments &arguments,
                                Input &input) {
  input.module = parseSourceFile<ModuleOp>(arguments.input, &context);
  if (!input.module)
    return failure();
  ModuleOp module = *input.module;
  auto phase = module->getAttrOfType<StringAttr>(kPhaseAttr);
  if (!phase) {
    InFlightDiagnostic diag = emitError(module.getLoc())
                              << "the module does not say which phase it is "
                                 "the output of";
    diag.attachNote() << "add the attribute " << kPhaseAttr
                      << " = \"nn\" if it is a model written by hand";
    return diag;
  }
  input.phase = findPhase(phase.getValue());
  if (input.phase < 0)
    return emitError(module.getLoc())
           << "there is no phase '" << phase.getValue() << "'";
  if (failed(adoptPlan(module, arguments)))
    return failure();
  return resolveBatch(arguments.options, 0, module.getLoc());
}

LogicalResult pcc::readInput(MLIRContext &context, Arguments &arguments,
                             Input &input) {
  StringRef path = arguments.input;
  if (path == "-" || path.ends_with(".mlir"))
    return readModule(context, arguments, input);
  return emitError(UnknownLoc::get(&context)) << "no ONNX reader";
}

LogicalResult pcc::listParameters(ModuleOp module, llvm::raw_ostream &os) {
  for (auto param : module.getOps<nn::ParamOp>()) {
    os << param.getSymName() << " : " << param.getType()
       << (param.getFrozen() ? " frozen" : " trained");
    if (auto source = param.getSourceAttr())
      os << ", '" << source.getName() << "' : " << source.getType() << " in "
         << source.getFile();
    os << "\n";
  }
  return success();
}
