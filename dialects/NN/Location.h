//===- Location.h - Where an op comes from and runs --------------*- C++
//-*-===//

#ifndef PCC_DIALECTS_NN_LOCATION_H
#define PCC_DIALECTS_NN_LOCATION_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace pcc::nn {

/// The source model's node that a location names: the first name in it, or
/// nothing.
llvm::StringRef sourceNode(mlir::Location loc);

/// Has `op` run where `from` does: gives it the attributes that say so
/// (`kPlaceAttrs`).
void inheritPlace(mlir::Operation *op, mlir::Operation *from);

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_LOCATION_H
