//===- pcc-docs.cpp - Generates documentation -----------------------------===//
//
// `pcc-docs operators` prints docs/SupportedOps.md, `pcc-docs phases` the table
// of docs/Pipeline.md; see scripts/generate-docs. `pcc-docs import-table`
// prints the import table as JSON, for test/Backend/schemas.py.
//
//===----------------------------------------------------------------------===//

#include "passes/RegisterAll.h"
#include "tools/pcc-docs/ImportTable.h"
#include "tools/pcc-docs/Phases.h"
#include "tools/pcc-docs/SupportedOps.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  pcc::registerAllPccDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  llvm::StringRef document = argc == 2 ? argv[1] : "";
  if (document == "operators") {
    pcc::printSupportedOps(context, llvm::outs());
  } else if (document == "phases") {
    pcc::printPhases(llvm::outs());
  } else if (document == "import-table") {
    pcc::printImportTable(llvm::outs());
  } else {
    llvm::errs() << "usage: pcc-docs operators|phases|import-table\n";
    return 2;
  }
}
