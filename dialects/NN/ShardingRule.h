//===- ShardingRule.h - How an op's dims correspond -------------*- C++ -*-===//
//
// An op says once which dims of its operands and results are the same loop
// ("factor"); propagation, partial sums and partition follow from it.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_SHARDINGRULE_H
#define PCC_DIALECTS_NN_SHARDINGRULE_H

#include "mlir/Support/LLVM.h"
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

/// The loops of an op, which of them each dim of its values is, and how partial
/// sums pass it. Of "bk,kn->bn": factors b, k and n; operands {b, k} and {k,
/// n}, result {b, n}.
struct ShardingRule {
  /// One loop of the op.
  struct Factor {
    /// Its iterations.
    int64_t size;
    /// No axis may shard it: the op needs all of it on one rank.
    bool unshardable = false;
    /// The op's own Partition adds up over it, so that results that lack it
    /// are not partial.
    bool resolved = false;
    /// On a rank that has only a part of it, results that lack it are the
    /// maximum of that part.
    bool maximum = false;
  };
  /// How partial sums in operands become partial sums in results.
  enum class Kind {
    /// Partial sums never pass.
    None,
    /// A sum: operands of equal partial sets are added while partial.
    Additive,
    /// Partial passes through one linear operand at a time.
    Multiplicative,
  };

  /// The loops, by number.
  llvm::SmallVector<Factor> factors;
  /// Of each operand and result, by dim, the loops that it runs over.
  llvm::SmallVector<ValueFactors> operands, results;
  /// What becomes of partial sums; see Kind.
  Kind kind = Kind::None;
  /// Per operand: the op is linear in it.
  llvm::SmallVector<bool> linear;

  /// Adds a loop and answers its number.
  int addFactor(int64_t size, bool unshardable = false) {
    factors.push_back({size, unshardable});
    return factors.size() - 1;
  }
};

/// Operands and results that all have one shape; of the operands those whose
/// positions are in `linear` are linear.
ShardingRule elementwise(mlir::Operation *op,
                         ShardingRule::Kind kind = ShardingRule::Kind::None,
                         llvm::ArrayRef<unsigned> linear = {});

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_SHARDINGRULE_H
