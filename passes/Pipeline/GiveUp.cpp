//===- GiveUp.cpp - Which arguments nobody needs after a call -------------===//
//
// A body may leave anything in the place of an argument that no call of it is
// followed by a use of: by another run, or a transfer, on the same stage and
// of the same microbatch. Gradients, and rows of them, count as well if the
// update leaves nothing in them: nobody needs one until a run begins it anew.
//
// A value in a state's place is kept, for the state may begin anew in the task
// that uses it last.
//
// Values of which several instances are alive at once lie in slots of one
// buffer, which is planned as a whole: these are kept, for nothing is gained.
//
//     run                    @value.7 of microbatch 0
//     @forward.3 0           made
//     @backward.3 0          used for the last time: given up, if it is so for
//                            each task that calls this body
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
#define GEN_PASS_DEF_PIPEGIVEUPPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// By microbatch, when a value is used first and last.
struct Uses {
  SmallVector<int64_t> first, last;

  void note(int64_t microbatch, int64_t moment) {
    if (first[microbatch] < 0)
      first[microbatch] = moment;
    last[microbatch] = moment;
  }
  /// Whether an instance is begun while an earlier one is needed.
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

/// A value that a run takes: where it goes in the body, and its uses.
struct Taken {
  unsigned argument;
  Uses *uses;
};

/// When a gradient is used, in this order, and whether what was there before is
/// lost.
struct GradientUses {
  SmallVector<std::pair<int64_t, bool>> moments;

  bool isNeededAfter(int64_t moment) const {
    auto later = llvm::upper_bound(moments, std::pair(moment, true));
    return later != moments.end() && !later->second;
  }
};

/// Gradients that a run takes as one argument: several if it is a bucket.
struct TakenGradients {
  unsigned argument;
  bool areBegun;
  SmallVector<GradientUses *, 1> uses;
};

struct PipeGiveUpPass : pcc::impl::PipeGiveUpPassBase<PipeGiveUpPass> {
  void runOnOperation() override;

  bool isValue(StringRef symbol) {
    return symbols->lookup<ValueOp>(symbol) != nullptr;
  }
  BodyOp calleeOf(RunOp run) {
    // Asked for in each turn of a loop.
    BodyOp &body = callees[run];
    if (!body) {
      auto task = symbols->lookup<TaskOp>(run.getTask());
      body = symbols->lookup<BodyOp>(task.getCallee(run.getFirst()).getValue());
    }
    return body;
  }
  void findKept();
  /// What a symbol holds if that is gradients in which the update of a stage
  /// leaves nothing; else nothing.
  SmallVector<StringRef> gradientsOf(StringRef symbol, int64_t stage);
  void visitValues(ScheduleOp schedule);
  void visitGradients(ScheduleOp schedule);
  void notePlaces(TaskOp task, BodyOp body);

  std::optional<SymbolTable> symbols;
  llvm::DenseMap<Operation *, BodyOp> callees;
  /// Values that take a state's place.
  llvm::StringSet<> inPlace;
  /// What is not begun anew in each step, by stage.
  llvm::DenseSet<std::pair<StringRef, int64_t>> kept;
  /// By body, whether each argument can be given up.
  llvm::MapVector<Operation *, SmallVector<bool>> free;
};

} // namespace

void PipeGiveUpPass::findKept() {
  kept.clear();
  for (auto task : getOperation().getOps<TaskOp>())
    if (!task.isPerMicrobatch())
      for (unsigned i = 0; i < task.getTargets().size(); ++i)
        if (auto state = symbols->lookup<nn::StateOp>(task.getTarget(i)))
          for (StringRef held : nn::heldBy(state))
            kept.insert({held, task.getStage()});
}

SmallVector<StringRef> PipeGiveUpPass::gradientsOf(StringRef symbol,
                                                   int64_t stage) {
  if (!nn::isOfGradients(*symbols, symbol))
    return {};
  SmallVector<StringRef> held =
      nn::heldBy(symbols->lookup<nn::StateOp>(symbol));
  bool areBegun = llvm::none_of(
      held, [&](StringRef name) { return kept.contains({name, stage}); });
  return areBegun ? held : SmallVector<StringRef>();
}

/// Takes out what no run could give up.
void PipeGiveUpPass::notePlaces(TaskOp task, BodyOp body) {
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

void PipeGiveUpPass::visitValues(ScheduleOp schedule) {
  llvm::StringMap<Uses> known;
  auto find = [&](StringRef symbol) {
    Uses &uses = known[symbol];
    uses.first.resize(schedule.getMicrobatches(), -1);
    uses.last.resize(schedule.getMicrobatches(), -1);
    return &uses;
  };
  // Looked up once for all turns of a loop.
  llvm::DenseMap<Operation *, SmallVector<Taken>> taken;
  llvm::DenseMap<Operation *, SmallVector<Uses *>> given;
  schedule.walk([&](RunOp run) {
    auto task = symbols->lookup<TaskOp>(run.getTask());
    notePlaces(task, calleeOf(run));
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

void PipeGiveUpPass::visitGradients(ScheduleOp schedule) {
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
          uses->moments.push_back({moment, one.areBegun});
  moment = 0;
  for (Cursor next(schedule); !next.isDone(); next.advance(), ++moment)
    if (auto run = dyn_cast<RunOp>(*next))
      for (const TakenGradients &one : taken[run])
        if (llvm::any_of(one.uses, [&](GradientUses *uses) {
              return uses->isNeededAfter(moment);
            }))
          free[calleeOf(run)][one.argument] = false;
}

void PipeGiveUpPass::runOnOperation() {
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
