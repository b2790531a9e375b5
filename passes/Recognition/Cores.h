//===- Cores.h - Values without the dims that repeat them -------*- C++ -*-===//
//
// A mask [batch, head, query, key] is the same for all heads, and often for all
// samples or queries. Its core has 1 in place of these:
//
//     where(mask[b, t] broadcast to [b, h, s, t], 0, -1e9)
//     where(mask[b, 1, 1, t], 0, -1e9)                        its core
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_RECOGNITION_CORES_H
#define PCC_PASSES_RECOGNITION_CORES_H

#include "dialects/NN/NN.h"
#include "mlir/IR/PatternMatch.h"

namespace pcc::recognition {

/// `value` in its core shape: 1 for dims along which it repeats itself. Ops are
/// made anew where their results are smaller so.
mlir::Value buildCore(mlir::PatternRewriter &rewriter, mlir::Location loc,
                      mlir::Value value);

/// Repeats dims of extent 1 up to `shape`, which agrees in the others.
mlir::Value repeat(mlir::PatternRewriter &rewriter, mlir::Location loc,
                   mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_CORES_H
