//===- VerifyBuckets.h - Verifies buckets and their uses --------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_VERIFYBUCKETS_H
#define PCC_PASSES_SHARDING_VERIFYBUCKETS_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// Checks the buckets of one rank's program, and how its functions use them.
mlir::LogicalResult verifyBuckets(mlir::ModuleOp module);

/// Checks that every element of every parameter is rounded with the bits of its
/// index in the whole tensor, and no two parameters with the same bits.
mlir::LogicalResult verifyRounding(mlir::ModuleOp module);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_VERIFYBUCKETS_H
