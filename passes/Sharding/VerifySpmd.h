//===- VerifySpmd.h - Verifies one rank's program ---------------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_VERIFYSPMD_H
#define PCC_PASSES_SHARDING_VERIFYSPMD_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Verifies that a partitioned program computes values of the declared
/// shardings. Each op follows its sharding rule, each collective converts its
/// operand's sharding to its result's over exactly its axes, only linear ops
/// take partial operands, and no function returns a partial value. Reports the
/// first op that does not.
mlir::LogicalResult verifySpmd(mlir::ModuleOp module);

/// Verifies that each gradient, and each other sum over microbatches, that
/// @update or @evaluate_result reads is accumulated into, by itself or in a
/// bucket, and that the same function clears it. Likewise for the buckets that
/// @reduce reads. A module without @microbatch is not checked.
mlir::LogicalResult verifyAdded(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_VERIFYSPMD_H
