//===- Check.h - Whether a plan uses the tensor axes ------------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_CHECK_H
#define PCC_PASSES_SHARDING_CHECK_H

#include "passes/Sharding/Projection.h"

namespace pcc {

/// After level 0: every axis of a value reaches every op that has the value,
/// row-parallel contractions use all tensor axes. A silent replication is never
/// an answer, so what does not is an error with the way out; attention that
/// runs whole on several ranks is a warning that says why, other parameter
/// contractions are remarks with their cost.
mlir::LogicalResult checkTensorParallel(const Program &program);

/// After the last level: remarks where a layer of the forward pass has to
/// gather an operand because it cannot use an axis that splits it.
void reportGathers(const Program &program);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_CHECK_H
