//===- Line.h - Where a forward pass may be cut -----------------*- C++ -*-===//
//
// The activations of a function in program order, and how many bytes cross each
// position between two of them. Places are the positions that fewer bytes cross
// than those around them: in a transformer, where nothing but the residual
// stream does.
//
//     ops        add  norm  qkv  attention  proj  add  norm  up  gelu  down add
//     crossing      1     2    4          2     2    1     2   5     5     2 1
//                   ^                                ^ ^
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_PIPELINE_LINE_H
#define PCC_PASSES_PIPELINE_LINE_H

#include "analysis/Activations.h"

namespace pcc {

/// The forward pass as a line of ops, between any two of which one may cut.
/// Position k lies before ops[k].
struct Line {
  /// The activations, for look-ups.
  llvm::DenseSet<mlir::Operation *> activations;
  /// The activations, in program order.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Running sums, [ops.size() + 1]: of FLOPs and bytes, and of contractions.
  llvm::SmallVector<double> cost;
  llvm::SmallVector<int> products;
  /// Bytes that cross position k, [ops.size() + 1].
  llvm::SmallVector<int64_t> crossing;

  /// Reads a function's block, which must not change while this lives.
  explicit Line(mlir::Block &block);
  /// Positions at which a cut crosses least locally.
  llvm::SmallVector<size_t> findPlaces() const;
  /// Of these, those with a contraction before and behind them.
  llvm::SmallVector<size_t> findStagePlaces() const;
};

/// Calls `visit` for the activations that use an op's results, directly or
/// through ops that are none.
void findActivationUsers(mlir::Operation *op,
                         const llvm::DenseSet<mlir::Operation *> &activations,
                         llvm::function_ref<void(mlir::Operation *)> visit);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_LINE_H
