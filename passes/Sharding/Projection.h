//===- Projection.h - From dims of values to factors of ops -----*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_PROJECTION_H
#define PCC_PASSES_SHARDING_PROJECTION_H

#include "passes/Sharding/Program.h"

namespace pcc {

/// Whether a dim of a value has this factor, alone or merged with others.
bool hasFactor(const nn::ValueFactors &value, int factor);

/// The axes of every factor of an op.
using FactorAxes = llvm::SmallVector<dist::AxisList>;

/// Returns the axes that kFactorsAttr of an op gives its factors; none for
/// factors that it does not list.
FactorAxes readFactors(const dist::Mesh &mesh, const ShardedOp &op);

/// Distributes the axes of a dim over its factors, major first. A factor takes
/// axes until it is used up. An axis that does not divide the rest, or an
/// unshardable factor, ends the distribution; the remaining axes are dropped.
FactorAxes distribute(const dist::Mesh &mesh, llvm::ArrayRef<dist::Axis> axes,
                      const nn::DimFactors &factors,
                      const nn::ShardingRule &rule);

/// Returns the axes of a dim, given the axes of an op's factors.
dist::AxisList dimAxes(const nn::DimFactors &dim, const FactorAxes &factors);
/// Returns the axes of all dims of a value, given the axes of an op's factors.
llvm::SmallVector<dist::AxisList, 4> valueAxes(const nn::ValueFactors &value,
                                               const FactorAxes &factors);

/// The sharding of an op's factors that follows from its operands and results.
struct Projection {
  /// The axes of each factor.
  FactorAxes factors;
  /// By mesh axis: the level at which it was requested.
  llvm::SmallVector<int64_t, 4> levels;
};
/// Projects the shardings of an op's values to its factors. An axis that two
/// factors request goes to the request of the lower level, then of a parameter,
/// then of the earlier operand.
Projection project(const Program &program, const ShardedOp &op);

/// Returns, by dim of one of an op's values, the axes that the op could use if
/// no other value requested any. `position` counts operands, then results.
llvm::SmallVector<dist::AxisList, 4>
usableAxes(const Program &program, const ShardedOp &op, unsigned position);

/// Returns the axes of the factors that the shardings of an op's operands and
/// results (in this order) declare: of each the longest list that begins with
/// the earlier ones.
FactorAxes factorsOf(const dist::Mesh &mesh, const nn::ShardingRule &rule,
                     llvm::ArrayRef<dist::Layout> operands,
                     llvm::ArrayRef<dist::Layout> results);

/// Returns the axes over which a result with these dims is partial: axes of
/// factors that it lacks and that the op does not reduce itself.
dist::AxisSet missingAxes(const nn::ShardingRule &rule,
                          const nn::ValueFactors &result,
                          const FactorAxes &factors);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_PROJECTION_H
