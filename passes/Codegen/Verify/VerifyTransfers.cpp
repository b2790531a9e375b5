//===- VerifyTransfers.cpp - Do the stages' transfers meet? ---------------===//
//
// All ranks of a stage run the same program, so collectives within a stage
// meet by themselves; what crosses stages is followed here, stream by stream,
// as events let it. Before, the order of transfers is that of the schedules;
// lowering has moved and merged reductions since.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyTransfers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;

namespace {

/// One end of a message between two stages.
struct Half {
  bool isSend;
  int64_t peer, channel, bytes;
  bool isDone = false;
};

/// A transfer; or an rt.wait, for so many operations of another stream.
struct Step {
  Operation *op;
  int64_t stream = 0;
  size_t count = 0;

  bool isWait() const { return isa<rt::WaitOp>(op); }
};

/// A stream of a stage in an entry point: its steps, and how many are done.
struct StreamRun {
  rt::StageOp stage;
  int64_t stream = 0;
  SmallVector<Step> steps;
  size_t next = 0;
  SmallVector<Half, 2> halves;

  bool isDone() const { return next == steps.size(); }
  const Step &current() const { return steps[next]; }
  bool isAtCollective() const {
    return !isDone() && halves.empty() && !current().isWait();
  }
  int64_t stageNumber() const { return rt::StageOp(stage).getIndex(); }
};

bool spansStages(Operation *op, rt::ProgramOp program) {
  return program &&
         isa<rt::AllReduceOp, rt::AllGatherOp, rt::ReduceScatterOp,
             rt::AllToAllOp>(op) &&
         program.getAxes().hasRole(op->getAttrOfType<ArrayAttr>("axes"),
                                   dist::AxisRole::Pipeline);
}

/// Gives the streams of one stage what an entry point has for them.
class Collector {
public:
  Collector(rt::StageOp stage, rt::ProgramOp program)
      : stage(stage), program(program), symbols(stage) {}
  void collect(rt::FuncOp entry) {
    Events events;
    collect(*entry.getBlock(), events);
  }
  ArrayRef<StreamRun> getRuns() const { return runs; }

private:
  /// An event is its symbol and slot.
  using Event = std::pair<Operation *, int64_t>;
  using Events = DenseMap<Value, Event>;

  void collect(Block &block, Events &events);
  void collect(rt::ForOp loop, Events &events);
  StreamRun &runOf(int64_t stream) {
    for (StreamRun &run : runs)
      if (run.stream == stream)
        return run;
    runs.push_back({stage, stream, {}, 0, {}});
    return runs.back();
  }

  rt::StageOp stage;
  rt::ProgramOp program;
  SymbolTable symbols;
  SmallVector<StreamRun> runs;
  /// Where the loop at hand is.
  int64_t variable = 0;
  /// What the last record of an event stands for.
  DenseMap<Event, Step> recorded;
};

void Collector::collect(rt::ForOp loop, Events &events) {
  int64_t turns = int64_t(loop.getEnd()) - int64_t(loop.getBegin());
  SmallVector<size_t> before;
  for (StreamRun &run : runs)
    before.push_back(run.steps.size());
  variable = loop.getBegin();
  collect(*loop.getBlock(), events);
  // Which record a wait is for may differ from turn to turn; transfers do not.
  bool hasEvents = !stage.getBlock()->getOps<rt::EventOp>().empty();
  for (int64_t i = 1; i < turns && hasEvents; ++i) {
    ++variable;
    collect(*loop.getBlock(), events);
  }
  if (hasEvents)
    return;
  before.resize(runs.size(), 0);
  for (auto [run, begin] : llvm::zip(runs, before)) {
    SmallVector<Step> turn(llvm::drop_begin(run.steps, begin));
    for (int64_t i = 1; i < turns; ++i)
      llvm::append_range(run.steps, turn);
  }
}

void Collector::collect(Block &block, Events &events) {
  for (Operation &op : block) {
    if (auto call = dyn_cast<rt::CallOp>(op)) {
      auto callee = symbols.lookup<rt::FuncOp>(call.getCallee());
      Events inner;
      for (auto [argument, value] :
           llvm::zip(callee.getBlock()->getArguments(), call.getArgs()))
        if (isa<rt::EventType>(value.getType()))
          inner[argument] = events.lookup(value);
      collect(*callee.getBlock(), inner);
    } else if (auto loop = dyn_cast<rt::ForOp>(op)) {
      collect(loop, events);
    } else if (auto event = dyn_cast<rt::EventOfOp>(op)) {
      auto symbol = symbols.lookup<rt::EventOp>(event.getEvent());
      events[event] = {symbol, event.getSlotAt(variable, symbol.getSlots())};
    } else if (auto record = dyn_cast<rt::RecordOp>(op)) {
      int64_t stream = record.getStream();
      recorded[events.lookup(record.getEvent())] = {&op, stream,
                                                    runOf(stream).steps.size()};
    } else if (auto wait = dyn_cast<rt::WaitOp>(op)) {
      // Without a record in this entry it is for what was before.
      auto mark = recorded.find(events.lookup(wait.getEvent()));
      if (mark != recorded.end())
        runOf(wait.getStream())
            .steps.push_back({&op, mark->second.stream, mark->second.count});
    } else if (isa<rt::SendOp, rt::RecvOp, rt::ExchangeOp>(op) ||
               spansStages(&op, program)) {
      runOf(rt::getStream(&op)).steps.push_back({&op});
    }
  }
}

int64_t bytesOf(Value buffer) {
  return rt::getSpanBytes(cast<MemRefType>(buffer.getType()));
}

SmallVector<Half, 2> halvesOf(Operation *op) {
  if (auto send = dyn_cast<rt::SendOp>(op))
    return {{true, int64_t(send.getStage()), int64_t(send.getChannel()),
             bytesOf(send.getBuffer())}};
  if (auto recv = dyn_cast<rt::RecvOp>(op))
    return {{false, int64_t(recv.getStage()), int64_t(recv.getChannel()),
             bytesOf(recv.getBuffer())}};
  if (auto both = dyn_cast<rt::ExchangeOp>(op))
    return {{true, int64_t(both.getToStage()), int64_t(both.getSendChannel()),
             bytesOf(both.getSent())},
            {false, int64_t(both.getFromStage()),
             int64_t(both.getRecvChannel()), bytesOf(both.getReceived())}};
  return {};
}

/// What the ranks of a collective must agree on, for people.
std::string describeCollective(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName();
  int64_t bytes = bytesOf(op->getOperand(0));
  if (auto reduce = dyn_cast<rt::AllReduceOp>(op)) {
    os << ' ' << rt::stringifyReduction(reduce.getReduction());
    bytes = reduce.getBytes();
  }
  os << " of " << bytes << " bytes of "
     << cast<MemRefType>(op->getOperand(0).getType()).getElementType()
     << " over " << op->getAttr("axes");
  return text;
}

class TransferVerifier {
public:
  TransferVerifier(ModuleOp module, StringRef entry)
      : module(module), entry(entry) {}
  LogicalResult verify();

private:
  LogicalResult post(StreamRun &run);
  /// Passes the waits that are over.
  bool passWaits();
  FailureOr<bool> matchMessages();
  /// Completes a collective that all stages have come to.
  bool matchCollective();
  LogicalResult reportDeadlock();

  ModuleOp module;
  StringRef entry;
  int64_t stages = 0;
  SmallVector<StreamRun> runs;
  /// What an op posts.
  DenseMap<Operation *, SmallVector<Half, 2>> halves;
};

} // namespace

LogicalResult TransferVerifier::post(StreamRun &run) {
  Operation *op = run.current().op;
  auto [known, isNew] = halves.try_emplace(op);
  if (isNew)
    known->second = halvesOf(op);
  run.halves = known->second;
  for (const Half &half : run.halves)
    if (half.peer < 0 || half.peer >= stages)
      return run.current().op->emitOpError()
             << "names stage " << half.peer << " of " << stages;
  return success();
}

bool TransferVerifier::passWaits() {
  bool isAny = false;
  for (StreamRun &run : runs)
    while (!run.isDone() && run.current().isWait()) {
      const Step &wait = run.current();
      auto *other = llvm::find_if(runs, [&](const StreamRun &other) {
        return other.stage == run.stage && other.stream == wait.stream;
      });
      if (other->next < wait.count)
        break;
      ++run.next;
      isAny = true;
    }
  return isAny;
}

FailureOr<bool> TransferVerifier::matchMessages() {
  bool isAny = false;
  for (StreamRun &sender : runs)
    for (Half &send : sender.halves) {
      if (!send.isSend)
        continue;
      for (StreamRun &receiver : runs)
        for (Half &recv : receiver.halves) {
          if (send.isDone || recv.isSend || recv.isDone ||
              receiver.stageNumber() != send.peer ||
              recv.peer != sender.stageNumber() || recv.channel != send.channel)
            continue;
          if (recv.bytes != send.bytes) {
            InFlightDiagnostic diag =
                receiver.current().op->emitOpError()
                << "receives " << recv.bytes << " bytes where stage "
                << sender.stageNumber() << " sends " << send.bytes;
            diag.attachNote(sender.current().op->getLoc()) << "sent here";
            return diag;
          }
          send.isDone = recv.isDone = isAny = true;
        }
    }
  return isAny;
}

bool TransferVerifier::matchCollective() {
  for (StreamRun &first : runs) {
    if (first.stageNumber() != 0 || !first.isAtCollective())
      continue;
    std::string text = describeCollective(first.current().op);
    SmallVector<StreamRun *> all;
    for (StreamRun &run : runs)
      if (run.isAtCollective() && run.stageNumber() == int64_t(all.size()) &&
          describeCollective(run.current().op) == text)
        all.push_back(&run);
    if (int64_t(all.size()) != stages)
      continue;
    for (StreamRun *run : all)
      ++run->next;
    return true;
  }
  return false;
}

LogicalResult TransferVerifier::reportDeadlock() {
  InFlightDiagnostic diag =
      module.emitError("the stages wait for each other forever in @") << entry;
  for (int64_t stage = 0; stage < stages; ++stage) {
    bool isDone = true;
    for (const StreamRun &run : runs) {
      if (run.stageNumber() != stage || run.isDone())
        continue;
      isDone = false;
      Diagnostic &note = diag.attachNote(run.current().op->getLoc());
      note << "stage " << stage;
      if (run.current().isWait())
        note << " waits on stream " << run.stream << " for stream "
             << run.current().stream;
      else if (run.halves.empty())
        note << " waits for all stages to do "
             << describeCollective(run.current().op);
      StringRef separator = " waits to ";
      for (const Half &half : run.halves) {
        if (half.isDone)
          continue;
        note << separator << (half.isSend ? "send " : "receive ") << half.bytes
             << " bytes " << (half.isSend ? "to" : "from") << " stage "
             << half.peer << " on channel " << half.channel;
        separator = " and to ";
      }
    }
    if (isDone)
      for (auto op : module.getOps<rt::StageOp>())
        if (int64_t(op.getIndex()) == stage)
          diag.attachNote(op.getLoc()) << "stage " << stage << " is done";
  }
  return diag;
}

LogicalResult TransferVerifier::verify() {
  auto programs = module.getOps<rt::ProgramOp>();
  rt::ProgramOp program = programs.empty() ? nullptr : *programs.begin();
  for (auto stage : module.getOps<rt::StageOp>()) {
    if (int64_t(stage.getIndex()) != stages)
      return stage.emitOpError()
             << "stands where stage " << stages << " must be";
    ++stages;
    Collector collector(stage, program);
    if (auto function = dyn_cast_or_null<rt::FuncOp>(
            SymbolTable::lookupSymbolIn(stage, entry)))
      collector.collect(function);
    llvm::append_range(runs, collector.getRuns());
  }
  while (true) {
    bool isAny = passWaits();
    for (StreamRun &run : runs)
      if (!run.isDone() && run.halves.empty() && !run.current().isWait() &&
          failed(post(run)))
        return failure();
    FailureOr<bool> isProgress = matchMessages();
    if (failed(isProgress))
      return failure();
    for (StreamRun &run : runs)
      if (!run.halves.empty() &&
          llvm::all_of(run.halves, [](const Half &h) { return h.isDone; })) {
        run.halves.clear();
        ++run.next;
      }
    if (llvm::all_of(runs, [](const StreamRun &run) { return run.isDone(); }))
      return success();
    if (!isAny && !*isProgress && !matchCollective())
      return reportDeadlock();
  }
}

LogicalResult pcc::verifyTransfers(ModuleOp module) {
  for (StringRef entry : rt::kEntries)
    if (failed(TransferVerifier(module, entry).verify()))
      return failure();
  return success();
}
