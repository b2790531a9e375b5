//===- Location.h - Source node and stage of an op --------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_LOCATION_H
#define PCC_DIALECTS_NN_LOCATION_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace pcc::nn {

/// The source model's node that a location names: the first name in it, or an
/// empty string.
llvm::StringRef sourceNode(mlir::Location loc);

/// Copies the attributes that determine where an op runs (`kStageAttrs`) from
/// `from` to `op`.
void inheritStage(mlir::Operation *op, mlir::Operation *from);

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_LOCATION_H
