//===- BlockRun.h - Lockstep execution of a block ---------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_BLOCKRUN_H
#define PCC_INTERPRETER_BLOCKRUN_H

#include "interpreter/Machine.h"

namespace pcc::interp {

/// Runs the ops of a block in lockstep: each op on all member ranks before the
/// next op. At a collective with ranks that are not members, the run waits
/// until it is given the results.
class BlockRun {
public:
  /// The state of a run: at the end, at a collective that involves other ranks,
  /// or stopped by an error that was emitted.
  enum class Status { Done, Waiting, Failed };

  /// `microbatch` is passed to observers; -1: none.
  BlockRun(Machine &machine, mlir::Block &block, llvm::ArrayRef<int64_t> ranks,
           int64_t microbatch);

  /// Binds a block argument to its values, one per member.
  void bind(mlir::Value name, llvm::ArrayRef<TensorRef> perMember);
  /// Runs ops until the run is done, must wait or fails.
  Status advance();

  /// The collective that the run waits at.
  mlir::Operation *getWaiting() { return &*next; }
  /// The operands of that collective, by member.
  std::vector<ValueList> getOperands();
  /// Continues the run with the collective's results, by member.
  mlir::LogicalResult resume(llvm::ArrayRef<ValueList> results);

  /// The terminator's operand i, by member.
  ValueList getResult(unsigned i);

private:
  using Values = llvm::DenseMap<mlir::Value, TensorRef>;

  bool hasAllPeers(mlir::ArrayAttr axes) const;

  Machine &machine;
  mlir::Block &block;
  mlir::Block::iterator next;
  llvm::SmallVector<int64_t> ranks;
  int64_t microbatch;
  std::vector<Values> values; ///< by member
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_BLOCKRUN_H
