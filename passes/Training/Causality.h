//===- Causality.h - Detects outputs that see later tokens ------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_CAUSALITY_H
#define PCC_PASSES_TRAINING_CAUSALITY_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc {

/// Why `output` [batch, seq, ...] is not proven causal: through `op`, its
/// position `position` may depend on position `sees` of `tokens` [batch, seq].
/// Without an op each output position depends only on tokens up to its own.
/// Queries that a mask computed from data leaves without any key are not
/// considered.
struct LookAhead {
  /// The op that looks ahead; null if none does.
  mlir::Operation *op = nullptr;
  /// Indices along the sequence, from 0; `sees` > `position`.
  int64_t position = 0, sees = 0;
};
/// Searches the output positions in order for the first that may depend on a
/// later token. The first two dims of `output` are those of `tokens`.
LookAhead findLookAhead(mlir::func::FuncOp function, mlir::BlockArgument tokens,
                        mlir::Value output);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_CAUSALITY_H
