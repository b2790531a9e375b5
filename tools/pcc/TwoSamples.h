//===- TwoSamples.h - Check of a model with two samples ---------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_TWOSAMPLES_H
#define PCC_TOOLS_PCC_TWOSAMPLES_H

#include "frontend/import/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc {

/// Imports a model, which was imported for one sample, for two samples, and
/// checks whether it combines samples. With one sample this may not show:
/// reversed or rolled along the batch, for example, one sample stays the same.
/// If the model surely combines samples, sets nn.joins_samples on `forward`; if
/// it may, warns. Does nothing if the model cannot be imported for two samples.
void checkTwoSamples(mlir::func::FuncOp forward, const ONNXFile &file,
                     const ImportOptions &import);

} // namespace pcc

#endif // PCC_TOOLS_PCC_TWOSAMPLES_H
