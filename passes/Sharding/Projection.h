//===- Projection.h - Between dims of values and factors of ops -*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_PROJECTION_H
#define PCC_PASSES_SHARDING_PROJECTION_H

#include "passes/Sharding/Program.h"

namespace pcc {

/// Whether a dim of a value is, in whole or in part, this factor.
bool hasFactor(const nn::ValueFactors &value, int factor);

/// The axes of every factor of an op.
using FactorAxes = llvm::SmallVector<dist::AxisList>;

/// Hands the axes of a dim to its factors, major first. A factor takes axes
/// until it is used up; an axis that does not divide what is left, or an
/// unshardable factor, ends it: the axes from there on go nowhere.
FactorAxes distribute(const dist::Mesh &mesh, llvm::ArrayRef<dist::Axis> axes,
                      const nn::DimFactors &factors,
                      const nn::ShardingRule &rule);

/// The axes of a dim, given those of an op's factors.
dist::AxisList dimAxes(const nn::DimFactors &dim, const FactorAxes &factors);
/// The axes of all dims of a value, given those of an op's factors.
llvm::SmallVector<dist::AxisList, 4> valueAxes(const nn::ValueFactors &value,
                                               const FactorAxes &factors);

/// What the present shardings of an op's operands and results make of it.
struct Projection {
  /// The axes that each factor gets.
  FactorAxes factors;
  /// Per axis of the mesh: the level it was wanted at.
  llvm::SmallVector<int64_t, 4> levels;
};
/// An axis that two factors want goes to the one with the lower level, then
/// to one that a parameter asks for, then to the earlier operand.
Projection project(const Program &program, const ShardedOp &op);

/// Of each dim of one of an op's values, the axes that the op could use if no
/// other value wanted any. `position` is its place among operands and results.
llvm::SmallVector<dist::AxisList, 4>
usableAxes(const Program &program, const ShardedOp &op, unsigned position);

/// The factors' axes that the layouts of an op's operands and results (in this
/// order) say, taking the longest list of each.
FactorAxes factorsOf(const dist::Mesh &mesh, const nn::ShardingRule &rule,
                     llvm::ArrayRef<dist::Layout> operands,
                     llvm::ArrayRef<dist::Layout> results);

/// The axes over which a result without these dims holds only a part: those
/// of factors that it lacks and that the op does not add up itself.
dist::AxisSet missingAxes(const nn::ShardingRule &rule,
                          const nn::ValueFactors &result,
                          const FactorAxes &factors);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_PROJECTION_H
