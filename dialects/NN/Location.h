//===- Location.h - Where an op comes from ----------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_LOCATION_H
#define PCC_DIALECTS_NN_LOCATION_H

#include "mlir/IR/Location.h"

namespace pcc::nn {

/// The source model's node that a location names: the first name in it, or
/// nothing.
llvm::StringRef sourceNode(mlir::Location loc);

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_LOCATION_H
