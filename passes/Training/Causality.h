//===- Causality.h - Whether positions see what follows ---------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_CAUSALITY_H
#define PCC_PASSES_TRAINING_CAUSALITY_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc {

/// What keeps `output` [batch, seq, ...] from being known as causal: an op
/// through which `position` of it may see position `sees` of `tokens` [batch,
/// seq], behind it. No op: each position of the output depends on the tokens up
/// to it alone. What a query attends to that the data leaves no key at all does
/// not count.
struct LookAhead {
  /// Where it happens; null if nothing looks ahead.
  mlir::Operation *op = nullptr;
  /// Both count from 0 along the sequence; `sees` is the greater one.
  int64_t position = 0, sees = 0;
};
/// Follows every position of `output`, whose first dims are those of the
/// tokens, back to the tokens it may depend on.
LookAhead findLookAhead(mlir::func::FuncOp function, mlir::BlockArgument tokens,
                        mlir::Value output);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_CAUSALITY_H
