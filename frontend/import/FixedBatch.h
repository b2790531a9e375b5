//===- FixedBatch.h - Losses of files with a fixed batch --------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_FIXEDBATCH_H
#define PCC_FRONTEND_IMPORT_FIXEDBATCH_H

#include "frontend/import/LossSplitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::frontend {

/// How a term of a loss depends on the batch size, derived from one file with a
/// fixed batch.
struct FixedBatchTerm {
  /// The number of means over samples in the factor, less those in its divisor.
  /// With 1, twice as many samples halve the factor.
  int means = 0;
  /// The assumption behind `means` if it is not proven; else empty.
  std::string assumed;
  /// The reason if the dependence is unknown; else empty.
  std::string unclear;
};

/// Analyzes a term of the loss that `forward` returns, for a file with a fixed
/// batch.
FixedBatchTerm readFixedBatch(mlir::func::FuncOp forward, const Term &term);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_FIXEDBATCH_H
