//===- Check.cpp - Accepts or rejects schedules ---------------------------===//
//
// Knows nothing of how schedules are made: it executes the lists of all stages
// against each other with transfers as rendezvous, the strictest semantics a
// transport may have, and collectives over stages as meetings of all of them.
// What finishes here cannot hang.
//
//===----------------------------------------------------------------------===//

#include "dialects/Dist/Collectives.h"
#include "dialects/Pipe/Transfers.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipeline/Ownership.h"
#include "passes/Pipeline/Passes.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace pcc {
#define GEN_PASS_DEF_PIPECHECKPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// Half of a transfer that a stage has posted.
struct Posted : Half {
  bool done = false;
};

/// One stage's list and how far it is.
struct StageState {
  ScheduleOp schedule;
  Block::iterator next;
  /// The transfers of the op at `next`, once posted.
  SmallVector<Posted, 2> posted;
  /// The collectives over stages that are left in the task at `next`.
  std::deque<Operation *> meetings;
  /// "value/microbatch" that is there.
  llvm::StringSet<> present;
  /// "task/microbatch" that has run.
  llvm::StringSet<> ran;
  /// The task that uses what all microbatches gave, once it has run.
  TaskOp last;
  /// By microbatch, the backward tasks that are still to run on what forward
  /// tasks keep for them.
  llvm::SmallDenseMap<int64_t, int64_t> live;
  int64_t backwardTasks = 0;

  bool isDone() { return next == schedule.getBlock()->end(); }
  bool isWaiting() { return !posted.empty() || !meetings.empty(); }
};

struct PipeCheckPass : pcc::impl::PipeCheckPassBase<PipeCheckPass> {
  void runOnOperation() override;
  LogicalResult check(Entry entry);
  LogicalResult step(StageState &state);
  LogicalResult run(StageState &state, RunOp run);
  LogicalResult post(StageState &state);
  /// Completes halves that face each other; true if there were any.
  FailureOr<bool> match();
  /// Completes a collective that all stages have come to.
  bool meet();
  LogicalResult reportDeadlock();
  LogicalResult findStages(Entry entry);

  std::vector<StageState> states;
  std::optional<SymbolTable> symbols;
};

} // namespace

static std::string instance(StringRef name, int64_t microbatch) {
  return (name + "/" + Twine(microbatch)).str();
}

LogicalResult PipeCheckPass::run(StageState &state, RunOp run) {
  auto task = symbols->lookup<TaskOp>(run.getTask());
  int64_t microbatch = run.getMicrobatch().value_or(0);
  if (!state.ran.insert(instance(run.getTask(), microbatch)).second)
    return emitError(run.getLoc())
           << "task '" << run.getTask() << "' runs twice on microbatch "
           << microbatch;
  if (task.isPerMicrobatch() && state.last)
    return emitError(run.getLoc())
           << "task '" << run.getTask() << "' runs on microbatch " << microbatch
           << " after '" << state.last.getSymName()
           << "', which needs all of them";
  if (!task.isPerMicrobatch())
    state.last = task;
  for (unsigned i = 0; i < task.getSources().size(); ++i) {
    StringRef source = task.getSource(i);
    if (symbols->lookup<ValueOp>(source) &&
        !state.present.contains(instance(source, microbatch)))
      return emitError(run.getLoc())
             << "task '" << run.getTask() << "' needs value '" << source
             << "' of microbatch " << microbatch << ", which is not there";
  }
  auto body = symbols->lookup<BodyOp>(task.getBody());
  for (unsigned i = 0; i < task.getTargets().size(); ++i)
    if (!body.getReplaced(i) &&
        !state.present.insert(instance(task.getTarget(i), microbatch)).second)
      return emitError(run.getLoc())
             << "value '" << task.getTarget(i) << "' of microbatch "
             << microbatch << " is made twice";
  if (task.getPhase() == Phase::Forward)
    state.live.try_emplace(microbatch, state.backwardTasks);
  if (task.getPhase() == Phase::Backward && --state.live[microbatch] <= 0)
    state.live.erase(microbatch);
  auto bound = state.schedule->getAttrOfType<IntegerAttr>(kLiveAttr);
  if (bound && int64_t(state.live.size()) > bound.getInt())
    return emitError(run.getLoc())
           << "stage " << state.schedule.getStage() << " holds "
           << state.live.size() << " microbatches, but declares "
           << bound.getInt();
  for (Operation &op : *body.getBlock())
    if (dist::joinsStages(&op))
      state.meetings.push_back(&op);
  return success();
}

LogicalResult PipeCheckPass::post(StageState &state) {
  Operation &op = *state.next;
  for (const Half &half : halvesOf(&op))
    state.posted.push_back({half});
  for (Posted &half : state.posted) {
    if (half.peer < 0 || half.peer >= static_cast<int64_t>(states.size()))
      return emitError(op.getLoc()) << "there is no stage " << half.peer;
    if (half.isSend &&
        !state.present.contains(instance(half.value, half.microbatch)))
      return emitError(op.getLoc())
             << "value '" << half.value << "' of microbatch " << half.microbatch
             << " is sent before it is there";
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
          InFlightDiagnostic diag = emitError(states[send.peer].next->getLoc())
                                    << "stage " << send.peer << " receives '"
                                    << recv.value << "' of microbatch "
                                    << recv.microbatch << " where stage "
                                    << from << " sends '" << send.value
                                    << "' of microbatch " << send.microbatch;
          diag.attachNote(sender.next->getLoc()) << "it is sent here";
          return diag;
        }
        send.done = recv.done = matched = true;
        if (!states[send.peer]
                 .present.insert(instance(recv.value, recv.microbatch))
                 .second)
          return emitError(states[send.peer].next->getLoc())
                 << "value '" << recv.value << "' of microbatch "
                 << recv.microbatch << " is received twice";
      }
    }
  return matched;
}

LogicalResult PipeCheckPass::step(StageState &state) {
  if (auto runOp = dyn_cast<RunOp>(*state.next)) {
    if (failed(run(state, runOp)))
      return failure();
    if (state.meetings.empty())
      ++state.next;
    return success();
  }
  return post(state);
}

bool PipeCheckPass::meet() {
  for (StageState &state : states)
    if (state.meetings.empty() ||
        !dist::canMeet(state.meetings.front(), states[0].meetings.front()))
      return false;
  for (StageState &state : states) {
    state.meetings.pop_front();
    if (state.meetings.empty())
      ++state.next;
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
    if (!state.meetings.empty())
      diag.attachNote(state.next->getLoc())
          << "stage " << state.schedule.getStage() << " waits in '"
          << cast<RunOp>(*state.next).getTask() << "' for other stages to do "
          << state.meetings.front()->getName();
    for (Posted &half : state.posted)
      if (!half.done)
        diag.attachNote(state.next->getLoc())
            << "stage " << state.schedule.getStage() << " waits to "
            << (half.isSend ? "send '" : "receive '") << half.value
            << "' of microbatch " << half.microbatch
            << (half.isSend ? " to stage " : " from stage ") << half.peer;
  }
  return diag;
}

/// One schedule for every stage, as many stages as the mesh has.
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
    states[i].next = schedule.getBlock()->begin();
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
             << " microbatches, stage 0 " << microbatches;
  }
  dist::MeshOp mesh = dist::findMesh(getOperation());
  if (!mesh || states.empty())
    return success();
  int64_t extent = mesh.getAxes().extent(dist::AxisRole::Pipeline);
  if (extent == static_cast<int64_t>(states.size()))
    return success();
  return emitError(mesh.getLoc())
         << "the mesh has " << extent << " stages, the schedules are of "
         << states.size();
}

LogicalResult PipeCheckPass::check(Entry entry) {
  if (failed(findStages(entry)))
    return failure();
  for (auto task : getOperation().getOps<TaskOp>())
    if (task.getPhase() == Phase::Backward && task.getEntry() == entry &&
        task.getStage() < states.size())
      ++states[task.getStage()].backwardTasks;

  while (true) {
    // As far as each stage comes without another.
    for (StageState &state : states)
      while (!state.isDone() && !state.isWaiting())
        if (failed(step(state)))
          return failure();
    auto matched = match();
    if (failed(matched))
      return failure();
    for (StageState &state : states)
      if (!state.posted.empty() &&
          llvm::all_of(state.posted, [](Posted &half) { return half.done; })) {
        state.posted.clear();
        ++state.next;
      }
    if (llvm::all_of(states, [](StageState &s) { return s.isDone(); }))
      break;
    if (!*matched && !meet())
      return reportDeadlock();
  }

  for (auto task : getOperation().getOps<TaskOp>()) {
    if (task.getEntry() != entry)
      continue;
    if (task.getStage() >= states.size())
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' is of stage "
             << task.getStage() << ", which has no schedule";
    StageState &state = states[task.getStage()];
    int64_t runs =
        task.isPerMicrobatch() ? state.schedule.getMicrobatches() : 1;
    for (int64_t i = 0; i < runs; ++i)
      if (!state.ran.contains(instance(task.getSymName(), i)))
        return emitError(task.getLoc()) << "task '" << task.getSymName()
                                        << "' does not run on microbatch " << i;
  }
  return success();
}

void PipeCheckPass::runOnOperation() {
  symbols.emplace(getOperation());
  if (failed(checkOwnership(getOperation())))
    return signalPassFailure();
  for (Entry entry : {Entry::Train, Entry::Evaluate, Entry::Forward})
    if (failed(check(entry)))
      return signalPassFailure();
}
