//===- Loops.cpp - Dims that can be sharded together ----------------------===//

#include "tools/pcc-docs/Loops.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using nn::ShardingRule;

Loops::Dim Loops::add(int64_t size, bool isWhole) {
  loops.push_back({size, static_cast<int>(loops.size()), isWhole, {}});
  return {static_cast<int>(loops.size()) - 1};
}

int Loops::find(int loop) const {
  while (loops[loop].same != loop)
    loop = loops[loop].same;
  return loop;
}

void Loops::collect(int loop, Dim &leaves) const {
  const Loop &own = loops[find(loop)];
  for (int part : own.parts)
    collect(part, leaves);
  if (own.parts.empty() && own.size != 1)
    leaves.push_back(find(loop));
}

Loops::Dim Loops::leaves(const Dim &dim) const {
  Dim all;
  for (int loop : dim)
    collect(loop, all);
  return all;
}

void Loops::markWhole(const Dim &dim) {
  for (int leaf : leaves(dim))
    loops[leaf].isWhole = true;
}

void Loops::unify(const Dim &a, const Dim &b) {
  while (true) {
    // The first loops that differ; splitting changes the leaves.
    Dim left = leaves(a), right = leaves(b);
    size_t i = 0;
    while (i < left.size() && i < right.size() && left[i] == right[i])
      ++i;
    if (i >= left.size() || i >= right.size())
      return;
    int large = left[i], small = right[i];
    if (loops[large].size < loops[small].size)
      std::swap(large, small);
    if (loops[large].size == loops[small].size) {
      loops[large].isWhole |= loops[small].isWhole;
      loops[small].same = large;
      continue;
    }
    if (loops[large].size % loops[small].size) {
      markWhole(a);
      markWhole(b);
      return;
    }
    int minor =
        add(loops[large].size / loops[small].size, loops[large].isWhole)[0];
    loops[small].isWhole |= loops[large].isWhole;
    loops[large].parts = {small, minor};
  }
}

void Loops::follow(nn::ShardingRuleInterface op) {
  ShardingRule rule = op.getShardingRule();
  std::vector<Dim> factors;
  for (const ShardingRule::Factor &factor : rule.factors)
    factors.push_back(add(factor.size, factor.unshardable));
  auto dimOf = [&](const nn::DimFactors &dim) {
    Dim all;
    for (int factor : dim)
      llvm::append_range(all, factors[factor]);
    return all;
  };
  for (auto [value, rows] : llvm::zip(op->getOperands(), rule.operands))
    for (auto [known, dim] : llvm::zip(dims[value], rows))
      unify(known, dimOf(dim));
  for (auto [value, rows] : llvm::zip(op->getResults(), rule.results)) {
    std::vector<Dim> own;
    for (const nn::DimFactors &dim : rows)
      own.push_back(dimOf(dim));
    dims[value] = own;
  }
}

Loops::Loops(func::FuncOp function) : function(function) {
  auto fresh = [&](Value value) {
    for (int64_t size : nn::tensorType(value).getShape())
      dims[value].push_back(add(size));
  };
  DenseSet<Value> computed;
  for (Value argument : function.getArguments()) {
    fresh(argument);
    computed.insert(argument);
  }
  for (Operation &op : function.getBody().front().without_terminator()) {
    auto ruled = dyn_cast<nn::ShardingRuleInterface>(op);
    // Each rank can compute its shard of a constant.
    if (ruled && llvm::any_of(op.getOperands(), [&](Value operand) {
          return computed.contains(operand);
        })) {
      follow(ruled);
      for (Value result : op.getResults())
        computed.insert(result);
    } else {
      for (Value result : op.getResults())
        fresh(result);
    }
  }
  // The shards of a merged dim's minor loops are not contiguous.
  for (auto &[value, own] : dims)
    for (const Dim &dim : own)
      for (auto [i, leaf] : llvm::enumerate(leaves(dim)))
        loops[leaf].isWhole |= i > 0;
}

std::string Loops::letters(Value value, SmallVectorImpl<int> &known) const {
  std::string text;
  for (const Dim &dim : dims.at(value)) {
    Dim all = leaves(dim);
    if (all.empty() || loops[all[0]].isWhole) {
      text += '-';
      continue;
    }
    auto *found = llvm::find(known, all[0]);
    text += static_cast<char>('a' + (found - known.begin()));
    if (found == known.end())
      known.push_back(all[0]);
  }
  return text.empty() ? "1" : text;
}

std::string Loops::text() {
  SmallVector<int> known;
  auto list = [&](ValueRange values) {
    return llvm::join(
        llvm::map_range(values,
                        [&](Value value) { return letters(value, known); }),
        ",");
  };
  std::string operands = list(function.getArguments());
  Operation *terminator = function.getBody().front().getTerminator();
  return operands + "->" + list(terminator->getOperands());
}
