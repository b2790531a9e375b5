//===- ReshardInserter.h - How partial sums become reshards -----*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_RESHARDINSERTER_H
#define PCC_PASSES_SHARDING_RESHARDINSERTER_H

#include "passes/Sharding/Projection.h"

namespace pcc {

/// A value of the rewritten program and how it lies.
struct Placed {
  /// Of a rank's local type once the program is partitioned.
  mlir::Value value;
  /// How the ranks hold it at this place.
  dist::Layout layout;
};

/// What a walk over a program keeps: where every value lies, and the reshards
/// made so far.
class ReshardInserter {
public:
  /// Rewrites the module of `program`, which must outlive this.
  explicit ReshardInserter(Program &program);

protected:
  /// Whether a use may take its operand partial over an axis and hand it on.
  bool passes(mlir::OpOperand &use, dist::Axis axis) const;
  /// Whether a value of one op is used by the other in another stage.
  static bool crossesStages(mlir::Operation *def, mlir::Operation *user);
  /// Resolves, once and right here, the axes over which some use of a result
  /// cannot take it partial. The builder stands behind the result's op `at`.
  void resolve(mlir::Value result, mlir::Operation *at);
  /// Reshards for `user`, where the builder stands. A reshard made earlier
  /// serves again, but a gathered value never in another stage or from forward
  /// to backward.
  mlir::Value reshard(const Placed &from, const dist::Layout &to,
                      mlir::Operation *user);
  /// Resolves the operands of the ops that made `members`, values that lie as
  /// `from`, instead of the members, so that these lie as `to`. Only where all
  /// are made larger from their operands (insert, pad, broadcast) for one use
  /// and the operands together move less than one member; else changes nothing
  /// and answers false.
  bool resolveBeforeEnlarging(llvm::ArrayRef<Placed> members,
                              const dist::Layout &to);
  /// The layout propagation chose for a value that stays partial.
  dist::Layout chosenLayout(mlir::Value value, dist::AxisSet partial) const;

  Program &program;
  const dist::Mesh &mesh;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Operation *, const ShardedOp *> byOp;
  /// What propagation left on each op.
  llvm::DenseMap<mlir::Operation *, FactorAxes> factors;
  /// By value of the program as it was: what its users read now.
  llvm::DenseMap<mlir::Value, Placed> placed;
  /// Of the results of all ops, old and new.
  llvm::DenseMap<mlir::Value, dist::Layout> layouts;

private:
  /// By value and target: where it is used, and the resharded value.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>,
                 llvm::SmallVector<std::pair<mlir::Attribute, mlir::Value>, 2>>
      cache;
};

} // namespace pcc

#endif // PCC_PASSES_SHARDING_RESHARDINSERTER_H
