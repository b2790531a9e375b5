//===- Plan.h - Choices that a module carries with it -----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_PLAN_H
#define PCC_TOOLS_PCC_PLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "tools/pcc/Arguments.h"

namespace pcc {

/// Microbatches of a step at most: each has inputs of its own in memory, and
/// with gpipe activations.
inline constexpr int64_t kMostMicrobatches = 65536;

/// Derives what is missing of micro batch, global batch and microbatches.
/// `staticBatch` is the batch the file fixes, 0 if it does not.
mlir::LogicalResult resolveBatch(Options &options, int64_t staticBatch,
                                 mlir::Location loc);

/// Writes the choices that are fixed once `phase` is reached into the module,
/// so that its printed form can be compiled further without repeating them.
void recordPlan(mlir::ModuleOp module, int phase, const Options &options);

/// Takes the choices a module carries. A flag that contradicts one is an
/// error.
mlir::LogicalResult adoptPlan(mlir::ModuleOp module, Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_PLAN_H
