//===- Accumulators.cpp - Accumulation of gradients in a step -------------===//
//
// A gradient is live from the first run of a step that writes it to the run
// that kills it. A gradient that a step clears at its end is zero at the begin
// of the next. The check does not use which run was planned to be the first
// writer: it follows the runs in order. A loop is run twice, because the second
// iteration starts from the result of the first.
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
  /// Returns the gradients and other sums that a symbol is or holds.
  ArrayRef<StringRef> accumulatorsOf(StringRef symbol);
  /// Checks that a task's killed arguments are values or gradients and are
  /// bound once.
  LogicalResult checkKilled(TaskOp task, BodyOp body);
  LogicalResult visit(RunOp run);
  LogicalResult visit(Block &steps);

  ModuleOp module;
  SymbolTable symbols;
  /// By symbol that was looked up.
  llvm::StringMap<SmallVector<StringRef>> accumulators;
  /// The sums of the current stage that have contents.
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

LogicalResult Accumulators::checkKilled(TaskOp task, BodyOp body) {
  llvm::StringSet<> given, others;
  for (unsigned i = 0; i < task.getSources().size(); ++i) {
    StringRef symbol = task.getSource(i);
    if (!body.isDeadAfterCall(i)) {
      others.insert(symbol);
      continue;
    }
    if (!given.insert(symbol).second)
      others.insert(symbol);
    if (!symbols.lookup<ValueOp>(symbol) && !nn::isGradients(symbols, symbol))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' kills '" << symbol
             << "', which is no value and no gradient";
  }
  for (auto &entry : given)
    if (others.contains(entry.getKey()))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' takes '" << entry.getKey()
             << "' twice and kills it";
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
    // A value may also take its buffer; that is no write of the sum.
    bool isWritten =
        result && task.getTargets()[*result] == task.getSources()[i];
    for (StringRef symbol : accumulatorsOf(task.getSource(i))) {
      bool isFull = full.contains(symbol);
      if (!argument.use_empty() && !isFull)
        return fail(isWritten ? "adds to" : "uses", symbol,
                    "which no earlier run of the step has initialized");
      if (task.isPerMicrobatch() && body.overwrites(i) && isFull)
        return fail("overwrites", symbol,
                    "which earlier runs have accumulated into");
      if (isWritten)
        full.insert(symbol);
      if (body.isDeadAfterCall(i))
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
  // Sums that a step clears are zero at the begin of a step: the previous step
  // or the program's start has cleared them.
  llvm::DenseMap<int64_t, SmallVector<StringRef>> cleared;
  for (auto task : module.getOps<TaskOp>()) {
    auto body = symbols.lookup<BodyOp>(task.getBody());
    if (failed(checkKilled(task, body)) ||
        (task.getFirst() &&
         failed(checkKilled(task, symbols.lookup<BodyOp>(*task.getFirst())))))
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
