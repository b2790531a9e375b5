//===- TaskUses.h - Uses of the values of a body ----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_TASKUSES_H
#define PCC_PASSES_CODEGEN_LOWER_TASKUSES_H

#include "dialects/NN/NN.h"

namespace pcc {

/// The order of a body's ops, and the last uses of its values. The block must
/// not change while this exists.
class TaskUses {
public:
  /// Moves GEMMs and reduce_scatters to the sum that accumulates them in place,
  /// if it has their element type and no other op needs them earlier. Moves
  /// all_reduces of arguments to the block's start, where they can be merged,
  /// except those that span stages. Then numbers the ops.
  explicit TaskUses(mlir::Block &block);

  /// Returns an op's number in block order, from 1 on.
  unsigned positionOf(mlir::Operation *op) const {
    return positions.lookup(op);
  }
  /// Returns the number of the last op that reads a value, also through views;
  /// 0 if there is none.
  unsigned lastUse(mlir::Value value) const;

  /// Returns the GEMM or reduce_scatter whose result an op accumulates in place
  /// as its only use; or null.
  mlir::Operation *getAdded(nn::SumOp op) const { return added.lookup(op); }
  /// Whether an op is getAdded() of some sum.
  bool isAdded(mlir::Operation *op) const { return fused.contains(op); }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> added;
  llvm::DenseSet<mlir::Operation *> fused;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_TASKUSES_H
