//===- Check.h - Checks that a plan uses the tensor axes --------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_CHECK_H
#define PCC_PASSES_SHARDING_CHECK_H

#include "passes/Sharding/Projection.h"

namespace pcc {

/// Checks the plan after level 0. Every axis of a value must reach every op
/// that uses the value, and row-parallel contractions must use all tensor axes.
/// Otherwise emits an error with a way out, because replication must not be
/// silent. In the backward pass an axis that does not reach an op is a remark.
/// Attention that runs whole on several ranks is a warning with its reason;
/// other such contractions with a parameter are remarks with their cost.
mlir::LogicalResult checkTensorParallel(const Program &program);

/// After the last level: emits a remark where a layer of the forward pass,
/// except attention, must gather an operand because it cannot use an axis that
/// shards it.
void reportGathers(const Program &program);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_CHECK_H
