//===- FixedBatch.h - Losses of files that fix their batch ------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_FIXEDBATCH_H
#define PCC_FRONTEND_IMPORT_FIXEDBATCH_H

#include "frontend/import/LossSplitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::frontend {

/// How a term of a loss changes with the batch, as far as one file for one
/// batch tells.
struct FixedBatchTerm {
  /// How many means over samples the factor is of, less those that it is
  /// divided by: half of it for twice as many samples if it is one.
  int means = 0;
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
