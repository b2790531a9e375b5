//===- VerifySpmd.h - Proves one rank's program -----------------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_VERIFYSPMD_H
#define PCC_PASSES_SHARDING_VERIFYSPMD_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Whether a partitioned program computes what the layouts of its values say:
/// each op obeys its sharding rule, each collective takes its operand from its
/// layout to the result's over exactly its axes, parts of a sum enter linear
/// ops alone, and nothing leaves a function in parts. The first op that does
/// not is named in an error.
mlir::LogicalResult verifySpmd(mlir::ModuleOp module);

/// Whether something is added to each gradient, and to each other sum over
/// microbatches, that @update or @evaluate_result reads, by itself or in a
/// bucket, and whether the same function clears it. Otherwise an error names
/// one. A module without @microbatch is not looked at.
mlir::LogicalResult verifyAdded(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_VERIFYSPMD_H
