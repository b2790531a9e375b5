//===- pcc-docs.cpp - Documentation from what the compiler does -----------===//

#include "passes/RegisterAll.h"
#include "tools/pcc-docs/SupportedOps.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  pcc::registerAllPccDialects(registry);
  pcc::registerAllPccPasses();
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  pcc::printSupportedOps(context, llvm::outs());
}
