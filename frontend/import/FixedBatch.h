//===- FixedBatch.h - Losses of files that fix their batch ------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_FIXEDBATCH_H
#define PCC_FRONTEND_IMPORT_FIXEDBATCH_H

#include "frontend/import/LossSplitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::frontend {

/// How a term of a loss changes with the batch, as far as one file for one
/// batch tells.
struct FixedBatchTerm {
  /// The factor is by the number of samples.
  bool isMean = false;
  /// What was taken for it where both are possible; empty where it is proven.
  std::string assumed;
  /// Why nothing can be said; empty otherwise.
  std::string unclear;
};

/// Tells of a term of the loss that `forward` returns; the file's batch is
/// fixed, to one size only.
FixedBatchTerm readFixedBatch(mlir::func::FuncOp forward, const Term &term);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_FIXEDBATCH_H
