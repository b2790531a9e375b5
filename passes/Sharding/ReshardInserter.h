//===- ReshardInserter.h - Inserts reshards for partial sums ----*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_RESHARDINSERTER_H
#define PCC_PASSES_SHARDING_RESHARDINSERTER_H

#include "passes/Sharding/Projection.h"

namespace pcc {

/// A value of the rewritten program and its sharding.
struct Placed {
  /// Of the local type once the program is partitioned.
  mlir::Value value;
  /// Its sharding at this point.
  dist::Layout layout;
};

/// The state of a walk over a program: the shardings of all values, and the
/// reshards inserted so far.
class ReshardInserter {
public:
  /// Rewrites the module of `program`, which must outlive this.
  explicit ReshardInserter(Program &program);

protected:
  /// Whether a use may take its operand partial over an axis and pass that on
  /// to its result.
  bool passes(mlir::OpOperand &use, dist::Axis axis) const;
  /// Whether the two ops are in different stages.
  static bool crossesStages(mlir::Operation *def, mlir::Operation *user);
  /// Reduces a result, once and at this point, over the axes over which some
  /// use cannot take it partial. The builder is after the result's op `at`.
  void resolve(mlir::Value result, mlir::Operation *at);
  /// Reshards a value for `user` at the builder's position. An earlier reshard
  /// in the same stage is reused, but a gathered value not from forward to
  /// backward.
  mlir::Value reshard(const Placed &from, const dist::Layout &to,
                      mlir::Operation *user);
  /// Reduces the operands of the ops that define `members` instead of the
  /// members, so that these have sharding `to`. Applies only if all of these
  /// ops enlarge their operands (insert, pad, broadcast) for one use and the
  /// operands together have fewer elements than one member. Otherwise changes
  /// nothing and returns false.
  bool resolveBeforeEnlarging(llvm::ArrayRef<Placed> members,
                              const dist::Layout &to);
  /// Returns the sharding that propagation chose for a value that stays partial
  /// over these axes. Each dim ends before the first of them.
  dist::Layout chosenLayout(mlir::Value value, dist::AxisSet partial) const;

  Program &program;
  const dist::Mesh &mesh;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Operation *, const ShardedOp *> byOp;
  /// By op: the axes of its factors from propagation.
  llvm::DenseMap<mlir::Operation *, FactorAxes> factors;
  /// By value of the original program: the value that its users read now.
  llvm::DenseMap<mlir::Value, Placed> placed;
  /// The shardings of the results of all ops, old and new.
  llvm::DenseMap<mlir::Value, dist::Layout> layouts;

private:
  /// By value and target sharding: the stage of use, or for gathered values the
  /// region (stage and direction), and the resharded value.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>,
                 llvm::SmallVector<std::pair<mlir::Attribute, mlir::Value>, 2>>
      cache;
};

} // namespace pcc

#endif // PCC_PASSES_SHARDING_RESHARDINSERTER_H
