//===- FirstWriters.cpp - First writers of gradients ----------------------===//
//
// Tasks are built to add to gradients, and the update to clear them. The
// schedule determines the first run that adds to a cleared gradient. That run
// overwrites the gradient instead, and the clear is removed:
//
//     run             gradient of a table that is used twice
//     @backward.2 0   overwrites, by a body without the sum
//     @backward.0 0   adds
//     @backward.2 1   adds
//     @backward.0 1   adds
//     @update.0       reads, no longer clears
//
// So the clears determine how often a gradient is initialized: once per step,
// or once per microbatch if a task of every microbatch clears it.
//
// The gradients of a bucket are cleared together, so they are initialized by
// their first writers only if all of them can be. Tasks that share a body and
// initialize the same arguments also share the body of first runs.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipeline/FirstWriters.h"
#include "analysis/Buckets.h"
#include "dialects/Dist/Dist.h"
#include "passes/Sharding/VerifyLayouts.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

/// Returns the sum that adds to an argument's contents and whose result
/// replaces them; null if the argument has other uses.
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

FirstWriters::FirstWriters(ModuleOp module) : module(module), symbols(module) {
  findInitialized();
}

SmallVector<StringRef> FirstWriters::gradientsOf(Attribute binding) const {
  auto symbol = dyn_cast<FlatSymbolRefAttr>(binding);
  if (!symbol || !nn::isGradients(symbols, symbol.getValue()))
    return {};
  return nn::heldBy(symbols.lookup<nn::StateOp>(symbol.getValue()));
}

void FirstWriters::findInitialized() {
  llvm::DenseSet<OnStage> others;
  llvm::DenseSet<int64_t> stages;
  for (auto task : module.getOps<TaskOp>()) {
    int64_t stage = task.getStage();
    stages.insert(stage);
    BodyOp body = bodyOf(task);
    for (unsigned i = 0; i < task.getSources().size(); ++i) {
      std::optional<unsigned> result = body.getReplacing(i);
      // A value that takes the gradient's buffer does not write the gradient.
      if (!result || isUniformZero(body.getResults()[*result]) ||
          task.getTargets()[*result] != task.getSources()[i])
        continue;
      bool isAdded = task.isPerMicrobatch() && findSum(body, i);
      for (StringRef name : gradientsOf(task.getSources()[i]))
        (isAdded ? begun : others).insert({name, stage});
    }
  }
  for (OnStage other : others)
    begun.erase(other);
  for (auto state : module.getOps<nn::StateOp>()) {
    if (!nn::isBucket(state))
      continue;
    SmallVector<StringRef> held = nn::heldBy(state);
    for (int64_t stage : stages)
      if (!llvm::all_of(held, [&](StringRef name) {
            return begun.contains({name, stage});
          }))
        for (StringRef name : held)
          begun.erase({name, stage});
  }
}

SmallVector<unsigned> FirstWriters::findClears(TaskOp task) const {
  SmallVector<unsigned> clears;
  BodyOp body = bodyOf(task);
  for (auto [i, value] : llvm::enumerate(body.getResults())) {
    SmallVector<StringRef> names = gradientsOf(task.getTargets()[i]);
    // All gradients of a bucket are initialized together.
    if (body.getReplaced(i) && isUniformZero(value) && !names.empty() &&
        begun.contains({names.front(), task.getStage()}))
      clears.push_back(i);
  }
  return clears;
}

FirstWriters::Runs FirstWriters::runsOf(TaskOp task) const {
  Runs found;
  BodyOp body = bodyOf(task);
  int64_t stage = task.getStage();
  for (unsigned i = 0; i < task.getSources().size(); ++i) {
    SmallVector<StringRef> names = gradientsOf(task.getSources()[i]);
    if (names.size() == 1 && begun.contains({names.front(), stage}) &&
        findSum(body, i))
      found.adds.push_back({i, {names.front(), stage}});
    std::optional<unsigned> result = body.getReplacing(i);
    if (result && task.getTargets()[*result] != task.getSources()[i])
      for (StringRef name : names)
        found.clears.push_back({name, stage});
  }
  for (unsigned i : findClears(task))
    for (StringRef name : gradientsOf(task.getTargets()[i]))
      found.clears.push_back({name, stage});
  return found;
}

void FirstWriters::note(TaskOp task) {
  auto [it, isNew] = runs.try_emplace(task);
  Runs &known = it->second;
  if (isNew)
    known = runsOf(task);
  SmallVector<unsigned> begins;
  for (auto [argument, gradient] : known.adds)
    if (full.insert(gradient).second)
      begins.push_back(argument);
  if (known.count++ == 0)
    known.first = begins;
  else if (known.count == 2)
    known.later = begins;
  else
    known.isRegular &= known.later == begins;
  for (OnStage gradient : known.clears)
    full.erase(gradient);
}

bool FirstWriters::firstRunDiffers(TaskOp task) const {
  auto known = runs.find(task);
  return known != runs.end() && known->second.count > 1 &&
         known->second.first != known->second.later;
}

void FirstWriters::apply(const Change &change, BodyOp body) {
  const auto &[begins, clears] = change;
  for (unsigned i : begins) {
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
  SmallVector<unsigned> dropped = findUnused(change, body);
  for (unsigned i : llvm::reverse(clears)) {
    Operation *cleared = yield.getOperand(i).getDefiningOp();
    yield->eraseOperand(i);
    if (cleared->use_empty())
      cleared->erase();
    into.erase(into.begin() + i);
  }
  for (unsigned argument : llvm::reverse(dropped)) {
    body.getBlock()->eraseArgument(argument);
    if (auto lie = body->getAttrOfType<ArrayAttr>(dist::kArgumentsAttr)) {
      SmallVector<Attribute> rest(lie.getValue());
      rest.erase(rest.begin() + argument);
      body->setAttr(dist::kArgumentsAttr,
                    ArrayAttr::get(module.getContext(), rest));
    }
    for (int64_t &place : into)
      place -= place > int64_t(argument);
  }
  body.setInto(into);
}

/// Returns the arguments that a body takes only to clear them.
SmallVector<unsigned> FirstWriters::findUnused(const Change &change,
                                               BodyOp body) {
  SmallVector<unsigned> unused;
  for (unsigned i : change.second)
    if (body.getBlock()->getArgument(*body.getReplaced(i)).use_empty())
      unused.push_back(*body.getReplaced(i));
  llvm::sort(unused);
  return unused;
}

void FirstWriters::finish(BodyOp body,
                          const std::map<Change, SmallVector<Call>> &groups) {
  // One group changes the body in place: the first one with a call that is not
  // of a first run. The other groups get clones.
  const Change *kept = nullptr;
  for (auto &[change, calls] : groups)
    if (!kept && llvm::any_of(calls, [](Call call) { return !call.isFirst; }))
      kept = &change;
  auto give = [&](BodyOp changed, const Change &change, ArrayRef<Call> calls) {
    SmallVector<unsigned> dropped = findUnused(change, changed);
    apply(change, changed);
    auto callee = FlatSymbolRefAttr::get(changed.getSymNameAttr());
    for (Call call : calls) {
      if (call.isFirst) {
        call.task.setFirstAttr(callee);
        continue;
      }
      call.task.setBodyAttr(callee);
      SmallVector<Attribute> targets(call.task.getTargets().getValue());
      for (unsigned i : llvm::reverse(change.second))
        targets.erase(targets.begin() + i);
      call.task.setTargetsAttr(ArrayAttr::get(module.getContext(), targets));
      SmallVector<Attribute> sources(call.task.getSources().getValue());
      for (unsigned i : llvm::reverse(dropped))
        sources.erase(sources.begin() + i);
      call.task.setSourcesAttr(ArrayAttr::get(module.getContext(), sources));
    }
  };
  for (auto &[change, calls] : groups) {
    if (&change == kept)
      continue;
    BodyOp changed = body.clone();
    changed.setSymName((body.getSymName() + ".first").str());
    symbols.insert(changed, std::next(Block::iterator(body)));
    give(changed, change, calls);
  }
  if (kept)
    give(body, *kept, groups.at(*kept));
}

LogicalResult FirstWriters::finish() {
  llvm::MapVector<Operation *, std::map<Change, SmallVector<Call>>> all;
  for (auto task : module.getOps<TaskOp>()) {
    Runs known = runs.lookup(task);
    if (!known.isRegular)
      return emitError(task.getLoc()) << "task '" << task.getSymName()
                                      << "' initializes other gradients in its "
                                         "third run than in its second";
    SmallVector<unsigned> clears = findClears(task);
    bool isApart = firstRunDiffers(task);
    auto &groups = all[bodyOf(task)];
    groups[{isApart ? known.later : known.first, clears}].push_back(
        {task, false});
    if (isApart)
      groups[{known.first, clears}].push_back({task, true});
  }
  for (auto &[body, groups] : all)
    finish(cast<BodyOp>(body), groups);
  return success();
}
