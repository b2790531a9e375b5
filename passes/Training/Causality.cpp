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
#include "passes/Training/DependenceTracker.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

using Index = DependenceBound::Shape;

namespace {
struct Element {
  Value value;
  Index index;
};
} // namespace

/// The index of the first element whose bound is at least `sees`, with the
/// given index of some dims (-1: any); empty if there is none.
static std::optional<Index> findSeeing(const DependenceBound &bound,
                                       ArrayRef<int64_t> wanted, int32_t sees) {
  std::optional<Index> found;
  bound.forEach([&](DependenceBound::Index index, int32_t position) {
    if (found || position < sees)
      return;
    for (auto [d, i] : llvm::enumerate(wanted))
      if (i >= 0 && bound.varies(d) && index[d] != i)
        return;
    found = Index(index);
  });
  return found;
}

/// The operand element through which `element` depends on position `sees`. Sets
/// `movesAlong` for a slice, pad, select or insert, and where a sharding rule
/// lets the op read the operand at any index along a dim.
static std::optional<Element> sourceOf(const DependenceTracker &bounds,
                                       const Element &element, int32_t sees,
                                       bool &movesAlong) {
  Operation *op = element.value.getDefiningOp();
  const Index &index = element.index;
  std::optional<Element> first;
  auto offer = [&](Value operand, ArrayRef<int64_t> wanted) {
    std::optional<Index> found = findSeeing(bounds.of(operand), wanted, sees);
    if (found && !first)
      first = {operand, *found};
    return found.has_value();
  };
  // The ops of movedFrom().
  if (isa<SliceOp, PadOp, SelectOp, InsertOp>(op)) {
    if (std::optional<Index> from = movedFrom(op, index))
      offer(op->getOperand(0), *from);
    movesAlong = true;
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
    for (bool mayMove : {false, true})
      for (auto [operand, dims] :
           llvm::zip_equal(op->getOperands(), rule.operands)) {
        Index wanted;
        bool isFree = false;
        for (auto [d, loop] : llvm::enumerate(loopsOf(rule, dims))) {
          auto at = llvm::find(loops, loop);
          bool isFixed =
              loop >= 0 && at != loops.end() && !rule.factors[loop].unshardable;
          wanted.push_back(isFixed ? index[at - loops.begin()] : -1);
          isFree |= !isFixed && bounds.of(operand).varies(d);
        }
        if (!first && isFree == mayMove && offer(operand, wanted))
          movesAlong = isFree;
      }
  }
  if (!first)
    for (Value operand : op->getOperands())
      offer(operand, Index(tensorType(operand).getRank(), -1));
  return first;
}

/// The op, on a path from an element back to the tokens, through which the
/// element depends on a token after `position`.
static Operation *blame(const DependenceTracker &bounds, Element element,
                        int64_t position) {
  int32_t sees = bounds.of(element.value).at(element.index);
  Operation *last = nullptr;
  while (Operation *op = element.value.getDefiningOp()) {
    bool movesAlong = false;
    std::optional<Element> from = sourceOf(bounds, element, sees, movesAlong);
    if (!from)
      return op;
    // The op reads at an index after `position` along a dim, where the element
    // at `position` has a lower bound.
    DependenceBound bound = bounds.of(from->value);
    for (auto [d, i] : llvm::enumerate(from->index)) {
      Index own = from->index;
      own[d] = position;
      if (movesAlong && i > position && bound.varies(d) && bound.at(own) < sees)
        return op;
    }
    if (movesAlong || !last)
      last = op;
    element = *from;
  }
  return last;
}

LookAhead pcc::findLookAhead(func::FuncOp function, BlockArgument tokens,
                             Value output) {
  // Only ops that the output needs are visited.
  DenseSet<Value> needed = neededFor(output);
  DependenceTracker bounds;
  size_t sequence = *dimsOf(tokens).sequence;
  int64_t length = tensorType(tokens).getDimSize(sequence);
  bounds.set(tokens, DependenceBound::along(2, sequence, length));
  for (Operation &op : function.getBody().front())
    if (hasResultOf(needed, &op))
      bounds.visit(&op);
  // Find the first position that depends on a later token.
  DependenceBound seen = bounds.of(output);
  DependenceBound here =
      seen.reduce([sequence](size_t d) { return d != sequence; });
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
    return {blame(bounds, {output, index}, t), t, sees};
  }
  return {};
}
