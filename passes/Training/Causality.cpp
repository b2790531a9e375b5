//===- Causality.cpp - Whether a model predicts what it has not seen ------===//
//
// A language model may be trained to predict the next token only if no position
// sees it. Positions are followed through the program; an op that joins several
// may show one a later one, unless it is an attention whose flag, or a mask
// among what is added to its scores (a sliding window, say), removes every key
// after the query. What cannot be shown is taken to look ahead.
//
//===----------------------------------------------------------------------===//

#include "passes/Training/Causality.h"
#include "frontend/Masks.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LoopTracker.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// Where the positions of the tokens lie. Attention is the op that may take
/// from several positions: from those up to its own.
class PositionTracker : public LoopTracker {
public:
  using LoopTracker::LoopTracker;

private:
  bool visitSpecial(Operation *op, std::string &problem) override;

  /// Biases that were looked at: layers share them.
  DenseMap<Value, bool> isMask;
};

} // namespace

bool PositionTracker::visitSpecial(Operation *op, std::string &problem) {
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention) {
    // Keys and values with sinks behind them, which are of no position.
    auto takesSinks = [](Operation *user) {
      auto reader = dyn_cast<AttentionOp>(user);
      return reader && frontend::hasSinks(reader);
    };
    if (!isa<ConcatOp>(op) || op->use_empty() ||
        !llvm::all_of(op->getUsers(), takesSinks))
      return false;
    if (const Place *from = find(op->getOperand(0)))
      place(op->getResult(0), Place(*from));
    return true;
  }
  bool isKnown = false;
  if (attention.getBias()) {
    auto [it, isNew] = isMask.try_emplace(attention.getBias(), false);
    if (isNew)
      it->second = frontend::isCausal(attention);
    isKnown = it->second;
  } else {
    isKnown = frontend::isCausal(attention);
  }
  if (!isKnown) {
    problem = "is an attention in which a position sees those after it";
    return true;
  }
  for (Value value : {attention.getQ(), attention.getK(), attention.getV()}) {
    const Place *from = find(value);
    if (from && !from->isApart(1))
      problem = "is an attention between other things than positions";
    if (from)
      for (Value result : op->getResults())
        place(result, {Place::Apart, 1, 1});
  }
  return true;
}

LookAhead pcc::findLookAhead(func::FuncOp function, Value tokens,
                             Value output) {
  // What the output does not need may do as it likes.
  DenseSet<Value> needed = {output};
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (llvm::any_of(op.getResults(),
                     [&](Value result) { return needed.contains(result); }))
      needed.insert(op.operand_begin(), op.operand_end());
  PositionTracker tracker("positions", tensorType(tokens).getDimSize(1),
                          /*mayCount=*/true);
  tracker.start(tokens, 1);
  for (Operation &op : function.getBody().front()) {
    if (llvm::none_of(op.getResults(),
                      [&](Value result) { return needed.contains(result); }))
      continue;
    std::string problem = tracker.visit(&op);
    if (llvm::any_of(op.getResults(), [&](Value result) {
          const LoopTracker::Place *place = tracker.find(result);
          return place && place->kind == LoopTracker::Place::Added;
        }))
      problem = "adds over positions";
    if (problem.empty())
      continue;
    if (!isa<AttentionOp>(op))
      problem = "may take from later positions: it " + problem;
    return {&op, problem};
  }
  const LoopTracker::Place *place = tracker.find(output);
  if (place && !place->isApart(1))
    return {output.getDefiningOp(), "moves positions"};
  return {};
}
