//===- Causality.cpp - Detects outputs that see later tokens --------------===//
//
// A language model can be trained to predict the next token only if no output
// position has a dependence bound after itself. For a position that has one, a
// path is traced back to the later token, and the op on it that looks ahead is
// reported.
//
//===----------------------------------------------------------------------===//

#include "passes/Training/Causality.h"
#include "analysis/Dependence.h"
#include "dialects/NN/Roles.h"
#include "passes/Training/HorizonTracker.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

using Index = Horizon::Shape;

namespace {
struct Element {
  Value value;
  Index index;
};
} // namespace

/// The index of the first element whose bound is at least `sees`, with the
/// given index of some dims (-1: any); empty if there is none.
static std::optional<Index> findSeeing(const Horizon &horizon,
                                       ArrayRef<int64_t> wanted, int32_t sees) {
  std::optional<Index> found;
  horizon.forEach([&](Horizon::Index index, int32_t position) {
    if (found || position < sees)
      return;
    for (auto [d, i] : llvm::enumerate(wanted))
      if (i >= 0 && horizon.varies(d) && index[d] != i)
        return;
    found = Index(index);
  });
  return found;
}

/// The operand element through which `element` depends on position `sees`. Sets
/// `joins` if the op reads it at another index along some dim.
static std::optional<Element> sourceOf(const HorizonTracker &horizons,
                                       const Element &element, int32_t sees,
                                       bool &joins) {
  Operation *op = element.value.getDefiningOp();
  const Index &index = element.index;
  std::optional<Element> first;
  auto offer = [&](Value operand, ArrayRef<int64_t> wanted) {
    std::optional<Index> found = findSeeing(horizons.of(operand), wanted, sees);
    if (found && !first)
      first = {operand, *found};
    return found.has_value();
  };
  if (isa<SliceOp, PadOp, SelectOp, InsertOp>(op)) {
    if (std::optional<Index> from = movedFrom(op, index))
      offer(op->getOperand(0), *from);
    joins = true;
  } else if (auto joined = dyn_cast<ConcatOp>(op)) {
    Index from = index;
    for (Value input : joined.getInputs()) {
      int64_t extent = tensorType(input).getShape()[joined.getDim()];
      if (from[joined.getDim()] >= 0 && from[joined.getDim()] < extent)
        offer(input, from);
      from[joined.getDim()] -= extent;
    }
  } else if (auto ruled = dyn_cast<ShardingRuleInterface>(op);
             ruled && !isa<ReshapeOp>(op)) {
    ShardingRule rule = ruled.getShardingRule();
    auto number = cast<OpResult>(element.value).getResultNumber();
    SmallVector<int> loops = loopsOf(rule, rule.results[number]);
    // Prefer operands that are read at the same index.
    for (bool mayJoin : {false, true})
      for (auto [operand, dims] :
           llvm::zip_equal(op->getOperands(), rule.operands)) {
        Index wanted;
        bool isFree = false;
        for (auto [d, loop] : llvm::enumerate(loopsOf(rule, dims))) {
          auto at = llvm::find(loops, loop);
          bool isFixed =
              loop >= 0 && at != loops.end() && !rule.factors[loop].unshardable;
          wanted.push_back(isFixed ? index[at - loops.begin()] : -1);
          isFree |= !isFixed && horizons.of(operand).varies(d);
        }
        if (!first && isFree == mayJoin && offer(operand, wanted))
          joins = isFree;
      }
  }
  if (!first)
    for (Value operand : op->getOperands())
      offer(operand, Index(tensorType(operand).getRank(), -1));
  return first;
}

/// The op, on a path from an element back to the tokens, through which the
/// element depends on a token after `position`.
static Operation *blame(const HorizonTracker &horizons, Element element,
                        int64_t position) {
  int32_t sees = horizons.of(element.value).at(element.index);
  Operation *last = nullptr;
  while (Operation *op = element.value.getDefiningOp()) {
    bool joins = false;
    std::optional<Element> from = sourceOf(horizons, element, sees, joins);
    if (!from)
      return op;
    // The op reads at an index after `position` along a dim, where the element
    // at `position` has a lower bound.
    Horizon horizon = horizons.of(from->value);
    for (auto [d, i] : llvm::enumerate(from->index)) {
      Index own = from->index;
      own[d] = position;
      if (joins && i > position && horizon.varies(d) && horizon.at(own) < sees)
        return op;
    }
    if (joins || !last)
      last = op;
    element = *from;
  }
  return last;
}

LookAhead pcc::findLookAhead(func::FuncOp function, BlockArgument tokens,
                             Value output) {
  // Only ops that the output needs are visited.
  DenseSet<Value> needed = neededFor(output);
  HorizonTracker horizons;
  size_t sequence = *dimsOf(tokens).sequence;
  int64_t length = tensorType(tokens).getDimSize(sequence);
  horizons.set(tokens, Horizon::along(2, sequence, length));
  for (Operation &op : function.getBody().front())
    if (hasResultOf(needed, &op))
      horizons.visit(&op);
  // Find the first position that depends on a later token.
  Horizon seen = horizons.of(output);
  Horizon here = seen.reduce([sequence](size_t d) { return d != sequence; });
  Index at(seen.shape().size(), 0);
  for (int64_t t = 0; t < length; ++t) {
    at[sequence] = t;
    int32_t sees = here.at(at);
    if (sees <= t)
      continue;
    Index wanted(at.size(), -1);
    wanted[sequence] = t;
    Index index = *findSeeing(seen, wanted, sees);
    index[sequence] = t;
    return {blame(horizons, {output, index}, t), t, sees};
  }
  return {};
}
