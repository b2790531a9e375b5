//===- ShardingRule.h - Correspondence of an op's dims ----------*- C++ -*-===//
//
// A sharding rule states which dims of an op's operands and results are the
// same loop ("factor"). Propagation, partial sums and partitioning follow from
// it.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_SHARDINGRULE_H
#define PCC_DIALECTS_NN_SHARDINGRULE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace pcc::nn {

/// The factors of one dim, major to minor; usually one. Factors are indices
/// into ShardingRule::factors.
using DimFactors = llvm::SmallVector<int, 1>;
/// The factors of every dim of one value.
using ValueFactors = llvm::SmallVector<DimFactors, 4>;

/// The loops (factors) of an op, the factors of each dim of its values, and the
/// propagation of partial sums through it. For "bk,kn->bn": factors b, k and n;
/// operands {b, k} and {k, n}, result {b, n}.
struct ShardingRule {
  /// One loop of the op.
  struct Factor {
    /// Its number of iterations.
    int64_t size;
    /// Whether it must be whole on each rank: no axis may shard it.
    bool unshardable = false;
    /// Whether the op's own buildLocal reduces over it, so that results without
    /// this factor are not partial.
    bool resolved = false;
    /// Whether results without this factor are partial maxima, not partial
    /// sums, when it is sharded.
    bool maximum = false;
  };
  /// The propagation of partial sums from operands to results.
  enum class Kind {
    /// Partial sums never pass.
    None,
    /// The op is a sum or difference: operands that are partial over the same
    /// axes are added or subtracted while partial.
    Additive,
    /// Partial sums pass through one linear operand at a time.
    Multiplicative,
  };

  /// The factors, by index.
  llvm::SmallVector<Factor> factors;
  /// For each operand and result the factors of its dims.
  llvm::SmallVector<ValueFactors> operands, results;
  /// The propagation of partial sums.
  Kind kind = Kind::None;
  /// For each operand whether the op is linear in it.
  llvm::SmallVector<bool> linear;

  /// Adds a factor and returns its index.
  int addFactor(int64_t size, bool unshardable = false) {
    factors.push_back({size, unshardable});
    return factors.size() - 1;
  }
};

/// The rule of an op whose operands and results all have the same shape. It is
/// linear in the operands with the indices `linear`.
ShardingRule elementwise(mlir::Operation *op,
                         ShardingRule::Kind kind = ShardingRule::Kind::None,
                         llvm::ArrayRef<unsigned> linear = {});

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_SHARDINGRULE_H
