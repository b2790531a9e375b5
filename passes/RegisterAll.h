//===- RegisterAll.h - Every dialect and pass of the project ----*- C++ -*-===//

#ifndef PCC_PASSES_REGISTERALL_H
#define PCC_PASSES_REGISTERALL_H

#include "mlir/IR/DialectRegistry.h"

namespace pcc {

/// Our dialects, and those of MLIR that our programs use.
void registerAllPccDialects(mlir::DialectRegistry &registry);

/// Our passes and MLIR's general ones (canonicalize, cse, ...), by name,
/// and the checks of every phase.
void registerAllPccPasses();

} // namespace pcc

#endif // PCC_PASSES_REGISTERALL_H
