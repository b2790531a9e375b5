//===- Accumulators.cpp - What sums of a step hold when -------------------===//
//
// A gradient holds something from the first run of a step that writes it to
// where it is given up. One that a step ends by clearing holds zero as the next
// one begins. Nothing here asks which run was meant to be the first: it goes
// through the runs, and a loop twice, for the second turn finds what the first
// one left.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipeline/Accumulators.h"
#include "analysis/Buckets.h"
#include "dialects/Pipe/Pipe.h"
#include "passes/Sharding/VerifyLayouts.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

class Accumulators {
public:
  explicit Accumulators(ModuleOp module) : module(module), symbols(module) {}
  LogicalResult check();

private:
  /// The gradients and other sums that a symbol is or holds.
  ArrayRef<StringRef> accumulatorsOf(StringRef symbol);
  /// Whether nothing that a body leaves in an argument's place is missed.
  LogicalResult checkGivenUp(TaskOp task, BodyOp body);
  LogicalResult visit(RunOp run);
  LogicalResult visit(Block &steps);

  ModuleOp module;
  SymbolTable symbols;
  /// By symbol that was asked for.
  llvm::StringMap<SmallVector<StringRef>> accumulators;
  /// What of the stage at hand holds something.
  llvm::StringSet<> full;
};

} // namespace

ArrayRef<StringRef> Accumulators::accumulatorsOf(StringRef symbol) {
  auto [it, isNew] = accumulators.try_emplace(symbol);
  SmallVector<StringRef> &held = it->second;
  auto state = isNew ? symbols.lookup<nn::StateOp>(symbol) : nn::StateOp();
  if (!state)
    return held;
  held = nn::heldBy(state);
  llvm::erase_if(held, [&](StringRef name) {
    auto one = symbols.lookup<nn::StateOp>(name);
    return !one || (one.getKind() != nn::StateKind::Gradient &&
                    one.getKind() != nn::StateKind::Sum);
  });
  return held;
}

LogicalResult Accumulators::checkGivenUp(TaskOp task, BodyOp body) {
  llvm::StringSet<> given, others;
  for (unsigned i = 0; i < task.getSources().size(); ++i) {
    StringRef symbol = task.getSource(i);
    if (!body.givesUp(i)) {
      others.insert(symbol);
      continue;
    }
    if (!given.insert(symbol).second)
      others.insert(symbol);
    if (!symbols.lookup<ValueOp>(symbol) && !nn::isOfGradients(symbols, symbol))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' gives up '" << symbol
             << "', which is no value and no gradient";
  }
  for (auto &entry : given)
    if (others.contains(entry.getKey()))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' takes '" << entry.getKey()
             << "' twice and gives it up";
  return success();
}

LogicalResult Accumulators::visit(RunOp run) {
  auto task = symbols.lookup<TaskOp>(run.getTask());
  auto body = symbols.lookup<BodyOp>(task.getCallee(run.getFirst()).getValue());
  auto fail = [&](const Twine &does, StringRef symbol, const Twine &why) {
    return emitError(run.getLoc()) << "task '" << task.getSymName() << "' "
                                   << does << " '" << symbol << "', " << why;
  };
  for (BlockArgument argument : body.getBlock()->getArguments()) {
    unsigned i = argument.getArgNumber();
    std::optional<unsigned> result = body.getReplacing(i);
    // A value may take its place.
    bool isWritten =
        result && task.getTargets()[*result] == task.getSources()[i];
    for (StringRef symbol : accumulatorsOf(task.getSource(i))) {
      bool isFull = full.contains(symbol);
      if (!argument.use_empty() && !isFull)
        return fail(isWritten ? "adds to" : "uses", symbol,
                    "which no run before it in the step has begun");
      if (task.isPerMicrobatch() && body.overwrites(i) && isFull)
        return fail("begins", symbol,
                    "and what runs before it have added up is lost");
      if (isWritten)
        full.insert(symbol);
      if (body.givesUp(i))
        full.erase(symbol);
    }
  }
  return success();
}

LogicalResult Accumulators::visit(Block &steps) {
  for (Operation &op : steps) {
    if (auto loop = dyn_cast<LoopOp>(op)) {
      int64_t turns = int64_t(loop.getEnd()) - int64_t(loop.getBegin());
      for (int64_t i = 0; i < std::min<int64_t>(turns, 2); ++i)
        if (failed(visit(*loop.getBlock())))
          return failure();
    } else if (auto run = dyn_cast<RunOp>(op); run && failed(visit(run))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Accumulators::check() {
  // What is cleared is so by the step before, or as the program starts.
  llvm::DenseMap<int64_t, SmallVector<StringRef>> cleared;
  for (auto task : module.getOps<TaskOp>()) {
    auto body = symbols.lookup<BodyOp>(task.getBody());
    if (failed(checkGivenUp(task, body)) ||
        (task.getFirst() &&
         failed(checkGivenUp(task, symbols.lookup<BodyOp>(*task.getFirst())))))
      return failure();
    for (unsigned i = 0; i < task.getTargets().size(); ++i)
      if (body.getReplaced(i) &&
          (!task.isPerMicrobatch() || isUniformZero(body.getResults()[i])))
        llvm::append_range(cleared[task.getStage()],
                           accumulatorsOf(task.getTarget(i)));
  }
  for (auto schedule : module.getOps<ScheduleOp>()) {
    full.clear();
    for (StringRef symbol : cleared.lookup(schedule.getStage()))
      full.insert(symbol);
    if (failed(visit(*schedule.getBlock())))
      return failure();
  }
  return success();
}

LogicalResult pcc::checkAccumulators(ModuleOp module) {
  return Accumulators(module).check();
}
