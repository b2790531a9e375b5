//===- ElementTypes.h - The runtime's element types -------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_ELEMENTTYPES_H
#define PCC_ANALYSIS_ELEMENTTYPES_H

#include "mlir/IR/Types.h"

namespace pcc::analysis {

/// The pcc_dtype of an element type; negative if the runtime does not support
/// it (it has no unsigned integers). runtime/support/DType.h has the names of
/// element types in other formats.
int32_t dtypeOf(mlir::Type element);

/// The element type of a pcc_dtype.
mlir::Type typeOf(mlir::MLIRContext *context, int32_t dtype);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_ELEMENTTYPES_H
