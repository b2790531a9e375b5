//===- Check.cpp - Verifies schedules by executing them -------------------===//
//
// Shares only small helpers with the passes that build schedules. It executes
// the lists of all stages against each other. Transfers are rendezvous, the
// strictest semantics that a transport may have, and collectives over stages
// match in all of them. A schedule that finishes here cannot hang.
//
// A step in a loop depends on its stage's position only through microbatches
// that it names relative to the loop's variable. Suppose that all stages are in
// loops, and that available values and pending transfers equal those of some
// iterations ago, shifted by as many microbatches. Then the state repeats every
// so many iterations until a loop ends, and these iterations are skipped. State
// that a loop does not name by microbatch, such as repeated gathers, must be
// exactly as it was.
//
//===----------------------------------------------------------------------===//

#include "analysis/Buckets.h"
#include "dialects/Dist/Collectives.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/Pipe/Cursor.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipeline/Accumulators.h"
#include "passes/Pipeline/GradientOrigins.h"
#include "passes/Pipeline/Instances.h"
#include "passes/Pipeline/Layouts.h"
#include "passes/Pipeline/Ownership.h"
#include "passes/Pipeline/Passes.h"
#include "passes/Pipeline/Staleness.h"
#include "passes/Sharding/VerifyBuckets.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <deque>
#include <map>

namespace pcc {
#define GEN_PASS_DEF_PIPECHECKPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// One end of a transfer that a stage has posted.
struct Posted : Half {
  bool done = false;
};

/// One stage's list and its position in it.
struct StageState {
  ScheduleOp schedule;
  Cursor next;
  /// The transfers of the op at `next`, once posted.
  SmallVector<Posted, 2> posted;
  /// The collectives over stages that remain in the task at `next`.
  std::deque<Operation *> collectives;
  /// By symbol: the microbatches of available values and of tasks that have
  /// run.
  llvm::StringMap<Instances> present, ran;
  /// The microbatches of values that were killed.
  llvm::StringMap<Instances> killed;
  /// By sum that was reduced, the reduction; by sum whose buffer a value has
  /// taken, that value.
  llvm::StringMap<TaskOp> reduced;
  llvm::StringMap<StringRef> replacedBy;
  /// The latest task that needs the results of all microbatches, once one has
  /// run.
  TaskOp last;
  /// The microbatches on which forward tasks have run, and the number of those
  /// with backward tasks that are still to run.
  Instances begun;
  int64_t live = 0;
  /// By microbatch on which backward tasks have run: how many are still to run.
  std::map<int64_t, int64_t> left;
  int64_t backwardTasks = 0;

  bool isDone() { return next.isDone(); }
  bool isWaiting() { return !posted.empty() || !collectives.empty(); }

  /// Whether this state is `before` shifted by some iterations of a loop, so
  /// that the same steps follow. `named` holds the symbols that the loop names
  /// by microbatch.
  bool repeats(const StageState &before, const llvm::StringSet<> &named) const;
  int64_t iterationsSince(const StageState &before) const {
    return next.getVariable() - before.next.getVariable();
  }
  /// Advances the state as if the steps since `before` were repeated so many
  /// times.
  void skip(const StageState &before, const llvm::StringSet<> &named,
            int64_t periods);
};

struct PipeCheckPass : pcc::impl::PipeCheckPassBase<PipeCheckPass> {
  void runOnOperation() override;
  LogicalResult check(Entry entry);
  LogicalResult runAll();
  /// Advances a stage until it waits for another one, or to the end of a loop's
  /// iteration.
  LogicalResult advance(StageState &state);
  LogicalResult step(StageState &state);
  LogicalResult run(StageState &state, RunOp run);
  LogicalResult checkReduced(StageState &state, RunOp run, TaskOp task);
  void noteReduced(StageState &state, TaskOp task);
  LogicalResult post(StageState &state);
  /// Completes matching ends of transfers; returns whether there were any.
  FailureOr<bool> match();
  /// Completes a collective that all stages have reached; returns whether there
  /// was one.
  bool matchCollective();
  LogicalResult reportDeadlock();
  LogicalResult findStages(Entry entry);
  /// Whether a task gathers a bucket again for each use (see Staleness.cpp).
  bool isGatheredForUse(TaskOp task);
  /// Skips iterations of all stages' loops if they repeat the steps since
  /// `before`; returns whether it did.
  bool skipIterations(ArrayRef<StageState> before);
  /// Returns the tasks that a loop runs on microbatches, and the symbols that
  /// these tasks and the loop's transfers use.
  const llvm::StringSet<> &namedIn(LoopOp loop);

  std::vector<StageState> states;
  std::optional<SymbolTable> symbols;
  llvm::DenseMap<Operation *, llvm::StringSet<>> named;
};

} // namespace

static bool isKilled(const StageState &state, StringRef value,
                     int64_t microbatch) {
  auto it = state.killed.find(value);
  return it != state.killed.end() && it->second.contains(microbatch);
}

static std::map<int64_t, int64_t> shifted(const std::map<int64_t, int64_t> &by,
                                          int64_t turns) {
  std::map<int64_t, int64_t> later;
  for (auto [microbatch, tasks] : by)
    later[microbatch + turns] = tasks;
  return later;
}

static bool isSameMap(const llvm::StringMap<StringRef> &now,
                      const llvm::StringMap<StringRef> &then) {
  return now.size() == then.size() && llvm::all_of(now, [&](auto &entry) {
           return entry.second == then.lookup(entry.getKey());
         });
}

bool StageState::repeats(const StageState &before,
                         const llvm::StringSet<> &named) const {
  int64_t turns = iterationsSince(before);
  int64_t count = ScheduleOp(schedule).getMicrobatches();
  if (!next.getLoop() || turns < 1 || last || !reduced.empty() ||
      *next != *before.next ||
      collectives.size() != before.collectives.size() ||
      posted.size() != before.posted.size() ||
      !llvm::all_of(
          llvm::zip(posted, before.posted),
          [](auto pair) {
            return std::get<0>(pair).done == std::get<1>(pair).done;
          }))
    return false;
  // A set of all microbatches is the same in every iteration.
  auto isSame = [&](const Instances &now, Instances then) {
    if (now == then && then.isAllOf(count))
      return true;
    then.shift(turns);
    return now == then;
  };
  auto areSame = [&](const llvm::StringMap<Instances> &now,
                     const llvm::StringMap<Instances> &then) {
    return now.size() == then.size() && llvm::all_of(now, [&](auto &entry) {
             Instances old = then.lookup(entry.getKey());
             return named.contains(entry.getKey())
                        ? isSame(entry.second, std::move(old))
                        : entry.second == old;
           });
  };
  return left == shifted(before.left, turns) && isSame(begun, before.begun) &&
         isSameMap(replacedBy, before.replacedBy) &&
         areSame(present, before.present) && areSame(ran, before.ran) &&
         areSame(killed, before.killed);
}

void StageState::skip(const StageState &before, const llvm::StringSet<> &named,
                      int64_t periods) {
  int64_t turns = iterationsSince(before) * periods;
  int64_t count = schedule.getMicrobatches();
  live += (live - before.live) * periods;
  next.skip(turns);
  for (Posted &half : posted)
    half.microbatch += turns;
  left = shifted(left, turns);
  auto shift = [&](Instances &instances) {
    if (!instances.isAllOf(count))
      instances.shift(turns);
  };
  shift(begun);
  for (auto *all : {&present, &ran, &killed})
    for (auto &entry : *all)
      if (named.contains(entry.getKey()))
        shift(entry.second);
}

const llvm::StringSet<> &PipeCheckPass::namedIn(LoopOp loop) {
  auto [it, isNew] = named.try_emplace(loop);
  if (!isNew)
    return it->second;
  for (Operation &op : *loop.getBlock()) {
    for (const Half &half : halvesOf(&op, /*variable=*/0))
      it->second.insert(half.value);
    auto run = dyn_cast<RunOp>(op);
    auto task = run ? symbols->lookup<TaskOp>(run.getTask()) : TaskOp();
    if (!task || !task.isPerMicrobatch())
      continue;
    it->second.insert(task.getSymName());
    for (StringRef symbol : task.getBoundSymbols())
      it->second.insert(symbol);
  }
  return it->second;
}

bool PipeCheckPass::skipIterations(ArrayRef<StageState> before) {
  if (before.empty())
    return false;
  int64_t turns = states[0].iterationsSince(before[0]);
  int64_t left = std::numeric_limits<int64_t>::max();
  for (auto [now, then] : llvm::zip(states, before)) {
    LoopOp loop = now.next.getLoop();
    if (!loop || now.iterationsSince(then) != turns ||
        !now.repeats(then, namedIn(loop)))
      return false;
    left = std::min<int64_t>(left, int64_t(now.next.getLoop().getEnd()) - 1 -
                                       now.next.getVariable());
  }
  // The last period is executed, so that counts that grow, such as live
  // microbatches, reach their maximum.
  int64_t periods = left / turns - 1;
  if (periods < 1)
    return false;
  for (auto [now, then] : llvm::zip(states, before))
    now.skip(then, namedIn(now.next.getLoop()), periods);
  return true;
}

bool PipeCheckPass::isGatheredForUse(TaskOp task) {
  auto row = task.getTargets().size() == 1
                 ? symbols->lookup<nn::StateOp>(task.getTarget(0))
                 : nn::StateOp();
  return task.getPhase() == Phase::Gather && row &&
         row->hasAttr(nn::kReleasedAttr);
}

/// Checks uses of reduced sums: no task adds to one afterwards, each is reduced
/// once, and none is read after a value has taken its buffer.
LogicalResult PipeCheckPass::checkReduced(StageState &state, RunOp run,
                                          TaskOp task) {
  if (state.reduced.empty())
    return success();
  auto body = symbols->lookup<BodyOp>(task.getBody());
  for (unsigned i = 0; i < task.getSources().size(); ++i) {
    auto sum = symbols->lookup<nn::StateOp>(task.getSource(i));
    if (!sum)
      continue;
    for (StringRef held : nn::heldBy(sum)) {
      TaskOp reduction = state.reduced.lookup(held);
      if (!reduction)
        continue;
      if (task.isPerMicrobatch() || task.getPhase() == Phase::Reduce)
        return emitError(run.getLoc())
               << "task '" << run.getTask() << "' uses '" << task.getSource(i)
               << "' after '" << reduction.getSymName() << "' has reduced it";
      auto value = state.replacedBy.find(held);
      if (value != state.replacedBy.end() &&
          !body.getBlock()->getArgument(i).use_empty())
        return emitError(run.getLoc())
               << "task '" << run.getTask() << "' reads '" << task.getSource(i)
               << "', whose buffer holds '" << value->second << "' now";
    }
  }
  return success();
}

void PipeCheckPass::noteReduced(StageState &state, TaskOp task) {
  auto body = symbols->lookup<BodyOp>(task.getBody());
  for (unsigned i = 0; i < task.getSources().size(); ++i) {
    auto sum = symbols->lookup<nn::StateOp>(task.getSource(i));
    if (!sum)
      continue;
    std::optional<unsigned> result = body.getReplacing(i);
    StringRef target = result ? task.getTarget(*result) : StringRef();
    for (StringRef held : nn::heldBy(sum)) {
      if (task.getPhase() == Phase::Reduce)
        state.reduced[held] = task;
      if (!result)
        continue;
      // A sum that is written again kills the value in its buffer.
      auto before = state.replacedBy.find(held);
      if (before != state.replacedBy.end()) {
        state.killed[before->second].insert(0);
        state.replacedBy.erase(before);
      }
      if (target != task.getSource(i))
        state.replacedBy[held] = target;
    }
  }
}

LogicalResult PipeCheckPass::run(StageState &state, RunOp run) {
  auto task = symbols->lookup<TaskOp>(run.getTask());
  int64_t microbatch = state.next.microbatchOf(run);
  // A bucket that is released is gathered for each use.
  if (!state.ran[run.getTask()].insert(microbatch) && !isGatheredForUse(task))
    return emitError(run.getLoc())
           << "task '" << run.getTask() << "' runs twice on microbatch "
           << microbatch;
  if (task.isPerMicrobatch() && state.last)
    return emitError(run.getLoc())
           << "task '" << run.getTask() << "' runs on microbatch " << microbatch
           << " after '" << state.last.getSymName()
           << "', which needs all of them";
  if (!task.isPerMicrobatch() && task.getPhase() != Phase::Reduce &&
      task.getPhase() != Phase::Gather)
    state.last = task;
  if (failed(checkReduced(state, run, task)))
    return failure();
  for (unsigned i = 0; i < task.getSources().size(); ++i) {
    StringRef source = task.getSource(i);
    if (symbols->lookup<ValueOp>(source) &&
        !state.present[source].contains(microbatch))
      return emitError(run.getLoc())
             << "task '" << run.getTask() << "' needs value '" << source
             << "' of microbatch " << microbatch << ", which is not available";
    if (isKilled(state, source, microbatch))
      return emitError(run.getLoc())
             << "task '" << run.getTask() << "' needs value '" << source
             << "' of microbatch " << microbatch
             << ", which an earlier task has killed";
  }
  auto body =
      symbols->lookup<BodyOp>(task.getCallee(run.getFirst()).getValue());
  for (unsigned i = 0; i < task.getSources().size(); ++i)
    if (body.isDeadAfterCall(i) && symbols->lookup<ValueOp>(task.getSource(i)))
      state.killed[task.getSource(i)].insert(microbatch);
  for (unsigned i = 0; i < task.getTargets().size(); ++i)
    if (std::optional<unsigned> replaced = body.getReplaced(i);
        (!replaced || task.getSource(*replaced) != task.getTarget(i)) &&
        !state.present[task.getTarget(i)].insert(microbatch))
      return emitError(run.getLoc())
             << "value '" << task.getTarget(i) << "' of microbatch "
             << microbatch << " is computed twice";
  if (!task.isPerMicrobatch())
    noteReduced(state, task);
  if (task.getPhase() == Phase::Forward && state.begun.insert(microbatch))
    ++state.live;
  if (task.getPhase() == Phase::Backward) {
    auto left = state.left.try_emplace(microbatch, state.backwardTasks).first;
    if (--left->second == 0) {
      state.left.erase(left);
      state.live -= state.begun.contains(microbatch);
    }
  }
  auto bound = state.schedule->getAttrOfType<IntegerAttr>(kLiveAttr);
  if (bound && state.live > bound.getInt())
    return emitError(run.getLoc())
           << "stage " << state.schedule.getStage() << " holds " << state.live
           << " microbatches, but declares " << bound.getInt();
  for (Operation &op : *body.getBlock())
    if (dist::spansStages(&op))
      state.collectives.push_back(&op);
  return success();
}

LogicalResult PipeCheckPass::post(StageState &state) {
  Operation &op = **state.next;
  for (const Half &half : state.next.getHalves())
    state.posted.push_back({half});
  for (Posted &half : state.posted) {
    if (half.peer < 0 || half.peer >= static_cast<int64_t>(states.size()))
      return emitError(op.getLoc()) << "there is no stage " << half.peer;
    if (half.isSend && !state.present[half.value].contains(half.microbatch))
      return emitError(op.getLoc())
             << "value '" << half.value << "' of microbatch " << half.microbatch
             << " is sent before it is available";
    if (half.isSend && isKilled(state, half.value, half.microbatch))
      return emitError(op.getLoc())
             << "value '" << half.value << "' of microbatch " << half.microbatch
             << " is sent after a task has killed it";
  }
  return success();
}

FailureOr<bool> PipeCheckPass::match() {
  bool matched = false;
  for (auto [from, sender] : llvm::enumerate(states))
    for (Posted &send : sender.posted) {
      if (!send.isSend || send.done)
        continue;
      for (Posted &recv : states[send.peer].posted) {
        if (recv.done || !send.isCounterpart(recv, from))
          continue;
        if (recv.value != send.value || recv.microbatch != send.microbatch) {
          InFlightDiagnostic diag =
              emitError((*states[send.peer].next)->getLoc())
              << "stage " << send.peer << " receives '" << recv.value
              << "' of microbatch " << recv.microbatch << " where stage "
              << from << " sends '" << send.value << "' of microbatch "
              << send.microbatch;
          diag.attachNote((*sender.next)->getLoc()) << "it is sent here";
          return diag;
        }
        send.done = recv.done = matched = true;
        if (!states[send.peer].present[recv.value].insert(recv.microbatch))
          return emitError((*states[send.peer].next)->getLoc())
                 << "value '" << recv.value << "' of microbatch "
                 << recv.microbatch << " is received twice";
      }
    }
  return matched;
}

LogicalResult PipeCheckPass::step(StageState &state) {
  if (auto runOp = dyn_cast<RunOp>(*state.next))
    return run(state, runOp);
  return post(state);
}

LogicalResult PipeCheckPass::advance(StageState &state) {
  bool isNextTurn = false;
  while (!isNextTurn && !state.isDone() && !state.isWaiting()) {
    if (failed(step(state)))
      return failure();
    if (!state.isWaiting())
      isNextTurn = state.next.advance();
  }
  return success();
}

bool PipeCheckPass::matchCollective() {
  for (StageState &state : states)
    if (state.collectives.empty() ||
        !dist::isSameCollective(state.collectives.front(),
                                states[0].collectives.front()))
      return false;
  for (StageState &state : states) {
    state.collectives.pop_front();
    if (state.collectives.empty())
      state.next.advance();
  }
  return true;
}

LogicalResult PipeCheckPass::reportDeadlock() {
  InFlightDiagnostic diag = emitError(getOperation().getLoc())
                            << "the stages wait for each other forever";
  for (StageState &state : states) {
    if (state.isDone()) {
      diag.attachNote() << "stage " << state.schedule.getStage() << " is done";
      continue;
    }
    if (!state.collectives.empty())
      diag.attachNote((*state.next)->getLoc())
          << "stage " << state.schedule.getStage() << " waits in '"
          << cast<RunOp>(*state.next).getTask() << "' for other stages to do "
          << state.collectives.front()->getName();
    for (Posted &half : state.posted)
      if (!half.done)
        diag.attachNote((*state.next)->getLoc())
            << "stage " << state.schedule.getStage() << " waits to "
            << (half.isSend ? "send '" : "receive '") << half.value
            << "' of microbatch " << half.microbatch
            << (half.isSend ? " to stage " : " from stage ") << half.peer;
  }
  return diag;
}

/// Collects one schedule for every stage of the mesh.
LogicalResult PipeCheckPass::findStages(Entry entry) {
  states.clear();
  SmallVector<ScheduleOp> schedules;
  for (auto schedule : getOperation().getOps<ScheduleOp>())
    if (schedule.getEntry() == entry)
      schedules.push_back(schedule);
  llvm::sort(schedules, [](ScheduleOp a, ScheduleOp b) {
    return a.getStage() != b.getStage() ? a.getStage() < b.getStage()
                                        : a->isBeforeInBlock(b);
  });
  states.resize(schedules.size());
  for (auto [i, schedule] : llvm::enumerate(schedules)) {
    states[i].schedule = schedule;
    states[i].next = Cursor(schedule);
    if (schedule.getStage() < i)
      return emitError(schedule.getLoc())
             << "stage " << schedule.getStage() << " has two schedules";
    if (schedule.getStage() > i)
      return emitError(getOperation().getLoc())
             << "stage " << i << " has no schedule";
    uint64_t microbatches = schedules[0].getMicrobatches();
    if (schedule.getMicrobatches() != microbatches)
      return emitError(schedule.getLoc())
             << "has " << schedule.getMicrobatches()
             << " microbatches, but stage 0 has " << microbatches;
  }
  dist::MeshOp mesh = dist::findMesh(getOperation());
  if (!mesh || states.empty())
    return success();
  int64_t extent = mesh.getAxes().extent(dist::AxisRole::Pipeline);
  if (extent == static_cast<int64_t>(states.size()))
    return success();
  return emitError(mesh.getLoc())
         << "the mesh has " << extent
         << " stages, but the number of schedules is " << states.size();
}

LogicalResult PipeCheckPass::runAll() {
  // To detect repetition the state is compared with a snapshot, which is
  // replaced at exponentially growing intervals.
  std::vector<StageState> past;
  for (size_t round = 1, renewal = 1;; ++round) {
    for (StageState &state : states)
      if (failed(advance(state)))
        return failure();
    auto matched = match();
    if (failed(matched))
      return failure();
    bool isMoving = *matched;
    for (StageState &state : states) {
      isMoving |= !state.isDone() && !state.isWaiting();
      if (state.posted.empty() ||
          !llvm::all_of(state.posted, [](Posted &half) { return half.done; }))
        continue;
      state.posted.clear();
      state.next.advance();
    }
    if (llvm::all_of(states, [](StageState &s) { return s.isDone(); }))
      return success();
    if (!isMoving && !matchCollective())
      return reportDeadlock();
    if (skipIterations(past) || round == renewal) {
      past = states;
      renewal = 2 * round;
    }
  }
}

LogicalResult PipeCheckPass::check(Entry entry) {
  if (failed(findStages(entry)))
    return failure();
  for (auto task : getOperation().getOps<TaskOp>())
    if (task.getPhase() == Phase::Backward && task.getEntry() == entry &&
        task.getStage() < states.size())
      ++states[task.getStage()].backwardTasks;
  if (failed(runAll()))
    return failure();

  for (auto task : getOperation().getOps<TaskOp>()) {
    // A program without evaluation needs no gathers for it.
    if (!task.isIn(entry) || isGatheredForUse(task) ||
        (states.empty() && task.getEntry() != entry))
      continue;
    if (task.getStage() >= states.size())
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' is of stage "
             << task.getStage() << ", which has no schedule";
    StageState &state = states[task.getStage()];
    int64_t runs =
        task.isPerMicrobatch() ? state.schedule.getMicrobatches() : 1;
    const Instances &ran = state.ran[task.getSymName()];
    for (int64_t i = 0; i < runs && !ran.isAllOf(runs); ++i)
      if (!ran.contains(i))
        return emitError(task.getLoc()) << "task '" << task.getSymName()
                                        << "' does not run on microbatch " << i;
  }
  return success();
}

void PipeCheckPass::runOnOperation() {
  markAllAnalysesPreserved();
  symbols.emplace(getOperation());
  named.clear();
  // Tasks use buckets and their members.
  if (failed(verifyBuckets(getOperation())) ||
      failed(checkLayouts(getOperation())) ||
      failed(checkOwnership(getOperation())) ||
      failed(checkStaleness(getOperation())) ||
      failed(checkGradientOrigins(getOperation())) ||
      failed(checkAccumulators(getOperation())))
    return signalPassFailure();
  for (Entry entry : {Entry::Train, Entry::Evaluate, Entry::Forward})
    if (failed(check(entry)))
      return signalPassFailure();
}
