//===- Staleness.h - Parameters are gathered before use ---------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_STALENESS_H
#define PCC_PASSES_PIPELINE_STALENESS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// At the begin of an entry point, gathered parameters and working copies are
/// stale. Fails for a task that uses one before a gather has written it or
/// after its shard has changed, and for a gather that computes a bucket from
/// anything but all ranks' shards of it.
mlir::LogicalResult checkStaleness(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_STALENESS_H
