//===- Layouts.h - Shardings in and between tasks ---------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_LAYOUTS_H
#define PCC_PASSES_PIPELINE_LAYOUTS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Rechecks the shardings of a partitioned module: ops of each body follow
/// their sharding rules, tasks bind symbols in the sharding that their bodies
/// expect, and no partial value crosses stages, except gradients that stages
/// add at the end of a step. Emits an error otherwise.
mlir::LogicalResult checkLayouts(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_LAYOUTS_H
