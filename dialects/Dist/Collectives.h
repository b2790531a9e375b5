//===- Collectives.h - Ranks that take part in a collective -----*- C++ -*-===//

#ifndef PCC_DIALECTS_DIST_COLLECTIVES_H
#define PCC_DIALECTS_DIST_COLLECTIVES_H

#include "dialects/Dist/Dist.h"

namespace pcc::dist {

/// The axes that a collective communicates over; null for a local op.
mlir::ArrayAttr collectiveAxes(mlir::Operation *op);

/// Whether an op is a collective over ranks of all pipeline stages.
bool spansStages(mlir::Operation *op);

/// Whether two ranks' ops can be the same collective: name, properties (axes,
/// reduction, dims) and operand types are equal.
bool isSameCollective(mlir::Operation *a, mlir::Operation *b);

} // namespace pcc::dist

#endif // PCC_DIALECTS_DIST_COLLECTIVES_H
