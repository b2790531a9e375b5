//===- DeadArguments.cpp - Arguments that are dead after every call -------===//
//
// Marks arguments that are dead after every call of a body: no later run or
// transfer on the same stage uses the value of the same microbatch. The body
// may leave any contents in their buffers. Gradients and their buckets count as
// dead if no later run uses them or the next one that does initializes them.
// Gradients that a once-per-step task writes are not marked.
//
// A value in a state's buffer is not marked, because the task that uses it last
// may initialize the state.
//
// Values with several live instances are not marked: their slots are allocated
// together, so nothing is gained.
//
//     run                    @value.7 of microbatch 0
//     @forward.3 0           computed
//     @backward.3 0          used for the last time: dead, if it is so for each
//                            task that calls this body
//
//===----------------------------------------------------------------------===//

#include "analysis/Buckets.h"
#include "dialects/Pipe/Cursor.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipeline/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace pcc {
#define GEN_PASS_DEF_PIPEMARKDEADARGUMENTSPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// By microbatch: the first and the last use of a value.
struct Uses {
  SmallVector<int64_t> first, last;

  void note(int64_t microbatch, int64_t moment) {
    if (first[microbatch] < 0)
      first[microbatch] = moment;
    last[microbatch] = moment;
  }
  /// Whether an instance is computed while an earlier one is live.
  bool isSeveral() const {
    int64_t end = -1;
    for (auto [begin, stop] : llvm::zip(first, last)) {
      if (begin >= 0 && begin <= end)
        return true;
      end = std::max(end, stop);
    }
    return false;
  }
};

/// A value that a run takes: its argument number and its uses.
struct Taken {
  unsigned argument;
  Uses *uses;
};

/// The uses of a gradient in order, and whether each overwrites it.
struct GradientUses {
  SmallVector<std::pair<int64_t, bool>> moments;

  bool isNeededAfter(int64_t moment) const {
    auto later = llvm::upper_bound(moments, std::pair(moment, true));
    return later != moments.end() && !later->second;
  }
};

/// The gradients that a run takes as one argument: several for a bucket.
struct TakenGradients {
  unsigned argument;
  bool areInitialized;
  SmallVector<GradientUses *, 1> uses;
};

struct PipeMarkDeadArgumentsPass
    : pcc::impl::PipeMarkDeadArgumentsPassBase<PipeMarkDeadArgumentsPass> {
  void runOnOperation() override;

  bool isValue(StringRef symbol) {
    return symbols->lookup<ValueOp>(symbol) != nullptr;
  }
  BodyOp calleeOf(RunOp run) {
    // Cached, because it is needed in each iteration of a loop.
    BodyOp &body = callees[run];
    if (!body) {
      auto task = symbols->lookup<TaskOp>(run.getTask());
      body = symbols->lookup<BodyOp>(task.getCallee(run.getFirst()).getValue());
    }
    return body;
  }
  void findKept();
  /// Returns the gradients that a symbol is or holds if no once-per-step task
  /// of a stage writes them; otherwise none.
  SmallVector<StringRef> gradientsOf(StringRef symbol, int64_t stage);
  void visitValues(ScheduleOp schedule);
  void visitGradients(ScheduleOp schedule);
  void noteBuffers(TaskOp task, BodyOp body);

  std::optional<SymbolTable> symbols;
  llvm::DenseMap<Operation *, BodyOp> callees;
  /// Values that take a state's buffer.
  llvm::StringSet<> inPlace;
  /// By stage: the states that a once-per-step task writes, so that no run
  /// initializes them in each step.
  llvm::DenseSet<std::pair<StringRef, int64_t>> kept;
  /// By body: whether each argument can be marked.
  llvm::MapVector<Operation *, SmallVector<bool>> free;
};

} // namespace

void PipeMarkDeadArgumentsPass::findKept() {
  kept.clear();
  for (auto task : getOperation().getOps<TaskOp>())
    if (!task.isPerMicrobatch())
      for (unsigned i = 0; i < task.getTargets().size(); ++i)
        if (auto state = symbols->lookup<nn::StateOp>(task.getTarget(i)))
          for (StringRef held : nn::heldBy(state))
            kept.insert({held, task.getStage()});
}

SmallVector<StringRef> PipeMarkDeadArgumentsPass::gradientsOf(StringRef symbol,
                                                              int64_t stage) {
  if (!nn::isGradients(*symbols, symbol))
    return {};
  SmallVector<StringRef> held =
      nn::heldBy(symbols->lookup<nn::StateOp>(symbol));
  bool areInitialized = llvm::none_of(
      held, [&](StringRef name) { return kept.contains({name, stage}); });
  return areInitialized ? held : SmallVector<StringRef>();
}

/// Excludes arguments that are never dead.
void PipeMarkDeadArgumentsPass::noteBuffers(TaskOp task, BodyOp body) {
  auto [it, isNew] = free.try_emplace(body);
  if (isNew)
    it->second.assign(body.getBlock()->getNumArguments(), true);
  llvm::StringMap<unsigned> takers;
  for (unsigned i = 0; i < task.getSources().size(); ++i)
    ++takers[task.getSource(i)];
  for (auto [i, isFree] : llvm::enumerate(it->second)) {
    StringRef symbol = task.getSource(i);
    isFree &= !body.getReplacing(i) && takers.lookup(symbol) == 1 &&
              ((isValue(symbol) && !inPlace.contains(symbol)) ||
               !gradientsOf(symbol, task.getStage()).empty());
  }
}

void PipeMarkDeadArgumentsPass::visitValues(ScheduleOp schedule) {
  llvm::StringMap<Uses> known;
  auto find = [&](StringRef symbol) {
    Uses &uses = known[symbol];
    uses.first.resize(schedule.getMicrobatches(), -1);
    uses.last.resize(schedule.getMicrobatches(), -1);
    return &uses;
  };
  // Looked up once for all iterations of a loop.
  llvm::DenseMap<Operation *, SmallVector<Taken>> taken;
  llvm::DenseMap<Operation *, SmallVector<Uses *>> given;
  schedule.walk([&](RunOp run) {
    auto task = symbols->lookup<TaskOp>(run.getTask());
    noteBuffers(task, calleeOf(run));
    for (unsigned i = 0; i < task.getSources().size(); ++i)
      if (isValue(task.getSource(i)))
        taken[run].push_back({i, find(task.getSource(i))});
    for (unsigned i = 0; i < task.getTargets().size(); ++i)
      if (isValue(task.getTarget(i)))
        given[run].push_back(find(task.getTarget(i)));
  });
  int64_t moment = 0;
  for (Cursor next(schedule); !next.isDone(); next.advance(), ++moment) {
    if (auto run = dyn_cast<RunOp>(*next)) {
      for (const Taken &one : taken[run])
        one.uses->note(next.microbatchOf(run), moment);
      for (Uses *uses : given[run])
        uses->note(next.microbatchOf(run), moment);
    }
    for (const Half &half : next.getHalves())
      find(half.value)->note(half.microbatch, moment);
  }
  llvm::DenseSet<Uses *> several;
  for (auto &entry : known)
    if (entry.second.isSeveral())
      several.insert(&entry.second);
  moment = 0;
  for (Cursor next(schedule); !next.isDone(); next.advance(), ++moment)
    if (auto run = dyn_cast<RunOp>(*next)) {
      SmallVector<bool> &isFree = free[calleeOf(run)];
      for (const Taken &one : taken[run])
        if (several.contains(one.uses) ||
            one.uses->last[next.microbatchOf(run)] != moment)
          isFree[one.argument] = false;
    }
}

void PipeMarkDeadArgumentsPass::visitGradients(ScheduleOp schedule) {
  int64_t stage = schedule.getStage();
  llvm::StringMap<GradientUses> known;
  llvm::DenseMap<Operation *, SmallVector<TakenGradients>> taken;
  schedule.walk([&](RunOp run) {
    auto task = symbols->lookup<TaskOp>(run.getTask());
    BodyOp body = calleeOf(run);
    for (unsigned i = 0; i < task.getSources().size(); ++i) {
      TakenGradients one = {i, body.overwrites(i), {}};
      for (StringRef name : gradientsOf(task.getSource(i), stage))
        one.uses.push_back(&known[name]);
      if (!one.uses.empty())
        taken[run].push_back(std::move(one));
    }
  });
  int64_t moment = 0;
  for (Cursor next(schedule); !next.isDone(); next.advance(), ++moment)
    if (auto run = dyn_cast<RunOp>(*next))
      for (const TakenGradients &one : taken[run])
        for (GradientUses *uses : one.uses)
          uses->moments.push_back({moment, one.areInitialized});
  moment = 0;
  for (Cursor next(schedule); !next.isDone(); next.advance(), ++moment)
    if (auto run = dyn_cast<RunOp>(*next))
      for (const TakenGradients &one : taken[run])
        if (llvm::any_of(one.uses, [&](GradientUses *uses) {
              return uses->isNeededAfter(moment);
            }))
          free[calleeOf(run)][one.argument] = false;
}

void PipeMarkDeadArgumentsPass::runOnOperation() {
  symbols.emplace(getOperation());
  callees.clear();
  free.clear();
  inPlace.clear();
  for (auto task : getOperation().getOps<TaskOp>()) {
    auto body = symbols->lookup<BodyOp>(task.getBody());
    for (unsigned i = 0; i < task.getTargets().size(); ++i)
      if (body.getReplaced(i) && isValue(task.getTarget(i)))
        inPlace.insert(task.getTarget(i));
  }
  findKept();
  for (auto schedule : getOperation().getOps<ScheduleOp>()) {
    visitValues(schedule);
    visitGradients(schedule);
  }
  for (auto &[op, isFree] : free) {
    SmallVector<int64_t> arguments;
    for (auto [i, one] : llvm::enumerate(isFree))
      if (one)
        arguments.push_back(i);
    if (!arguments.empty())
      cast<BodyOp>(op).setGivesUp(arguments);
  }
}
