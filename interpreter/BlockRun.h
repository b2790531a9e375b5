//===- BlockRun.h - A block that several ranks run in lockstep --*- C++ -*-===//

#ifndef PCC_INTERPRETER_BLOCKRUN_H
#define PCC_INTERPRETER_BLOCKRUN_H

#include "interpreter/Machine.h"

namespace pcc::interp {

/// Runs the ops of a block, each on every member before the next one. A
/// collective with ranks that are no members stops the run until its results
/// are given.
class BlockRun {
public:
  /// How far a run is: at the end, at a collective that needs others, or
  /// stopped by an error that was emitted.
  enum class Status { Done, Waiting, Failed };

  /// `microbatch`: what observers are told; -1: none.
  BlockRun(Machine &machine, mlir::Block &block, llvm::ArrayRef<int64_t> ranks,
           int64_t microbatch);

  /// Gives a block argument its values, one per member.
  void bind(mlir::Value name, llvm::ArrayRef<TensorRef> perMember);
  /// Runs ops until it is done, has to wait or fails.
  Status advance();

  /// The op waited at, and its operands by member.
  mlir::Operation *getWaiting() { return &*next; }
  /// By member, the values of the op that is waited at.
  std::vector<ValueList> getOperands();
  /// Ends the wait by giving the op's results, by member.
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
