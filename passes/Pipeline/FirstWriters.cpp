//===- FirstWriters.cpp - Which runs begin a gradient ---------------------===//
//
// Tasks are made to add to gradients, and the update to clear them. Once the
// order of runs is known, the first one of a step that adds to a gradient puts
// its part there instead, and the clear goes:
//
//     run             gradient of a table that is used twice
//     @backward.2 0   put, by a body without the sum
//     @backward.0 0   add
//     @backward.2 1   add
//     @backward.0 1   add
//     @update.0       read, no longer cleared
//
// Tasks that share a body and begin the same of its arguments share that of
// their first runs, too.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipeline/FirstWriters.h"
#include "dialects/NN/NN.h"
#include <map>

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

bool FirstWriters::isGradient(StringRef symbol) const {
  auto state = symbols.lookup<nn::StateOp>(symbol);
  return state && state.getKind() == nn::StateKind::Gradient;
}

/// The sum that adds to an argument what a result puts there; null if the
/// argument goes elsewhere too.
static nn::SumOp findSum(BodyOp body, unsigned argument) {
  BlockArgument before = body.getBlock()->getArgument(argument);
  std::optional<unsigned> result = body.getReplacing(argument);
  if (!result || !before.hasOneUse())
    return {};
  auto sum = dyn_cast<nn::SumOp>(*before.user_begin());
  for (nn::SumOp at = sum; at;) {
    Value value = at.getResult();
    if (value == body.getResults()[*result])
      return sum;
    if (!value.hasOneUse())
      return {};
    at = dyn_cast<nn::SumOp>(*value.user_begin());
  }
  return {};
}

bool FirstWriters::note(TaskOp task) {
  auto body = symbols.lookup<BodyOp>(task.getBody());
  bool isFirst = false;
  for (unsigned i = 0; i < task.getSources().size(); ++i)
    if (isGradient(task.getSource(i)) && findSum(body, i) &&
        begun.insert({task.getSources()[i], task.getStage()}).second) {
      first[task].push_back(i);
      isFirst = true;
    }
  return isFirst;
}

SmallVector<unsigned> FirstWriters::findClears(TaskOp task) {
  SmallVector<unsigned> clears;
  auto body = symbols.lookup<BodyOp>(task.getBody());
  for (auto [i, value] : llvm::enumerate(body.getResults()))
    if (body.getReplaced(i) && value.getDefiningOp<nn::ConstantOp>() &&
        begun.contains({task.getTargets()[i], task.getStage()}))
      clears.push_back(i);
  return clears;
}

void FirstWriters::apply(const Change &change, BodyOp body) {
  const auto &[begun, left] = change;
  for (unsigned i : begun) {
    nn::SumOp sum = findSum(body, i);
    SmallVector<Value> rest;
    for (Value input : sum.getInputs())
      if (input != body.getBlock()->getArgument(i))
        rest.push_back(input);
    if (rest.size() > 1) {
      sum.getInputsMutable().assign(rest);
    } else {
      sum.getResult().replaceAllUsesWith(rest.front());
      sum.erase();
    }
  }
  auto yield = cast<YieldOp>(body.getBlock()->getTerminator());
  SmallVector<int64_t> into(body.getInto());
  for (unsigned i : llvm::reverse(left)) {
    Operation *cleared = yield.getOperand(i).getDefiningOp();
    yield->eraseOperand(i);
    if (cleared->use_empty())
      cleared->erase();
    into.erase(into.begin() + i);
  }
  body.setInto(into);
}

void FirstWriters::finish(int64_t microbatches) {
  llvm::MapVector<Attribute, std::map<Change, SmallVector<TaskOp>>> changes;
  // How many call a body as it is.
  llvm::DenseMap<Attribute, int64_t> callers;
  for (auto task : module.getOps<TaskOp>()) {
    ++callers[task.getBodyAttr()];
    Change change = {first.lookup(task), findClears(task)};
    if (change != Change())
      changes[task.getBodyAttr()][change].push_back(task);
  }
  for (auto &[name, groups] : changes) {
    auto body =
        symbols.lookup<BodyOp>(cast<FlatSymbolRefAttr>(name).getValue());
    for (auto &[change, tasks] : groups) {
      bool hasOtherRuns = !change.first.empty() && microbatches > 1;
      if (!hasOtherRuns)
        callers[name] -= tasks.size();
      BodyOp changed = body;
      // The last one needs no copy if nobody calls it otherwise.
      if (callers[name] > 0) {
        changed = body.clone();
        changed.setSymName((body.getSymName() + ".first").str());
        symbols.insert(changed, std::next(Block::iterator(body)));
      }
      apply(change, changed);
      auto callee = FlatSymbolRefAttr::get(changed.getSymNameAttr());
      for (TaskOp task : tasks) {
        SmallVector<Attribute> targets(task.getTargets().getValue());
        for (unsigned i : llvm::reverse(change.second))
          targets.erase(targets.begin() + i);
        task.setTargetsAttr(ArrayAttr::get(module.getContext(), targets));
        if (hasOtherRuns)
          task.setFirstAttr(callee);
        else
          task.setBodyAttr(callee);
      }
    }
  }
}
