//===- Ownership.cpp - Which stage keeps a parameter or a sum -------------===//

#include "passes/Pipeline/Ownership.h"
#include "analysis/Buckets.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "passes/Training/Entry.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// A symbol on one stage.
using OnStage = std::pair<StringRef, int64_t>;

/// What a task does to a parameter or state that it names.
struct Use {
  StringRef symbol;
  /// Its value goes into something else than itself.
  bool isRead;
  /// What is there is added to.
  bool isAddedTo;
  /// What is there afterwards does not depend on what was.
  bool isCleared;
  /// Likewise, by what a microbatch puts there.
  bool isBegun;
};

/// What the tasks of a program do where.
struct StateUses {
  llvm::DenseSet<OnStage> trained;
  /// Sums that are read, and cleared, once all microbatches have run.
  llvm::DenseSet<OnStage> read, cleared;
  /// Those that a run begins anew in every step.
  llvm::DenseSet<OnStage> begun;
};

class Ownership {
public:
  explicit Ownership(ModuleOp module) : module(module), symbols(module) {}
  LogicalResult check();

private:
  bool isOfParam(StringRef symbol);
  /// The first of what a bucket's members are, or the symbol itself.
  StringRef firstOf(StringRef symbol);
  /// The first parameter that a state is a copy of; else empty.
  StringRef copiedBy(StringRef symbol);
  LogicalResult checkNames(TaskOp task);
  bool isSum(StringRef symbol);
  void addUses(TaskOp task, BodyOp body, SmallVectorImpl<Use> &uses);
  SmallVector<Use> usesOf(TaskOp task);
  LogicalResult checkReplaced(TaskOp task, BodyOp body);
  StateUses findUses();

  ModuleOp module;
  SymbolTable symbols;
};

} // namespace

/// Whether a value is `sum`, or added to it by sums. Sets `isRead` if it, or a
/// sum on the way, is used for something else too.
static bool isTermOf(Value value, Value sum, bool &isRead) {
  bool isTerm = value == sum;
  for (Operation *user : value.getUsers()) {
    bool isAdded =
        isa<nn::SumOp>(user) && isTermOf(user->getResult(0), sum, isRead);
    bool isGiven = isa<YieldOp>(user) && value == sum;
    isRead |= !isAdded && !isGiven;
    isTerm |= isAdded;
  }
  return isTerm;
}

/// Whether it is a parameter, or a copy of one.
bool Ownership::isOfParam(StringRef symbol) {
  auto state = symbols.lookup<nn::StateOp>(symbol);
  return symbols.lookup<nn::ParamOp>(symbol) ||
         (state && state.getKind() == nn::StateKind::Copy);
}

StringRef Ownership::firstOf(StringRef symbol) {
  auto state = symbols.lookup<nn::StateOp>(symbol);
  return state ? nn::heldBy(state).front() : symbol;
}

StringRef Ownership::copiedBy(StringRef symbol) {
  auto state = symbols.lookup<nn::StateOp>(firstOf(symbol));
  return state && state.getKind() == nn::StateKind::Copy ? *state.getOf() : "";
}

/// A bucket and its members are names of the same memory, and so are a part and
/// its row: what a task does to one, it would not see in the other. A gather
/// makes a row of a part of it.
LogicalResult Ownership::checkNames(TaskOp task) {
  llvm::StringMap<StringRef> known, parts;
  SmallVector<StringRef> names = task.getBoundSymbols();
  for (StringRef name : names) {
    auto state = symbols.lookup<nn::StateOp>(name);
    if (!state)
      continue;
    auto row = symbols.lookup<nn::StateOp>(nn::rowOf(state));
    auto &others = row == state ? known : parts;
    if (nn::isBucket(row))
      for (StringRef member : nn::heldBy(row))
        others[member] = state.getSymName();
    if (row != state)
      parts[row.getSymName()] = state.getSymName();
  }
  for (StringRef name : names)
    if (parts.contains(name) && task.getPhase() != Phase::Gather)
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' uses '" << name
             << "' beside '" << parts.lookup(name)
             << "', which is a part of it or of what it lies in";
  for (StringRef name : names)
    if (known.contains(name))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' uses '" << name
             << "' beside '" << known.lookup(name) << "', which it lies in";
  return success();
}

bool Ownership::isSum(StringRef symbol) {
  auto state = symbols.lookup<nn::StateOp>(symbol);
  return state && (state.getKind() == nn::StateKind::Gradient ||
                   state.getKind() == nn::StateKind::Sum);
}

void Ownership::addUses(TaskOp task, BodyOp body, SmallVectorImpl<Use> &uses) {
  for (BlockArgument argument : body.getBlock()->getArguments()) {
    unsigned i = argument.getArgNumber();
    StringRef symbol = task.getSource(i);
    if (!isa_and_nonnull<nn::ParamOp, nn::StateOp>(symbols.lookup(symbol)))
      continue;
    std::optional<unsigned> result = body.getReplacing(i);
    bool isRead = false;
    // It may go on as a value, and where it was.
    if (result && task.getTarget(*result) != symbol)
      result.reset();
    for (auto [i, value] : llvm::enumerate(body.getResults()))
      isRead |= value == argument && task.getTarget(i) != symbol;
    bool isAddedTo = isTermOf(
        argument, result ? body.getResults()[*result] : Value(), isRead);
    auto state = symbols.lookup<nn::StateOp>(symbol);
    SmallVector<StringRef> held = {symbol};
    if (state)
      held = nn::heldBy(state);
    for (StringRef name : held) {
      bool isBegun =
          result && task.isPerMicrobatch() && body.overwrites(i) && isSum(name);
      bool isCleared = result && !isAddedTo && !isBegun;
      uses.push_back({name, isRead, isAddedTo, isCleared, isBegun});
    }
  }
}

SmallVector<Use> Ownership::usesOf(TaskOp task) {
  SmallVector<Use> uses;
  addUses(task, symbols.lookup<BodyOp>(task.getBody()), uses);
  if (task.getFirst())
    addUses(task, symbols.lookup<BodyOp>(*task.getFirst()), uses);
  return uses;
}

StateUses Ownership::findUses() {
  StateUses found;
  for (auto task : module.getOps<TaskOp>())
    for (const Use &use : usesOf(task)) {
      OnStage here = {use.symbol, task.getStage()};
      bool isReduced = task.getPhase() == Phase::ReduceEach;
      if (use.isRead && (isReduced || !task.isPerMicrobatch()))
        found.read.insert(here);
      else if (use.isRead && task.getEntry() == Entry::Train)
        found.trained.insert(here);
      if (use.isCleared)
        found.cleared.insert(here);
      if (use.isBegun)
        found.begun.insert(here);
    }
  return found;
}

/// What a value goes on from: all that it is computed from, but of a step of
/// the optimizer only the old value of what the result is the new one of.
static llvm::SetVector<Value> findOrigins(Value value) {
  llvm::SetVector<Value> origins;
  origins.insert(value);
  for (unsigned i = 0; i < origins.size(); ++i) {
    Value next = origins[i];
    Operation *op = next.getDefiningOp();
    if (auto adamw = dyn_cast_or_null<nn::AdamWOp>(op))
      origins.insert(next == adamw.getNewParam()    ? adamw.getParam()
                     : next == adamw.getNewExpAvg() ? adamw.getExpAvg()
                                                    : adamw.getExpAvgSq());
    else if (op)
      origins.insert(op->operand_begin(), op->operand_end());
  }
  return origins;
}

/// Whether a number is counted on from what it was: it stays as it is, has
/// something added to it, or begins at zero again, whatever is asked before.
static bool isCountedFrom(Value value, Value before) {
  if (value == before)
    return true;
  Operation *op = value.getDefiningOp();
  if (auto choice = dyn_cast_or_null<nn::WhereOp>(op))
    return isCountedFrom(choice.getLhs(), before) &&
           isCountedFrom(choice.getRhs(), before);
  if (auto sum = dyn_cast_or_null<nn::SumOp>(op))
    return llvm::is_contained(sum.getOperands(), before);
  auto constant = dyn_cast_or_null<nn::ConstantOp>(op);
  auto number = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                         : DenseElementsAttr();
  return number && number.isSplat() && number.getSplatValue<APInt>().isZero();
}

/// Microbatches only add, for there are others, or are the first to write (see
/// Accumulators.cpp), or clear what they reduce. At the end of a step a state
/// begins anew, or goes on from what it was.
LogicalResult Ownership::checkReplaced(TaskOp task, BodyOp body) {
  for (const Use &use : usesOf(task))
    if (use.isCleared && task.isPerMicrobatch() &&
        !(use.isRead && task.getPhase() == Phase::ReduceEach))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' replaces '" << use.symbol
             << "', to which a microbatch may only add";
  for (auto [i, value] : llvm::enumerate(body.getResults())) {
    std::optional<unsigned> replaced = body.getReplaced(i);
    bool isBegun = replaced && task.isPerMicrobatch() &&
                   body.overwrites(*replaced) && isSum(task.getTarget(i));
    if (!replaced || isBegun || task.getTarget(i) != task.getSource(*replaced))
      continue;
    Value before = body.getBlock()->getArgument(*replaced);
    if (value == before)
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' replaces '"
             << task.getTarget(i) << "' by itself";
    llvm::SetVector<Value> origins = findOrigins(value);
    // What is gathered is made anew (see Freshness.cpp).
    if (task.getPhase() == Phase::Gather)
      continue;
    // A copy follows its parameter.
    if (StringRef param = copiedBy(task.getTarget(i)); !param.empty())
      for (BlockArgument argument : body.getBlock()->getArguments())
        if (firstOf(task.getSource(argument.getArgNumber())) == param)
          before = argument;
    if (llvm::any_of(origins, llvm::IsaPred<BlockArgument>) &&
        !origins.contains(before))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' replaces '"
             << task.getTarget(i) << "' by what does not go on from it";
    if (!task.isPerMicrobatch() &&
        isa<IntegerType>(getElementTypeOrSelf(value)) &&
        llvm::any_of(origins, llvm::IsaPred<BlockArgument>) &&
        !isCountedFrom(value, before))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' replaces '"
             << task.getTarget(i) << "' by what is not counted on from it";
  }
  return success();
}

LogicalResult Ownership::check() {
  StateUses all = findUses();
  for (auto task : module.getOps<TaskOp>()) {
    if (failed(checkNames(task)) ||
        failed(checkReplaced(task, symbols.lookup<BodyOp>(task.getBody()))) ||
        (task.getFirst() &&
         failed(checkReplaced(task, symbols.lookup<BodyOp>(*task.getFirst())))))
      return failure();
    // A forward-only program trains nothing.
    if (!task.isPerMicrobatch() || task.getEntry() == Entry::Forward)
      continue;
    int64_t stage = task.getStage();
    for (const Use &use : usesOf(task)) {
      OnStage here = {use.symbol, stage};
      if (use.isRead && isOfParam(use.symbol) && !all.trained.contains(here))
        return emitError(task.getLoc())
               << "task '" << task.getSymName() << "' evaluates parameter '"
               << use.symbol << "', which stage " << stage << " does not train";
      if (!use.isAddedTo && !use.isBegun)
        continue;
      // What is added up ahead of the microbatches is for them.
      auto state = symbols.lookup<nn::StateOp>(use.symbol);
      auto &readers =
          state && state->hasAttr(nn::kAheadAttr) ? all.trained : all.read;
      bool isRenewed = all.cleared.contains(here) || all.begun.contains(here);
      if (!readers.contains(here) || !isRenewed)
        return emitError(task.getLoc())
               << "task '" << task.getSymName() << "' adds to '" << use.symbol
               << "', which no task of stage " << stage
               << (readers.contains(here) ? " clears" : " uses")
               << " at the end of a step";
    }
  }
  return success();
}

LogicalResult pcc::checkOwnership(ModuleOp module) {
  return Ownership(module).check();
}
