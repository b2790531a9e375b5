//===- TaskUses.h - When values and state of a task are used ----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_TASKUSES_H
#define PCC_PASSES_CODEGEN_LOWER_TASKUSES_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/StringMap.h"

namespace pcc {

/// The order of a task's ops, and what it says of values and state. The block
/// must not change while this lives.
class TaskUses {
public:
  /// Moves contractions that are only accumulated to their accumulation, and
  /// reductions of states that are only read to the block's start, where they
  /// can be merged; then numbers the ops.
  explicit TaskUses(mlir::Block &block);

  /// An op's number, in block order.
  unsigned positionOf(mlir::Operation *op) const {
    return positions.lookup(op);
  }
  /// The last op that reads a value, also through views of it; 0: none.
  unsigned lastUse(mlir::Value value) const;

  /// The contraction whose product an op accumulates and nothing else uses; or
  /// null.
  nn::ContractOp getAccumulated(nn::AccumulateOp op) const {
    return accumulated.lookup(op);
  }
  /// Whether a contraction's product is only accumulated: some op's
  /// getAccumulated is it.
  bool isAccumulated(nn::ContractOp op) const { return fused.contains(op); }

  /// Whether a state is written or accumulated into behind `after` and before
  /// `until`.
  bool isChangedBefore(llvm::StringRef state, unsigned after,
                       unsigned until) const;
  /// Whether `result`, made at `at`, may lie in a state's memory whose present
  /// content nothing needs: the next that happens to it must be a write, and
  /// by then the result must be dead or be what is written.
  bool mayOverwrite(llvm::StringRef state, unsigned at,
                    mlir::Value result) const;
  /// Whether what `write` writes may lie in the state's memory from `at` on:
  /// nothing may happen to the state in between, and the value must be dead
  /// when the state changes again.
  bool mayReplace(llvm::StringRef state, unsigned at, nn::WriteOp write) const;

private:
  struct Event {
    unsigned position;
    mlir::Operation *op;
  };
  llvm::ArrayRef<Event> eventsOf(llvm::StringRef state) const;

  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  llvm::DenseMap<mlir::Operation *, nn::ContractOp> accumulated;
  llvm::DenseSet<mlir::Operation *> fused;
  llvm::StringMap<llvm::SmallVector<Event>> events;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_TASKUSES_H
