//===- Layouts.h - Do tasks' values lie as they say? ------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_LAYOUTS_H
#define PCC_PASSES_PIPELINE_LAYOUTS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Rechecks the layouts of a partitioned module: those of each body's ops, that
/// tasks bind what lies as their bodies take it, and that nothing crosses
/// stages in parts that must not. Emits an error otherwise.
mlir::LogicalResult checkLayouts(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_LAYOUTS_H
