//===- Ownership.cpp - Stages that hold parameters and sums ---------------===//

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

using OnStage = std::pair<StringRef, int64_t>;

/// How a task uses a parameter or state that it names.
struct Use {
  StringRef symbol;
  /// Its contents are used for other results than its own new contents.
  bool isRead;
  /// Its contents are accumulated into.
  bool isAddedTo;
  /// It is replaced by other contents than a sum with the old ones: it is
  /// cleared, gathered or updated.
  bool isCleared;
  /// It is a sum, which a task of a microbatch overwrites.
  bool isInitialized;
};

/// The uses of states by the tasks of a program, by stage.
struct StateUses {
  llvm::DenseSet<OnStage> trained;
  /// States that are read after all microbatches have run or by a reduction in
  /// each microbatch, and states that are cleared or otherwise replaced.
  llvm::DenseSet<OnStage> read, cleared;
  /// Sums that a run initializes in every step.
  llvm::DenseSet<OnStage> begun;
};

class Ownership {
public:
  explicit Ownership(ModuleOp module) : module(module), symbols(module) {}
  LogicalResult check();

private:
  bool isOfParam(StringRef symbol);
  /// Returns the first member of a bucket, else the symbol itself.
  StringRef firstOf(StringRef symbol);
  /// Returns the parameter whose working copy a state (or its first member) is;
  /// else "".
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

/// Whether a value is `sum` or added to it by sums. Sets `isRead` if it, or a
/// sum in between, has other uses.
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

/// Whether it is a parameter or a working copy.
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

/// Checks that a task does not name the same memory twice: a bucket and its
/// members are the same memory, and so are a shard and its bucket. A gather
/// reads a shard and writes its bucket.
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
             << "' together with '" << parts.lookup(name)
             << "', which is a shard of it or of its bucket";
  for (StringRef name : names)
    if (known.contains(name))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' uses '" << name
             << "' together with '" << known.lookup(name)
             << "', which is its bucket";
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
    // Its buffer may be taken by a value.
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
      bool isInitialized =
          result && task.isPerMicrobatch() && body.overwrites(i) && isSum(name);
      bool isCleared = result && !isAddedTo && !isInitialized;
      uses.push_back({name, isRead, isAddedTo, isCleared, isInitialized});
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
      if (use.isInitialized)
        found.begun.insert(here);
    }
  return found;
}

/// Returns the values that a value depends on. For a result of AdamW only the
/// old value of that result counts.
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

/// Whether an integer is derived from its old value: it stays, has something
/// added to it, or is reset to zero, under any condition.
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

/// Checks the new contents of states. Tasks of microbatches may add, be the
/// first to write (see Accumulators.cpp), or clear a gradient that they reduce.
/// At the end of a step a state is reset or depends on its old contents.
LogicalResult Ownership::checkReplaced(TaskOp task, BodyOp body) {
  for (const Use &use : usesOf(task))
    if (use.isCleared && task.isPerMicrobatch() &&
        !(use.isRead && task.getPhase() == Phase::ReduceEach))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' replaces '" << use.symbol
             << "', to which a microbatch may only add";
  for (auto [i, value] : llvm::enumerate(body.getResults())) {
    std::optional<unsigned> replaced = body.getReplaced(i);
    bool isInitialized = replaced && task.isPerMicrobatch() &&
                         body.overwrites(*replaced) && isSum(task.getTarget(i));
    if (!replaced || isInitialized ||
        task.getTarget(i) != task.getSource(*replaced))
      continue;
    Value before = body.getBlock()->getArgument(*replaced);
    if (value == before)
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' replaces '"
             << task.getTarget(i) << "' by itself";
    llvm::SetVector<Value> origins = findOrigins(value);
    // Gathered buckets are overwritten (see Staleness.cpp).
    if (task.getPhase() == Phase::Gather)
      continue;
    // A working copy depends on its parameter.
    if (StringRef param = copiedBy(task.getTarget(i)); !param.empty())
      for (BlockArgument argument : body.getBlock()->getArguments())
        if (firstOf(task.getSource(argument.getArgNumber())) == param)
          before = argument;
    if (llvm::any_of(origins, llvm::IsaPred<BlockArgument>) &&
        !origins.contains(before))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' replaces '"
             << task.getTarget(i) << "' by a value that does not depend on it";
    if (!task.isPerMicrobatch() &&
        isa<IntegerType>(getElementTypeOrSelf(value)) &&
        llvm::any_of(origins, llvm::IsaPred<BlockArgument>) &&
        !isCountedFrom(value, before))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' replaces '"
             << task.getTarget(i)
             << "' by a number that is not incremented from it";
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
      if (!use.isAddedTo && !use.isInitialized)
        continue;
      // Counts that are accumulated before the microbatches are read by these.
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
