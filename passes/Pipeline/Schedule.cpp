//===- Schedule.cpp - Orders runs and transfers of every stage ------------===//
//
// A comparator orders the actions of a stage. An action is all tasks of one
// direction on one microbatch. Each action receives before it runs and sends
// afterwards; a send and a receive that face each other become one exchange.
//
// With `ahead`, the next action's inputs are received before the current one
// runs, so that the transfers overlap with it. That always holds for inputs
// from earlier stages. Inputs from later stages are received ahead only if no
// forward action is in between. So values are received in the order in which
// they are sent (S, R: send and receive; f, b: forward and backward channel):
//
//     stage 0      F0 Sf0   F1 Sf1 Rb0   B0   F2 Sf2 Rb1   B1  ...
//     stage 1      Rf0 Rf1   F0   B0 Sb0 Rf2   F1   B1 Sb1  ...
//
// Where the list repeats one microbatch later, it becomes a loop:
//
//     actions      F0  F1   B0  F2   B1  F3   B2  F4   B3   B4
//     loop         F0  F1  [B0  F2] [B1  F3] [B2  F4]  B3   B4
//
// A gradient is reduced after all microbatches have added to it. Its reduction
// runs between the tasks of the last backward action, right after the last task
// that adds to it (B3, B4: of segments 3 and 4):
//
//     last action  B4  reduce.4  B3  reduce.3  ...  update
//
// With sharded gradients (ZeRO 2 and 3) each backward action looks so:
// gradients are reduced per microbatch and accumulated into the shard of their
// sum.
//
// Gathers of parameter shards are placed by Gathers.h.
//
// The first writers of gradients in a step call other bodies, so their action
// stays out of the loop, here B0.
//
//===----------------------------------------------------------------------===//

#include "analysis/Buckets.h"
#include "dialects/Dist/Collectives.h"
#include "dialects/NN/AttrNames.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipeline/FirstWriters.h"
#include "passes/Pipeline/Gathers.h"
#include "passes/Pipeline/Passes.h"
#include "passes/Pipeline/Steps.h"
#include "passes/Training/Entry.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace pcc {
#define GEN_PASS_DEF_PIPESCHEDULEPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// All tasks of one direction on one microbatch.
struct Action {
  int64_t microbatch;
  bool isBackward;
};

/// True if `a` comes before `b` on a stage.
using Comparator = bool (*)(const Action &a, const Action &b, int64_t stage,
                            int64_t stages);

struct PipeSchedulePass : pcc::impl::PipeSchedulePassBase<PipeSchedulePass> {
  using PipeSchedulePassBase::PipeSchedulePassBase;
  void runOnOperation() override;

  LogicalResult collect();
  void findTransfers();
  void build(Entry entry, int64_t stage, Comparator before);
  void noteFirst(MutableArrayRef<Step> steps);
  void emit(OpBuilder &builder, const Step &step, Value loop, int64_t first);
  void emitAll(OpBuilder &builder, ArrayRef<Step> steps);
  void emitTied(OpBuilder &builder, int64_t stage);
  void addReductions(ArrayRef<TaskOp> reductions, SmallVector<TaskOp> &forward,
                     SmallVector<TaskOp> &backward) const;
  SmallVector<TaskOp> findLastAdding(ArrayRef<TaskOp> reductions,
                                     ArrayRef<TaskOp> tasks) const;
  bool hasCollectives(ArrayRef<TaskOp> tasks) const;
  std::vector<Step> transfersOf(Entry entry, int64_t stage,
                                const Action &action, bool sends) const;
  int64_t liveBound(StringRef kind, int64_t stage) const;

  int64_t stages = 1;
  /// By [stage], in program order.
  std::vector<SmallVector<TaskOp>> tasks;
  /// The symbols of values between tasks.
  llvm::StringSet<> values;
  std::optional<SymbolTable> symbols;
  /// Transfers of values that flow forward and backward over stage boundaries.
  SmallVector<StageTransfer> forwardTransfers, backwardTransfers;
  /// Transfers of once-per-step values, before the update.
  SmallVector<StageTransfer> tiedTransfers;
  /// The first writers of gradients.
  std::optional<FirstWriters> firstWriters;
};

} // namespace

/// ```
///           stage 0: F0 F1 F2 F3          B0 B1 B2 B3
///           stage 1:    F0 F1 F2 F3 B0 B1 B2 B3
/// ```
static bool beforeGpipe(const Action &a, const Action &b, int64_t, int64_t) {
  return std::pair(a.isBackward, a.microbatch) <
         std::pair(b.isBackward, b.microbatch);
}

/// ```
///           stage 0: F0 F1       B0 F2 B1 F3 B2    B3
///           stage 1:    F0 B0 F1 B1 F2 B2    F3 B3
/// ```
static bool before1F1B(const Action &a, const Action &b, int64_t stage,
                       int64_t stages) {
  auto key = [&](const Action &action) {
    int64_t place =
        action.microbatch + (action.isBackward ? stages - stage : 0);
    return std::pair(place, !action.isBackward);
  };
  return key(a) < key(b);
}

LogicalResult PipeSchedulePass::collect() {
  llvm::DenseSet<int64_t> named;
  stages = 1;
  for (auto task : getOperation().getOps<TaskOp>()) {
    named.insert(task.getStage());
    stages = std::max<int64_t>(stages, task.getStage() + 1);
  }
  if (stages > std::max<int64_t>(named.size(), 1))
    return emitError(getOperation().getLoc())
           << "has a task of stage " << stages - 1 << ", but tasks of "
           << named.size() << " stages";
  tasks.assign(stages, {});
  for (auto task : getOperation().getOps<TaskOp>())
    tasks[task.getStage()].push_back(task);
  symbols.emplace(getOperation());
  values.clear();
  for (auto value : getOperation().getOps<ValueOp>())
    values.insert(value.getSymName());
  return success();
}

/// Finds the transfers of all values that other stages use, in program order:
/// from stage to stage, or directly for once-per-step values.
void PipeSchedulePass::findTransfers() {
  llvm::StringMap<TaskOp> maker;
  for (auto task : getOperation().getOps<TaskOp>())
    for (unsigned i = 0; i < task.getTargets().size(); ++i)
      if (values.contains(task.getTarget(i)))
        maker[task.getTarget(i)] = task;
  auto add = [](SmallVector<StageTransfer> &transfers, StageTransfer transfer) {
    if (llvm::none_of(transfers, [&](const StageTransfer &other) {
          return other.value == transfer.value && other.from == transfer.from &&
                 other.to == transfer.to;
        }))
      transfers.push_back(transfer);
  };
  for (auto task : getOperation().getOps<TaskOp>())
    for (unsigned i = 0; i < task.getSources().size(); ++i) {
      auto it = maker.find(task.getSource(i));
      if (it == maker.end() || it->second.getStage() == task.getStage())
        continue;
      StringRef value = task.getSource(i);
      int64_t from = it->second.getStage(), to = task.getStage();
      if (!it->second.isPerMicrobatch()) {
        add(tiedTransfers, {value, from, to, task.getEntry(), kTied});
        continue;
      }
      int64_t step = from < to ? 1 : -1;
      for (int64_t at = from; at != to; at += step)
        add(step > 0 ? forwardTransfers : backwardTransfers,
            {value, at, at + step, task.getEntry(),
             step > 0 ? kActivations : kGradients});
    }
}

/// Emits the exchange of gradients of tied parameters. All stages go through
/// their peers in ascending order, so that no cycle of waits can form.
void PipeSchedulePass::emitTied(OpBuilder &builder, int64_t stage) {
  // Pair each send to a peer with a receive from it while there are both.
  for (int64_t peer = 0; peer < stages; ++peer) {
    SmallVector<StageTransfer> sends, receives;
    for (const StageTransfer &transfer : tiedTransfers) {
      if (transfer.from == stage && transfer.to == peer)
        sends.push_back(transfer);
      if (transfer.from == peer && transfer.to == stage)
        receives.push_back(transfer);
    }
    Location loc = getOperation().getLoc();
    for (size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
      if (i < sends.size() && i < receives.size())
        ExchangeOp::create(builder, loc, sends[i].value, Value(), 0, peer,
                           kTied, receives[i].value, Value(), 0, peer, kTied);
      else if (i < sends.size())
        SendOp::create(builder, loc, sends[i].value, Value(), 0, peer, kTied);
      else
        RecvOp::create(builder, loc, receives[i].value, Value(), 0, peer,
                       kTied);
    }
  }
}

static void emitRun(OpBuilder &builder, TaskOp task, Value loop,
                    IntegerAttr microbatch, bool isFirst) {
  RunOp::create(builder, task.getLoc(),
                FlatSymbolRefAttr::get(task.getSymNameAttr()), loop, microbatch,
                isFirst ? builder.getUnitAttr() : UnitAttr());
}

/// Marks the runs whose tasks call another body in later runs.
void PipeSchedulePass::noteFirst(MutableArrayRef<Step> steps) {
  for (const Step &step : steps)
    for (TaskOp task : step.tasks)
      firstWriters->note(task);
  llvm::DenseSet<Operation *> seen;
  for (Step &step : steps)
    for (TaskOp task : step.tasks)
      if (seen.insert(task).second && firstWriters->firstRunDiffers(task))
        step.first.push_back(task);
}

/// Emits a step. `first`: the first value of `loop`.
void PipeSchedulePass::emit(OpBuilder &builder, const Step &step, Value loop,
                            int64_t first) {
  Location loc = getOperation().getLoc();
  int64_t microbatch = step.microbatch - first;
  int64_t receivedMicrobatch = step.receivedMicrobatch - first;
  for (TaskOp task : step.tasks)
    if (task.isPerMicrobatch())
      emitRun(builder, task, loop, builder.getI64IntegerAttr(microbatch),
              llvm::is_contained(step.first, task));
    else
      emitRun(builder, task, Value(), IntegerAttr(), /*isFirst=*/false);
  const StageTransfer *sent = step.sent, *received = step.received;
  if (!step.released.empty())
    ReleaseOp::create(builder, loc, step.released);
  if (sent && received)
    ExchangeOp::create(builder, loc, sent->value, loop, microbatch, sent->to,
                       sent->channel, received->value, loop, receivedMicrobatch,
                       received->from, received->channel);
  else if (sent)
    SendOp::create(builder, loc, sent->value, loop, microbatch, sent->to,
                   sent->channel);
  else if (received)
    RecvOp::create(builder, loc, received->value, loop, receivedMicrobatch,
                   received->from, received->channel);
}

void PipeSchedulePass::emitAll(OpBuilder &builder, ArrayRef<Step> steps) {
  for (size_t i = 0; i < steps.size();) {
    Repetition found = findRepetition(steps, i);
    ArrayRef<Step> part = steps.slice(i, found.length);
    i += found.length * found.times;
    if (found.times == 1) {
      emit(builder, part.front(), Value(), 0);
      continue;
    }
    int64_t first = part.front().microbatch;
    for (const Step &step : part)
      first = std::min({first, step.microbatch, step.receivedMicrobatch});
    auto loop = LoopOp::create(builder, getOperation().getLoc(), first,
                               first + int64_t(found.times));
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&loop.getBody(), {},
                                       builder.getIndexType(), loop.getLoc());
    for (const Step &step : part)
      emit(builder, step, block->getArgument(0), first);
  }
}

/// Returns the most microbatches whose activations a stage holds.
int64_t PipeSchedulePass::liveBound(StringRef kind, int64_t stage) const {
  return kind == "gpipe" && stages > 1
             ? microbatches
             : std::min<int64_t>(stages - stage, microbatches);
}

/// Returns the sends or the receives of an action.
std::vector<Step> PipeSchedulePass::transfersOf(Entry entry, int64_t stage,
                                                const Action &action,
                                                bool sends) const {
  std::vector<Step> steps;
  for (const StageTransfer &transfer :
       action.isBackward ? backwardTransfers : forwardTransfers)
    if (transfer.entry == entry &&
        (sends ? transfer.from : transfer.to) == stage)
      steps.push_back(sends ? Step::send(transfer, action.microbatch)
                            : Step::receive(transfer, action.microbatch));
  return steps;
}

/// Returns for each reduction the last of the tasks, which run in this order,
/// that adds to its operands; null if none does.
SmallVector<TaskOp>
PipeSchedulePass::findLastAdding(ArrayRef<TaskOp> reductions,
                                 ArrayRef<TaskOp> tasks) const {
  llvm::StringMap<SmallVector<size_t, 1>> takers;
  for (auto [i, reduction] : llvm::enumerate(reductions))
    for (unsigned j = 0; j < TaskOp(reduction).getSources().size(); ++j)
      if (auto state =
              symbols->lookup<nn::StateOp>(TaskOp(reduction).getSource(j)))
        for (StringRef held : nn::heldBy(state))
          takers[held].push_back(i);
  SmallVector<TaskOp> last(reductions.size());
  for (TaskOp task : tasks)
    for (unsigned i = 0; i < task.getTargets().size(); ++i)
      for (size_t taker : takers.lookup(task.getTarget(i)))
        last[taker] = task;
  return last;
}

/// Inserts per-microbatch reductions after the last task that adds to their
/// gradients.
void PipeSchedulePass::addReductions(ArrayRef<TaskOp> reductions,
                                     SmallVector<TaskOp> &forward,
                                     SmallVector<TaskOp> &backward) const {
  SmallVector<TaskOp> all(forward);
  llvm::append_range(all, backward);
  for (auto [reduction, last] :
       llvm::zip(reductions, findLastAdding(reductions, all))) {
    bool isForward = llvm::is_contained(forward, last);
    SmallVector<TaskOp> &tasks =
        isForward || backward.empty() ? forward : backward;
    auto *place = llvm::find(tasks, last);
    // After reductions that are there already.
    while (place != tasks.end() && ++place != tasks.end())
      if (place->getPhase() != Phase::ReduceEach)
        break;
    tasks.insert(place, reduction);
  }
}

/// Whether tasks of segments have collectives, which are on the compute stream,
/// as with tensor and context parallelism.
bool PipeSchedulePass::hasCollectives(ArrayRef<TaskOp> tasks) const {
  auto communicates = [&](StringRef body) {
    return symbols->lookup<BodyOp>(body)
        .walk([](Operation *op) {
          return dist::collectiveAxes(op) ? WalkResult::interrupt()
                                          : WalkResult::advance();
        })
        .wasInterrupted();
  };
  return llvm::any_of(tasks, [&](TaskOp task) {
    return isSegmentPhase(task.getPhase()) && communicates(task.getBody());
  });
}

/// Adds the last run of tasks, with reductions after the tasks that they
/// follow.
static void
runLast(std::vector<Step> &steps, ArrayRef<TaskOp> tasks, int64_t microbatch,
        llvm::function_ref<ArrayRef<TaskOp>(TaskOp task)> reductionsAfter) {
  size_t begin = 0;
  for (auto [i, task] : llvm::enumerate(tasks)) {
    ArrayRef<TaskOp> reductions = reductionsAfter(task);
    if (reductions.empty() && i + 1 < tasks.size())
      continue;
    steps.push_back(Step::run(tasks.slice(begin, i + 1 - begin), microbatch));
    if (!reductions.empty())
      steps.push_back(Step::run(reductions, microbatch));
    begin = i + 1;
  }
}

void PipeSchedulePass::build(Entry entry, int64_t stage, Comparator before) {
  SmallVector<TaskOp> gathers, forUse, reductions, once, first, forward,
      backward, each;
  for (TaskOp task : tasks[stage]) {
    if (!task.isIn(entry))
      continue;
    auto &list = task->hasAttr(nn::kAheadAttr)          ? first
                 : task.getPhase() == Phase::Gather     ? gathers
                 : task.getPhase() == Phase::Reduce     ? reductions
                 : task.getPhase() == Phase::ReduceEach ? each
                 : !task.isPerMicrobatch()              ? once
                 : task.getPhase() == Phase::Backward   ? backward
                                                        : forward;
    list.push_back(task);
  }
  addReductions(each, forward, backward);
  std::vector<Action> actions;
  for (bool isBackward : {false, true})
    if (!(isBackward ? backward : forward).empty())
      for (int64_t i = 0; i < microbatches; ++i)
        actions.push_back({i, isBackward});
  if (actions.empty() && once.empty() && reductions.empty())
    return;
  llvm::sort(actions, [&](const Action &a, const Action &b) {
    return before(a, b, stage, stages);
  });

  // By task: the reductions after its last run; by null: reductions of
  // gradients that no task adds to.
  SmallVector<TaskOp> all(forward);
  llvm::append_range(all, backward);
  llvm::DenseMap<Operation *, SmallVector<TaskOp>> behind;
  for (auto [reduction, last] :
       llvm::zip(reductions, findLastAdding(reductions, all)))
    behind[last].push_back(reduction);
  GatherPlacement placement(*symbols);
  placement.sortByFirstUse(gathers, all);
  llvm::copy_if(gathers, std::back_inserter(forUse), [&](TaskOp gather) {
    auto row = symbols->lookup<nn::StateOp>(gather.getTarget(0));
    return row && row->hasAttr(nn::kReleasedAttr);
  });
  llvm::erase_if(gathers,
                 [&](TaskOp task) { return llvm::is_contained(forUse, task); });

  std::vector<Step> steps;
  for (TaskOp &task : first)
    for (int64_t i = 0; i < microbatches; ++i)
      steps.push_back(Step::run(task, i));
  auto add = [&](const Action &action, bool sends) {
    llvm::append_range(steps, transfersOf(entry, stage, action, sends));
  };
  // By direction: whether the inputs of its next action were received.
  bool isThere[] = {false, false};
  for (auto action = actions.begin(); action != actions.end(); ++action) {
    if (!isThere[action->isBackward])
      add(*action, /*sends=*/false);
    auto next =
        std::find_if(action + 1, actions.end(), [&](const Action &other) {
          return other.isBackward == action->isBackward;
        });
    isThere[action->isBackward] = ahead && next != actions.end() &&
                                  (!action->isBackward || next == action + 1);
    if (isThere[action->isBackward])
      add(*next, /*sends=*/false);
    ArrayRef<TaskOp> tasks = action->isBackward ? backward : forward;
    if (next == actions.end())
      runLast(steps, tasks, action->microbatch, [&](TaskOp task) {
        auto found = behind.find(task);
        return found == behind.end() ? ArrayRef<TaskOp>() : found->second;
      });
    else
      steps.push_back(Step::run(tasks, action->microbatch));
    add(*action, /*sends=*/true);
  }
  if (auto rest = behind.find(nullptr); rest != behind.end())
    steps.push_back(Step::run(rest->second, 0));
  if (!ahead)
    pairTransfers(steps, stage);
  bool interleaves = ahead && hasCollectives(all);
  if (interleaves)
    placement.interleave(steps, gathers, all);
  if (!forUse.empty())
    placement.gatherForUse(steps, forUse, /*lead=*/ahead ? 1 : 0);
  if (entry == Entry::Train)
    noteFirst(steps);

  ModuleOp module = getOperation();
  Location loc = module.getLoc();
  OpBuilder builder(&getContext());
  builder.setInsertionPointToEnd(module.getBody());
  auto schedule = ScheduleOp::create(builder, loc, entry, stage, microbatches);
  builder.createBlock(&schedule.getBody());
  // No gather needs a result of the first tasks, so all gathers are issued
  // before them.
  if (!interleaves)
    for (TaskOp task : gathers)
      emitRun(builder, task, Value(), IntegerAttr(), /*isFirst=*/false);
  emitAll(builder, steps);

  // Values that stages exchange once a step are computed by now.
  if (entry == Entry::Train)
    emitTied(builder, stage);
  for (TaskOp task : once)
    emitRun(builder, task, Value(), IntegerAttr(), /*isFirst=*/false);
  if (entry == Entry::Train)
    schedule->setAttr(kLiveAttr,
                      builder.getI64IntegerAttr(liveBound(kind, stage)));
}

void PipeSchedulePass::runOnOperation() {
  Comparator before = llvm::StringSwitch<Comparator>(kind)
                          .Case("gpipe", beforeGpipe)
                          .Case("1f1b", before1F1B)
                          .Default(nullptr);
  if (!before || microbatches < 1) {
    emitError(getOperation().getLoc())
        << "no schedule '" << kind << "' of " << int64_t(microbatches)
        << " microbatches";
    return signalPassFailure();
  }
  auto why = getOperation()->getAttrOfType<StringAttr>(nn::kWholeBatchAttr);
  if (why && microbatches > 1) {
    InFlightDiagnostic diag =
        emitError(getOperation().getLoc())
        << "the loss of a whole batch does not follow from those of its parts: "
        << why.getValue();
    diag.attachNote() << "it trains in one microbatch, not in "
                      << int64_t(microbatches);
    return signalPassFailure();
  }
  if (failed(collect()))
    return signalPassFailure();
  // A single stage waits for no other; 1f1b holds the fewest activations.
  if (stages == 1)
    before = before1F1B;
  findTransfers();
  firstWriters.emplace(getOperation());
  for (Entry entry : {Entry::Train, Entry::Evaluate, Entry::Forward})
    for (int64_t stage = 0; stage < stages; ++stage)
      build(entry, stage, before);
  if (failed(firstWriters->finish()))
    signalPassFailure();
}
