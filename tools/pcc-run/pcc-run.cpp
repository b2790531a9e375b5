//===- pcc-run.cpp - Runs programs in the interpreter ---------------------===//

#include "dialects/Dist/Dist.h"
#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "mlir/Parser/Parser.h"
#include "tools/Tools.h"
#include "tools/pcc-run/Session.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace pcc;

int pcc::usage(const Twine &message) {
  llvm::errs() << "pcc-run: error: " << message << '\n';
  return kUsage;
}

int pccRunMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // LLVM's libraries have flags of their own, some of them named like ours.
  llvm::cl::ResetCommandLineParser();
  CommandLine options;
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "interprets pcc programs on virtual ranks\n");

  DialectRegistry registry;
  registry.insert<func::FuncDialect, nn::NNDialect, dist::DistDialect,
                  pipe::PipeDialect, rt::RTDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  llvm::SourceMgr sources, otherSources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  context.printOpOnDiagnostic(false);
  auto module = parseSourceFile<ModuleOp>(options.input, sources, &context);
  if (!module)
    return kFailed;
  std::string otherFile = options.checkGradients ? options.lossFrom.getValue()
                                                 : options.against.getValue();
  OwningOpRef<ModuleOp> other;
  if (!otherFile.empty()) {
    other = parseSourceFile<ModuleOp>(otherFile, otherSources, &context);
    if (!other)
      return kFailed;
  }
  return Session(options, *module, other ? *other : ModuleOp()).run();
}
