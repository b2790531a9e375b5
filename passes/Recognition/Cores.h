//===- Cores.h - Values without broadcast dims ------------------*- C++ -*-===//
//
// A mask [batch, head, query, key] is often equal for all heads, samples or
// queries. Its core has extent 1 along these dims:
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

/// Returns the extents of the core of `value`.
llvm::SmallVector<int64_t> coreShape(mlir::Value value);

/// Returns the core of `value`: extent 1 for dims along which it repeats. Ops
/// whose results become smaller are cloned with the smaller type.
mlir::Value buildCore(mlir::PatternRewriter &rewriter, mlir::Location loc,
                      mlir::Value value);

/// Broadcasts dims of extent 1 to `shape`, which agrees in the other dims.
mlir::Value repeat(mlir::PatternRewriter &rewriter, mlir::Location loc,
                   mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_CORES_H
