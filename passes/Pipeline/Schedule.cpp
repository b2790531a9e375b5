//===- Schedule.cpp - Orders runs and transfers of every stage ------------===//

#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipeline/Passes.h"
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

/// A run of a per-microbatch task.
struct Run {
  int64_t microbatch;
  bool isBackward;
  TaskOp task;
  size_t number; ///< in program order, by microbatch
};

/// True if `a` runs before `b` on a stage.
using Comparator = bool (*)(const Run &a, const Run &b, int64_t stage,
                            int64_t stages);

/// A value on its way from one stage to the next towards a user.
struct Hop {
  StringRef value;
  int64_t from, to;
  Entry entry;
};

/// Channels between two stages; each direction has its own.
enum Channel : int64_t { kActivations = 0, kGradients = 1, kTied = 2 };

struct PipeSchedulePass : pcc::impl::PipeSchedulePassBase<PipeSchedulePass> {
  using PipeSchedulePassBase::PipeSchedulePassBase;
  void runOnOperation() override;

  LogicalResult collect();
  void findHops();
  void build(Entry entry, int64_t stage, Comparator before);
  void emitTied(OpBuilder &builder, int64_t stage);
  int64_t liveBound(StringRef kind, int64_t stage) const;

  int64_t stages = 1;
  /// By [stage], in program order.
  std::vector<SmallVector<TaskOp>> tasks;
  /// What tasks hand to each other.
  llvm::StringSet<> values;
  /// What flows forward and what flows backward over stage boundaries.
  SmallVector<Hop> forwardHops, backwardHops;
  /// Once-per-step values: exchanged before the update.
  SmallVector<Hop> tiedHops;
};

} // namespace

/// ```
///           stage 0: F0 F1 F2 F3          B0 B1 B2 B3
///           stage 1:    F0 F1 F2 F3 B0 B1 B2 B3
/// ```
static bool beforeGpipe(const Run &a, const Run &b, int64_t, int64_t) {
  return std::pair(a.isBackward, a.microbatch) <
         std::pair(b.isBackward, b.microbatch);
}

/// ```
///           stage 0: F0 F1       B0 F2 B1 F3 B2    B3
///           stage 1:    F0 B0 F1 B1 F2 B2    F3 B3
/// ```
static bool before1F1B(const Run &a, const Run &b, int64_t stage,
                       int64_t stages) {
  auto key = [&](const Run &run) {
    int64_t turn = run.microbatch + (run.isBackward ? stages - stage : 0);
    return std::pair(turn, !run.isBackward);
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
  values.clear();
  for (auto value : getOperation().getOps<ValueOp>())
    values.insert(value.getSymName());
  return success();
}

/// Every value that another stage uses, hop by hop, in program order.
void PipeSchedulePass::findHops() {
  llvm::StringMap<TaskOp> maker;
  for (auto task : getOperation().getOps<TaskOp>())
    for (unsigned i = 0; i < task.getTargets().size(); ++i)
      if (values.contains(task.getTarget(i)))
        maker[task.getTarget(i)] = task;
  auto add = [](SmallVector<Hop> &hops, Hop hop) {
    if (llvm::none_of(hops, [&](const Hop &other) {
          return other.value == hop.value && other.from == hop.from &&
                 other.to == hop.to;
        }))
      hops.push_back(hop);
  };
  for (auto task : getOperation().getOps<TaskOp>())
    for (unsigned i = 0; i < task.getSources().size(); ++i) {
      auto it = maker.find(task.getSource(i));
      if (it == maker.end() || it->second.getStage() == task.getStage())
        continue;
      StringRef value = task.getSource(i);
      int64_t from = it->second.getStage(), to = task.getStage();
      if (!it->second.isPerMicrobatch()) {
        add(tiedHops, {value, from, to, task.getEntry()});
        continue;
      }
      int64_t step = from < to ? 1 : -1;
      for (int64_t at = from; at != to; at += step)
        add(step > 0 ? forwardHops : backwardHops,
            {value, at, at + step, task.getEntry()});
    }
}

/// A send to a stage followed by a receive from it waits forever if the other
/// side does the same, as it does in the steady state of 1f1b. One of each is
/// joined; of several, the later stage receives before it sends.
static void joinTransfers(Block &block, int64_t stage) {
  for (auto it = block.begin(); it != block.end();) {
    SmallVector<SendOp> sends;
    SmallVector<RecvOp> receives;
    auto isPeer = [&](int64_t peer) {
      return sends.empty() || int64_t(sends.front().getStage()) == peer;
    };
    for (; it != block.end(); ++it) {
      auto send = dyn_cast<SendOp>(*it);
      if (!send || !isPeer(send.getStage()))
        break;
      sends.push_back(send);
    }
    for (; !sends.empty() && it != block.end(); ++it) {
      auto recv = dyn_cast<RecvOp>(*it);
      if (!recv || !isPeer(recv.getStage()))
        break;
      receives.push_back(recv);
    }
    if (sends.empty()) {
      ++it;
      continue;
    }
    if (receives.empty())
      continue;
    SendOp send = sends.front();
    RecvOp recv = receives.front();
    if (sends.size() > 1 || receives.size() > 1) {
      if (int64_t(send.getStage()) < stage)
        for (RecvOp other : receives)
          other->moveBefore(send);
      continue;
    }
    OpBuilder builder(send);
    ExchangeOp::create(
        builder, send.getLoc(), send.getValueAttr(), send.getMicrobatchAttr(),
        send.getStageAttr(), send.getChannelAttr(), recv.getValueAttr(),
        recv.getMicrobatchAttr(), recv.getStageAttr(), recv.getChannelAttr());
    send.erase();
    recv.erase();
  }
}

/// Exchanges the gradients of tied parameters: stage pairs in one order
/// everywhere, so that no cycle of waits can form.
void PipeSchedulePass::emitTied(OpBuilder &builder, int64_t stage) {
  // Of a pair's hops, each send with a receive as long as there are both.
  for (int64_t peer = 0; peer < stages; ++peer) {
    SmallVector<Hop> sends, receives;
    for (const Hop &hop : tiedHops) {
      if (hop.from == stage && hop.to == peer)
        sends.push_back(hop);
      if (hop.from == peer && hop.to == stage)
        receives.push_back(hop);
    }
    Location loc = getOperation().getLoc();
    for (size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
      if (i < sends.size() && i < receives.size())
        ExchangeOp::create(builder, loc, sends[i].value, 0, peer, kTied,
                           receives[i].value, 0, peer, kTied);
      else if (i < sends.size())
        SendOp::create(builder, loc, sends[i].value, 0, peer, kTied);
      else
        RecvOp::create(builder, loc, receives[i].value, 0, peer, kTied);
    }
  }
}

static void emitRun(OpBuilder &builder, TaskOp task, IntegerAttr microbatch) {
  RunOp::create(builder, task.getLoc(),
                FlatSymbolRefAttr::get(task.getSymNameAttr()), microbatch);
}

/// The microbatches whose activations a stage holds at most.
int64_t PipeSchedulePass::liveBound(StringRef kind, int64_t stage) const {
  return kind == "gpipe" && stages > 1
             ? microbatches
             : std::min<int64_t>(stages - stage, microbatches);
}

void PipeSchedulePass::build(Entry entry, int64_t stage, Comparator before) {
  SmallVector<Run> runs;
  SmallVector<TaskOp> once, ahead;
  for (TaskOp task : tasks[stage]) {
    if (task.getEntry() != entry)
      continue;
    if (task->hasAttr(nn::kAheadAttr)) {
      ahead.push_back(task);
      continue;
    }
    if (!task.isPerMicrobatch()) {
      once.push_back(task);
      continue;
    }
    for (int64_t i = 0; i < microbatches; ++i)
      runs.push_back(
          {i, task.getPhase() == Phase::Backward, task, runs.size()});
  }
  if (runs.empty() && once.empty())
    return;
  // Of several tasks of one direction the first in the program is the first.
  llvm::sort(runs, [&](const Run &a, const Run &b) {
    if (before(a, b, stage, stages))
      return true;
    return !before(b, a, stage, stages) && a.number < b.number;
  });

  ModuleOp module = getOperation();
  Location loc = module.getLoc();
  OpBuilder builder(&getContext());
  builder.setInsertionPointToEnd(module.getBody());
  auto schedule = ScheduleOp::create(builder, loc, entry, stage, microbatches);
  Block *block = builder.createBlock(&schedule.getBody());
  builder.setInsertionPointToStart(block);

  for (TaskOp task : ahead)
    for (int64_t i = 0; i < microbatches; ++i)
      emitRun(builder, task, builder.getI64IntegerAttr(i));
  // What a stage does to a microbatch in one direction begins with all that it
  // receives for it and ends with all that it sends.
  auto isSame = [](const Run &a, const Run &b) {
    return a.microbatch == b.microbatch && a.isBackward == b.isBackward;
  };
  for (auto [i, run] : llvm::enumerate(runs)) {
    auto &hops = run.isBackward ? backwardHops : forwardHops;
    int64_t channel = run.isBackward ? kGradients : kActivations;
    if (i == 0 || !isSame(runs[i - 1], run))
      for (const Hop &hop : hops)
        if (hop.entry == entry && hop.to == stage)
          RecvOp::create(builder, loc, hop.value, run.microbatch, hop.from,
                         channel);
    emitRun(builder, run.task, builder.getI64IntegerAttr(run.microbatch));
    if (i + 1 == runs.size() || !isSame(run, runs[i + 1]))
      for (const Hop &hop : hops)
        if (hop.entry == entry && hop.from == stage)
          SendOp::create(builder, loc, hop.value, run.microbatch, hop.to,
                         channel);
  }
  joinTransfers(*block, stage);

  // First what other stages wait for, then the exchange, then its users.
  auto makesValues = [&](TaskOp task) {
    return llvm::any_of(task.getTargets(), [&](Attribute target) {
      return values.contains(cast<FlatSymbolRefAttr>(target).getValue());
    });
  };
  for (bool makers : {true, false}) {
    for (TaskOp task : once)
      if (makesValues(task) == makers)
        emitRun(builder, task, IntegerAttr());
    if (makers && entry == Entry::Train)
      emitTied(builder, stage);
  }
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
  // One stage has nobody to wait for: no schedule holds fewer activations.
  if (stages == 1)
    before = before1F1B;
  findHops();
  for (Entry entry : {Entry::Train, Entry::Evaluate, Entry::Forward})
    for (int64_t stage = 0; stage < stages; ++stage)
      build(entry, stage, before);
}
