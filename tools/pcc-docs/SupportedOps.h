//===- SupportedOps.h - The import table as a document ----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DOCS_SUPPORTEDOPS_H
#define PCC_TOOLS_PCC_DOCS_SUPPORTEDOPS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// docs/SupportedOps.md: every operator of the import table with opsets, types,
/// nn ops, derivative and sharding, as compiling an example of it shows.
void printSupportedOps(mlir::MLIRContext &context, llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_TOOLS_PCC_DOCS_SUPPORTEDOPS_H
