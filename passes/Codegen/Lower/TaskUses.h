//===- TaskUses.h - When the values of a body are used ----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_TASKUSES_H
#define PCC_PASSES_CODEGEN_LOWER_TASKUSES_H

#include "dialects/NN/NN.h"

namespace pcc {

/// The order of a body's ops, and what it says of values. The block must not
/// change while this lives.
class TaskUses {
public:
  /// Moves products and reductions that are only added in place to where
  /// they are added,
  /// and reductions of arguments to the block's start, where they can be
  /// merged; then numbers the ops.
  explicit TaskUses(mlir::Block &block);

  /// An op's number, in block order.
  unsigned positionOf(mlir::Operation *op) const {
    return positions.lookup(op);
  }
  /// The last op that reads a value, also through views of it; 0: none.
  unsigned lastUse(mlir::Value value) const;

  /// The product or reduce_scatter whose result an op adds in place and
  /// nothing else uses; or null.
  mlir::Operation *getAdded(nn::SumOp op) const { return added.lookup(op); }
  /// Whether a result is only added in place: some op's getAdded is its maker.
  bool isAdded(mlir::Operation *op) const { return fused.contains(op); }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> added;
  llvm::DenseSet<mlir::Operation *> fused;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_TASKUSES_H
