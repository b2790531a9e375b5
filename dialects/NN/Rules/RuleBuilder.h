//===- RuleBuilder.h - Builder for sharding rules ---------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_RULEBUILDER_H
#define PCC_DIALECTS_NN_RULEBUILDER_H

#include "dialects/NN/Verify.h"

namespace pcc::nn {

/// Builds a sharding rule value by value. Factors are referred to by the
/// indices that `factor` returns.
struct RuleBuilder {
  /// The rule so far.
  ShardingRule rule;

  /// Adds a factor of `size` iterations. An `unshardable` factor must be whole
  /// on each rank.
  int factor(int64_t size, bool unshardable = false) {
    return rule.addFactor(size, unshardable);
  }
  /// Adds one factor for each dim of a shape.
  llvm::SmallVector<int> factors(llvm::ArrayRef<int64_t> shape) {
    llvm::SmallVector<int> all;
    for (int64_t size : shape)
      all.push_back(factor(size));
    return all;
  }
  /// Adds the next operand, with one factor per dim. `linear`: the op is linear
  /// in it.
  void operand(llvm::ArrayRef<int> dims, bool linear = false) {
    rule.operands.push_back(single(dims));
    rule.linear.push_back(linear);
  }
  /// Adds the next result, with one factor per dim.
  void result(llvm::ArrayRef<int> dims) {
    rule.results.push_back(single(dims));
  }
  /// Marks an existing factor as unshardable.
  void unshardable(int factor) { rule.factors[factor].unshardable = true; }

  /// The factors of a value with one factor per dim.
  static ValueFactors single(llvm::ArrayRef<int> dims) {
    ValueFactors value;
    for (int dim : dims)
      value.push_back({dim});
    return value;
  }
};

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_RULEBUILDER_H
