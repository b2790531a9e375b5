//===- Freshness.h - Are parameters gathered before use? --------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_FRESHNESS_H
#define PCC_PASSES_PIPELINE_FRESHNESS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// As an entry point begins, copies of parameters of which ranks keep parts are
/// out of date. An error for a task that uses one before a gather has made it,
/// or after what is kept of it has changed, and for a gather that makes a row
/// of anything but what all ranks keep of it.
mlir::LogicalResult checkFreshness(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_FRESHNESS_H
