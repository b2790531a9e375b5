//===- Causality.h - Whether positions see what follows ---------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_CAUSALITY_H
#define PCC_PASSES_TRAINING_CAUSALITY_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc {

/// What keeps `output` [batch, seq, ...] from being known as causal: an op that
/// may show a position of `tokens` [batch, seq] what follows it, and how. No
/// op: `output` at a position depends on the tokens up to it alone.
struct LookAhead {
  mlir::Operation *op = nullptr;
  std::string how;
};
LookAhead findLookAhead(mlir::func::FuncOp function, mlir::Value tokens,
                        mlir::Value output);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_CAUSALITY_H
