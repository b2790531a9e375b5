//===- CutPoints.h - Cut points of a forward pass ---------------*- C++ -*-===//
//
// The activations of a function in program order, and the bytes that cross each
// position between two of them. Cut points are the positions that fewer bytes
// cross than their neighbors: in a transformer, where only the residual stream
// crosses. A router and its experts stay together.
//
//  ops      add  norm  qkv  attention  proj  add  norm  up  gelu  down  add ...
//  crossing    1     2    4          2     2    1     2   5     5     2    1
//              ^                                ^                          ^
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_PIPELINE_CUTPOINTS_H
#define PCC_PASSES_PIPELINE_CUTPOINTS_H

#include "analysis/Activations.h"

namespace pcc {

/// The forward pass as a list of ops that may be cut between any two. Position
/// k is before ops[k].
struct Line {
  /// The activations, for look-ups.
  llvm::DenseSet<mlir::Operation *> activations;
  /// The activations, in program order.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Prefix sums, [ops.size() + 1]: of costs (FLOPs plus ten for each byte
  /// written), and of the numbers of contractions and attention ops.
  llvm::SmallVector<double> cost;
  llvm::SmallVector<int> products;
  /// Bytes that cross position k, [ops.size() + 1].
  llvm::SmallVector<int64_t> crossing;
  /// Whether position k is between a router's ops, or between router and
  /// experts, [ops.size() + 1].
  llvm::SmallVector<bool> routes;

  /// Analyzes a function's block, which must outlive this unchanged.
  explicit Line(mlir::Block &block);
  /// Returns the positions that locally fewest bytes cross.
  llvm::SmallVector<size_t> findCutPoints() const;
  /// Returns those of them with a contraction or attention op before and after
  /// them.
  llvm::SmallVector<size_t> findStageCutPoints() const;
};

/// Calls `visit` for the activations that use an op's results, directly or
/// through ops that are none.
void findActivationUsers(mlir::Operation *op,
                         const llvm::DenseSet<mlir::Operation *> &activations,
                         llvm::function_ref<void(mlir::Operation *)> visit);

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_CUTPOINTS_H
