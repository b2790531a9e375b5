//===- SupportedOps.h - The import table as a document ----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DOCS_SUPPORTEDOPS_H
#define PCC_TOOLS_PCC_DOCS_SUPPORTEDOPS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// Prints docs/SupportedOps.md: for every operator of the import table its
/// opsets, types, nn ops, derivative and sharding, as found by compiling its
/// examples.
void printSupportedOps(mlir::MLIRContext &context, llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DOCS_SUPPORTEDOPS_H
