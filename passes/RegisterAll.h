//===- RegisterAll.h - All dialects and passes of the project ---*- C++ -*-===//

#ifndef PCC_PASSES_REGISTERALL_H
#define PCC_PASSES_REGISTERALL_H

#include "mlir/IR/DialectRegistry.h"

namespace pcc {

/// Registers the project's dialects and the MLIR dialects that they use.
void registerAllPccDialects(mlir::DialectRegistry &registry);

/// Registers the project's passes, MLIR's general ones (canonicalize, cse, ...)
/// and the checks of every phase.
void registerAllPccPasses();

} // namespace pcc

#endif // PCC_PASSES_REGISTERALL_H
