//===- Components.cpp - Dims that are split together ----------------------===//

#include "passes/Sharding/Components.h"
#include "passes/Sharding/Projection.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

int pcc::majorFactor(const ShardingRule &rule, const DimFactors &dim) {
  auto many =
      llvm::find_if(dim, [&](int f) { return rule.factors[f].size > 1; });
  return many == dim.end() ? dim.front() : *many;
}

unsigned Components::find(ValueDim dim) const {
  unsigned at = first[dim.first] + dim.second;
  while (parent[at] != at)
    at = parent[at];
  return at;
}

void Components::join(ValueDim a, ValueDim b) {
  // The lower number leads, so that numbers depend on the program alone.
  auto [low, high] = std::minmax(find(a), find(b));
  parent[high] = low;
}

Components::Components(const Program &program) {
  for (const ShardedValue &value : program.values) {
    first.push_back(parent.size());
    for (int64_t dim = 0; dim < value.type.getRank(); ++dim)
      parent.push_back(parent.size());
  }
  std::vector<std::pair<ValueDim, const ShardedOp *>> unsplittable;
  for (const ShardedOp &op : program.ops) {
    if (!isForward(op.op) || isa<AccumulateOp, WriteOp>(op.op))
      continue;
    // Dims with the same major factor are one loop.
    llvm::SmallMapVector<int, ValueDim, 8> loops;
    op.forEach([&](unsigned value, const ValueFactors &factors, unsigned) {
      for (auto [dim, list] : llvm::enumerate(factors)) {
        if (list.empty())
          continue;
        ValueDim member{value, static_cast<unsigned>(dim)};
        auto [it, isNew] = loops.insert({majorFactor(op.rule, list), member});
        if (!isNew)
          join(it->second, member);
      }
    });
    // Every reader of a replicated value slices its own part.
    for (auto [factor, member] : loops)
      if (op.rule.factors[factor].unshardable && !op.isWhole)
        unsplittable.push_back({member, &op});
    // A dim that becomes the minor part of another, such as heads that are
    // merged with the batch in front of them: no rank has a contiguous part of
    // it.
    op.forEach([&](unsigned, const ValueFactors &factors, unsigned) {
      for (const DimFactors &list : factors)
        for (int factor : list)
          if (auto it = loops.find(factor);
              it != loops.end() && factor != majorFactor(op.rule, list) &&
              op.rule.factors[factor].size > 1 && !op.isWhole)
            unsplittable.push_back({it->second, &op});
    });
    // Column dims of embedding tables are the residual stream. Exceptions:
    // position bias tables, whose ids are constants, and tables with a separate
    // dim of heads.
    auto lookup = dyn_cast<EmbeddingOp>(op.op);
    if (lookup && tensorType(lookup.getTable()).getRank() == 2 &&
        !isOfConstants(lookup.getIds()))
      unsplittable.push_back({{op.operands[1], 1}, &op});
    if (isa<CrossEntropyOp>(op.op))
      classDims.push_back(
          {op.operands[0], program[op.operands[0]].type.getRank() - 1});

    if (isa<AttentionOp>(op.op))
      headDims.push_back({op.operands[0], 2});

    if (auto experts = dyn_cast<ExpertsOp>(op.op))
      addExperts(op, experts);

    auto contract = dyn_cast<ContractOp>(op.op);
    std::optional<unsigned> weight;
    if (!contract || !(weight = weightOf(contract)))
      continue;
    for (auto [dim, list] : llvm::enumerate(op.rule.operands[*weight])) {
      bool inOther = hasFactor(op.rule.operands[1 - *weight], list.front());
      bool inResult = hasFactor(op.rule.results[0], list.front());
      if (inOther != inResult)
        uses.push_back(
            {&op, op.operands[*weight], static_cast<unsigned>(dim), inOther});
    }
  }
  for (auto [member, op] : unsplittable)
    dead.try_emplace(find(member), op);
}

/// Adds the hidden dim of experts: a column dim of w1, and a row dim of w2.
void Components::addExperts(const ShardedOp &op, ExpertsOp experts) {
  constexpr unsigned hidden = 2;
  unsigned rows = experts.getW2Mutable().getOperandNumber();
  for (OpOperand &w1 : experts.getW1Mutable())
    uses.push_back({&op, op.operands[w1.getOperandNumber()], hidden, false});
  uses.push_back({&op, op.operands[rows], hidden, true});
}

std::vector<Components::Choice>
Components::choose(const Program &program) const {
  llvm::MapVector<unsigned, Choice> candidates;
  for (const WeightUse &use : uses)
    candidates[find({use.param, use.dim})].uses.push_back(use);

  // A parameter with a class dim is split by class, unless the classes stay
  // whole, as a hidden dim that is trained as classes does.
  llvm::DenseSet<unsigned> taken;
  llvm::DenseSet<unsigned> classes;
  for (ValueDim dim : classDims)
    if (!isUnsplittable(dim))
      classes.insert(find(dim));
  for (const WeightUse &use : uses)
    if (classes.contains(find({use.param, use.dim})))
      taken.insert(use.param);

  llvm::DenseSet<unsigned> heads;
  for (ValueDim dim : headDims)
    heads.insert(find(dim));

  struct Candidate {
    bool hasHeads;
    int64_t size; ///< elements of its parameters
    Choice choice;
  };
  std::vector<Candidate> sized;
  for (auto &[component, choice] : candidates) {
    bool hasRow = llvm::any_of(choice.uses, [](auto &u) { return u.isRow; });
    bool hasColumn =
        llvm::any_of(choice.uses, [](auto &u) { return !u.isRow; });
    if (!hasRow || !hasColumn || dead.contains(component))
      continue;
    llvm::SetVector<unsigned> params;
    for (const WeightUse &use : choice.uses)
      params.insert(use.param);
    int64_t size = 0;
    for (unsigned param : params)
      size += program[param].type.getNumElements();
    sized.push_back({heads.contains(component), size, std::move(choice)});
  }
  // A layer before a key/value projection is column, then row parallel, too;
  // but without its heads attention cannot be split at all. Ties go to the
  // component whose first contraction comes first.
  llvm::sort(sized, [](const Candidate &a, const Candidate &b) {
    if (a.hasHeads != b.hasHeads)
      return a.hasHeads;
    return a.size != b.size ? a.size > b.size
                            : a.choice.uses[0].op < b.choice.uses[0].op;
  });

  std::vector<Choice> chosen;
  for (Candidate &candidate : sized) {
    if (llvm::any_of(candidate.choice.uses,
                     [&](auto &use) { return taken.contains(use.param); }))
      continue;
    for (const WeightUse &use : candidate.choice.uses)
      taken.insert(use.param);
    chosen.push_back(std::move(candidate.choice));
  }
  return chosen;
}
