//===- RuleBuilder.h - Writes down sharding rules ---------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_RULEBUILDER_H
#define PCC_DIALECTS_NN_RULEBUILDER_H

#include "dialects/NN/Verify.h"

namespace pcc::nn {

/// Builds a rule value by value; factors are named by the caller's handles.
struct RuleBuilder {
  /// The rule so far.
  ShardingRule rule;

  /// A new factor of this many iterations; `unshardable`: the op needs all of
  /// them on one rank.
  int factor(int64_t size, bool unshardable = false) {
    return rule.addFactor(size, unshardable);
  }
  /// One factor for each dim of a shape.
  llvm::SmallVector<int> factors(llvm::ArrayRef<int64_t> shape) {
    llvm::SmallVector<int> all;
    for (int64_t size : shape)
      all.push_back(factor(size));
    return all;
  }
  /// The next operand, of one factor per dim; `linear`: the op is linear in
  /// it.
  void operand(llvm::ArrayRef<int> dims, bool linear = false) {
    rule.operands.push_back(single(dims));
    rule.linear.push_back(linear);
  }
  /// The next result, of one factor per dim.
  void result(llvm::ArrayRef<int> dims) {
    rule.results.push_back(single(dims));
  }
  /// The op needs all of a factor on one rank after all.
  void unshardable(int factor) { rule.factors[factor].unshardable = true; }

  /// Dims of one factor each.
  static ValueFactors single(llvm::ArrayRef<int> dims) {
    ValueFactors value;
    for (int dim : dims)
      value.push_back({dim});
    return value;
  }
};

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_RULEBUILDER_H
