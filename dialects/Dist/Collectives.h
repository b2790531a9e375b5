//===- Collectives.h - Which ranks an op joins ------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_DIST_COLLECTIVES_H
#define PCC_DIALECTS_DIST_COLLECTIVES_H

#include "dialects/Dist/Dist.h"

namespace pcc::dist {

/// The axes along which an op exchanges values; null for an op that needs one
/// rank only.
mlir::ArrayAttr collectiveAxes(mlir::Operation *op);

/// True for a collective that ranks of all pipeline stages take part in.
bool joinsStages(mlir::Operation *op);

/// True for two ops that can be one collective: kind, axes, reduction, types.
bool canMeet(mlir::Operation *a, mlir::Operation *b);

} // namespace pcc::dist

#endif // PCC_DIALECTS_DIST_COLLECTIVES_H
