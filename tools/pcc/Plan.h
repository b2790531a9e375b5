//===- Plan.h - Options recorded in a module --------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_PLAN_H
#define PCC_TOOLS_PCC_PLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "tools/pcc/Arguments.h"

namespace pcc {

/// The most microbatches of a step. With gpipe and several stages, inputs and
/// activations of all microbatches are live at once, so memory grows with their
/// number. Otherwise inputs usually rotate through a few slots.
inline constexpr int64_t kMostMicrobatches = 65536;

/// Derives the missing ones of micro batch, global batch and number of
/// microbatches. `staticBatch` is the batch that the file fixes, 0 if it does
/// not.
mlir::LogicalResult resolveBatch(Options &options, int64_t staticBatch,
                                 mlir::Location loc);

/// Checks that --ep divides --dp and that --etp is 1 or --tp, its default.
mlir::LogicalResult resolveExperts(Options &options, mlir::Location loc);

/// Whether a module records that its sequences are in head-tail order.
bool isHeadTail(mlir::ModuleOp module);

/// Records the options that are fixed once `phase` is reached in the module, so
/// that its printed form can be compiled further without repeating them.
void recordPlan(mlir::ModuleOp module, int phase, const Options &options);

/// Adopts the options that are recorded in a module. A flag that contradicts
/// one is an error.
mlir::LogicalResult adoptPlan(mlir::ModuleOp module, Arguments &arguments);

} // namespace pcc

#endif // PCC_TOOLS_PCC_PLAN_H
