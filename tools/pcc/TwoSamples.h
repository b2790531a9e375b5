//===- TwoSamples.h - What one sample does not show -------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_TWOSAMPLES_H
#define PCC_TOOLS_PCC_TWOSAMPLES_H

#include "frontend/import/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc {

/// Looks at a model that was imported for one sample as it is for two: turned
/// round or rolled, say, one sample is itself. If it surely computes with both,
/// `forward` gets nn.joins_samples; if it may, a warning says so. Nothing where
/// the model does not import for two.
void checkTwoSamples(mlir::func::FuncOp forward, const ONNXFile &file,
                     const ImportOptions &import);

} // namespace pcc

#endif // PCC_TOOLS_PCC_TWOSAMPLES_H
