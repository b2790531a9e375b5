//===- Pipeline.cpp - Execution of the schedules of all stages ------------===//

#include "interpreter/Pipeline.h"
#include "dialects/Pipe/Cursor.h"
#include "interpreter/Collectives.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

/// The state of a stage's execution.
struct Pipeline::Stage {
  int64_t number;
  pipe::ScheduleOp schedule;
  SmallVector<int64_t> ranks;
  pipe::Cursor next;
  /// The task being run, if `next` is a run that has begun.
  std::unique_ptr<BlockRun> task;
  /// The halves of the transfer `next` that are not done yet.
  std::optional<pipe::Half> send, recv;
  bool isPosted = false;
  /// By value and microbatch, the value on each member rank.
  std::map<std::pair<StringRef, int64_t>, ValueList> values;

  bool isDone() { return next.isDone(); }
  /// Posts the transfer `next` unless it is posted already.
  void post() {
    if (isPosted || isDone())
      return;
    send = recv = std::nullopt;
    for (const pipe::Half &half : next.getHalves())
      (half.isSend ? send : recv) = half;
    isPosted = true;
  }
  void moveOn() {
    next.advance();
    isPosted = false;
  }
};

Pipeline::Pipeline(Machine &machine, pipe::Entry entry)
    : machine(machine), symbols(machine.getModule()), entry(entry) {
  const Grid &grid = machine.getGrid();
  for (auto schedule : machine.getModule().getOps<pipe::ScheduleOp>())
    if (schedule.getEntry() == entry) {
      Stage &stage = stages.emplace_back();
      stage.number = schedule.getStage();
      stage.schedule = schedule;
    }
  llvm::sort(stages, [](const Stage &a, const Stage &b) {
    return a.number < b.number;
  });
  for (Stage &stage : stages)
    if (stage.number < grid.numStages())
      stage.ranks = grid.stageRanks(stage.number);
}

Pipeline::~Pipeline() = default;

LogicalResult Pipeline::check() {
  int64_t expected = machine.getGrid().numStages();
  for (auto [i, stage] : llvm::enumerate(stages)) {
    if (stage.number != static_cast<int64_t>(i))
      return stage.schedule.emitError()
             << "is of stage " << stage.number << ", stage " << i
             << (stage.number > static_cast<int64_t>(i) ? " has no schedule"
                                                        : " has two schedules");
    if (stage.schedule.getMicrobatches() !=
        stages[0].schedule.getMicrobatches())
      return stage.schedule.emitError("has another number of microbatches than "
                                      "stage 0");
  }
  if (static_cast<int64_t>(stages.size()) != expected)
    return machine.getModule().emitError()
           << "has schedules of " << stages.size() << " stages for entry '"
           << pipe::stringifyEntry(entry) << "', the mesh has " << expected;
  return success();
}

int64_t Pipeline::getMicrobatches() const {
  return const_cast<pipe::ScheduleOp &>(stages[0].schedule).getMicrobatches();
}

Placement Pipeline::placement(pipe::InputOp input) {
  return placementOf(input->getDiscardableAttrDictionary(),
                     input.getTensorType(), machine.getGrid().getMesh());
}

LogicalResult Pipeline::begin(Stage &stage, pipe::RunOp run,
                              InputSource inputs) {
  auto task = symbols.lookup<pipe::TaskOp>(run.getTask());
  int64_t microbatch = stage.next.microbatchOf(run);
  if (int64_t(task.getStage()) != stage.number)
    return run.emitOpError() << "is in the schedule of stage " << stage.number
                             << ", the task is of stage " << task.getStage();
  auto body =
      symbols.lookup<pipe::BodyOp>(task.getCallee(run.getFirst()).getValue());
  stage.task =
      std::make_unique<BlockRun>(machine, *body.getBlock(), stage.ranks,
                                 task.isPerMicrobatch() ? microbatch : -1);
  for (auto [i, argument] : llvm::enumerate(body.getBlock()->getArguments())) {
    StringRef source = task.getSource(i);
    if (auto integer = task.getInteger(i)) {
      Tensor value(cast<RankedTensorType>(argument.getType()));
      value.integer[0] = *integer;
      stage.task->bind(argument, ValueList(stage.ranks.size(),
                                           std::make_shared<Tensor>(value)));
      continue;
    }
    // An unused argument needs no value.
    if (argument.use_empty()) {
      stage.task->bind(argument, ValueList(stage.ranks.size()));
      continue;
    }
    if (isa_and_nonnull<nn::ParamOp, nn::StateOp>(symbols.lookup(source))) {
      ValueList held;
      for (int64_t rank : stage.ranks) {
        TensorRef value = machine.readSymbol(source, rank);
        if (!value && !argument.use_empty())
          return run.emitOpError()
                 << "reads @" << source << ", which has no value";
        if (value && body.overwrites(i) && nn::isGradients(symbols, source) &&
            task.isPerMicrobatch())
          return run.emitOpError() << "overwrites @" << source
                                   << ", which discards the sum accumulated "
                                      "in it";
        held.push_back(value);
      }
      stage.task->bind(argument, held);
      continue;
    }
    if (auto input = symbols.lookup<pipe::InputOp>(source)) {
      TensorRef global =
          inputs(input, input.isPerMicrobatch() ? microbatch : -1);
      dist::Layout layout = placement(input).layout;
      ValueList parts;
      for (int64_t rank : stage.ranks)
        parts.push_back(shard(*global, layout, machine.getGrid(), rank));
      stage.task->bind(argument, parts);
      continue;
    }
    auto it = stage.values.find({source, microbatch});
    if (it == stage.values.end())
      return run.emitOpError()
             << "needs @" << source << " of microbatch " << microbatch
             << ", which stage " << stage.number << " does not have yet";
    stage.task->bind(argument, it->second);
  }
  return success();
}

/// A symbol that a task kills, or a state that a value has overwritten, has no
/// value.
void Pipeline::forget(Stage &stage, StringRef symbol, int64_t microbatch) {
  if (symbols.lookup<nn::StateOp>(symbol))
    for (int64_t rank : stage.ranks)
      machine.writeSymbol(symbol, rank, TensorRef());
  else
    stage.values.erase({symbol, microbatch});
}

/// Drops the gradients that no task of the stage clears. They are dead when a
/// step begins and ends.
void Pipeline::forgetGradients(Stage &stage) {
  llvm::StringSet<> cleared, used;
  auto add = [&](llvm::StringSet<> &to, StringRef symbol) {
    if (!nn::isGradients(symbols, symbol))
      return;
    for (StringRef name : nn::heldBy(symbols.lookup<nn::StateOp>(symbol)))
      to.insert(name);
  };
  for (auto task : machine.getModule().getOps<pipe::TaskOp>()) {
    if (int64_t(task.getStage()) != stage.number || task.getEntry() != entry)
      continue;
    for (unsigned i = 0; i < task.getSources().size(); ++i)
      add(used, task.getSource(i));
    // A task of a microbatch accumulates, unless it clears a bucket after
    // reducing it.
    auto body = symbols.lookup<pipe::BodyOp>(task.getBody());
    for (unsigned i = 0; i < task.getTargets().size(); ++i)
      if (!task.isPerMicrobatch() ||
          body.getResults()[i].getDefiningOp<nn::ConstantOp>())
        add(cleared, task.getTarget(i));
  }
  for (auto &symbol : used)
    if (!cleared.contains(symbol.getKey()))
      forget(stage, symbol.getKey(), 0);
}

void Pipeline::finish(Stage &stage, pipe::RunOp run) {
  auto task = symbols.lookup<pipe::TaskOp>(run.getTask());
  auto body =
      symbols.lookup<pipe::BodyOp>(task.getCallee(run.getFirst()).getValue());
  int64_t microbatch = stage.next.microbatchOf(run);
  for (unsigned i = 0; i < task.getSources().size(); ++i)
    if (body.isDeadAfterCall(i))
      forget(stage, task.getSource(i), microbatch);
  for (unsigned i = 0; i < task.getTargets().size(); ++i) {
    ValueList result = stage.task->getResult(i);
    std::optional<unsigned> replaced = body.getReplaced(i);
    if (symbols.lookup<pipe::ValueOp>(task.getTarget(i)) || !replaced) {
      stage.values[{task.getTarget(i), microbatch}] = result;
      if (replaced)
        forget(stage, task.getSource(*replaced), 0);
      continue;
    }
    for (auto [rank, value] : llvm::zip_equal(stage.ranks, result))
      machine.writeSymbol(task.getTarget(i), rank, value);
  }
  stage.task.reset();
}

Pipeline::Progress Pipeline::transfer(Stage &stage) {
  stage.post();
  Progress progress = Progress::Waiting;
  // The sender copies the value; the receiver is done when that has happened.
  if (stage.send) {
    pipe::Half sent = *stage.send;
    if (sent.peer < 0 || sent.peer >= int64_t(stages.size())) {
      (*stage.next)->emitOpError() << "there is no stage " << sent.peer;
      return Progress::Failed;
    }
    Stage &peer = stages[sent.peer];
    peer.post();
    auto value = stage.values.find({sent.value, sent.microbatch});
    if (value == stage.values.end()) {
      (*stage.next)->emitOpError()
          << "sends @" << sent.value << " of microbatch " << sent.microbatch
          << ", which stage " << stage.number << " does not have yet";
      return Progress::Failed;
    }
    if (peer.recv && sent.isCounterpart(*peer.recv, stage.number)) {
      if (peer.recv->value != sent.value ||
          peer.recv->microbatch != sent.microbatch) {
        InFlightDiagnostic diag = (*peer.next)->emitOpError()
                                  << "receives @" << peer.recv->value
                                  << " of microbatch " << peer.recv->microbatch;
        diag.attachNote((*stage.next)->getLoc())
            << "stage " << stage.number << " sends @" << sent.value
            << " of microbatch " << sent.microbatch;
        return Progress::Failed;
      }
      peer.values[{sent.value, sent.microbatch}] = value->second;
      stage.send.reset();
      peer.recv.reset();
      progress = Progress::Moved;
    }
  }
  if (stage.send || stage.recv)
    return progress;
  stage.moveOn();
  return Progress::Moved;
}

Pipeline::Progress Pipeline::step(Stage &stage, InputSource inputs) {
  if (stage.isDone())
    return Progress::Done;
  if (auto release = dyn_cast<pipe::ReleaseOp>(*stage.next)) {
    forget(stage, release.getRow(), 0);
    stage.moveOn();
    return Progress::Moved;
  }
  auto run = dyn_cast<pipe::RunOp>(*stage.next);
  if (!run)
    return transfer(stage);
  if (!stage.task && failed(begin(stage, run, inputs)))
    return Progress::Failed;
  switch (stage.task->advance()) {
  case BlockRun::Status::Failed:
    return Progress::Failed;
  case BlockRun::Status::Waiting:
    return Progress::Waiting;
  case BlockRun::Status::Done:
    break;
  }
  finish(stage, run);
  stage.moveOn();
  return Progress::Moved;
}

Pipeline::Progress Pipeline::matchCollective() {
  SmallVector<int64_t> ranks;
  std::vector<ValueList> operands;
  for (Stage &stage : stages) {
    if (!stage.task || !dist::isSameCollective(stage.task->getWaiting(),
                                               stages[0].task->getWaiting()))
      return Progress::Waiting;
    llvm::append_range(ranks, stage.ranks);
    llvm::append_range(operands, stage.task->getOperands());
  }
  std::vector<ValueList> results =
      machine.runCollective(stages[0].task->getWaiting(), ranks, operands);
  ArrayRef<ValueList> rest = results;
  for (Stage &stage : stages) {
    if (failed(stage.task->resume(rest.take_front(stage.ranks.size()))))
      return Progress::Failed;
    rest = rest.drop_front(stage.ranks.size());
  }
  return Progress::Moved;
}

LogicalResult Pipeline::reportDeadlock() {
  InFlightDiagnostic diag =
      stages[0].schedule.emitError("the stages wait for each other forever");
  for (Stage &stage : stages) {
    auto at = [&](Operation *op) -> Diagnostic & {
      return diag.attachNote(op->getLoc()) << "stage " << stage.number;
    };
    if (stage.isDone()) {
      at(stage.schedule) << " is done";
      continue;
    }
    if (stage.task) {
      Operation *op = stage.task->getWaiting();
      at(op) << " waits in '" << cast<pipe::RunOp>(*stage.next).getTask()
             << "' for other stages to do " << op->getName();
      continue;
    }
    auto describe = [&](const pipe::Half &half, StringRef how,
                        StringRef where) {
      at(*stage.next) << " waits to " << how << " @" << half.value
                      << " of microbatch " << half.microbatch << " " << where
                      << " stage " << half.peer << " on channel "
                      << half.channel;
    };
    if (stage.send)
      describe(*stage.send, "send", "to");
    if (stage.recv)
      describe(*stage.recv, "receive", "from");
  }
  return diag;
}

FailureOr<llvm::StringMap<TensorRef>> Pipeline::collectOutputs() {
  llvm::StringMap<TensorRef> outputs;
  const Grid &grid = machine.getGrid();
  for (auto output : machine.getModule().getOps<pipe::OutputOp>()) {
    SmallVector<int64_t> ranks;
    ValueList parts;
    for (Stage &stage : stages) {
      auto it = stage.values.find({output.getSymName(), 0});
      if (it == stage.values.end())
        continue;
      llvm::append_range(ranks, stage.ranks);
      llvm::append_range(parts, it->second);
    }
    if (parts.empty())
      continue;
    Placement placement = placementOf(output->getDiscardableAttrDictionary(),
                                      output.getTensorType(), grid.getMesh());
    auto global = rebuild(placement, grid, ranks, parts);
    if (!global)
      return output.emitError() << "output '" << output.getName()
                                << "': " << llvm::toString(global.takeError());
    outputs[output.getName()] = std::make_shared<Tensor>(std::move(*global));
  }
  return outputs;
}

FailureOr<llvm::StringMap<TensorRef>> Pipeline::run(InputSource inputs) {
  machine.beginEntry();
  for (Stage &stage : stages) {
    stage.next = pipe::Cursor(stage.schedule);
    stage.values.clear();
    stage.isPosted = false;
    forgetGradients(stage);
  }
  while (true) {
    bool moved = false, done = true;
    for (Stage &stage : stages) {
      Progress progress;
      do {
        progress = step(stage, inputs);
        if (progress == Progress::Failed)
          return failure();
        moved |= progress == Progress::Moved;
      } while (progress == Progress::Moved);
      done &= progress == Progress::Done;
    }
    if (done) {
      for (Stage &stage : stages)
        forgetGradients(stage);
      return collectOutputs();
    }
    if (moved)
      continue;
    Progress progress = matchCollective();
    if (progress == Progress::Failed)
      return failure();
    if (progress == Progress::Waiting)
      return reportDeadlock();
  }
}
