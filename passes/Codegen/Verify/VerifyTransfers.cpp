//===- VerifyTransfers.cpp - Deadlocks between stages ---------------------===//
//
// All ranks of a stage run the same program. So collectives within a stage
// match by construction, on one stream or several: every wait is for an
// earlier op in program order. This check follows transfers and collectives
// across stages. The schedules determine their order, but lowering has since
// moved and merged reductions and assigned streams.
//
// The check issues the transfers of each stage one at a time in program order,
// across all streams. If all stages finish, there is one order of all
// transfers that agrees with the order of every stage. So transfers cannot hang
// even on hardware that runs one at a time, and none waits for an event of a
// later one. Separate streams would not require this; GPU communicators do.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyTransfers.h"

using namespace mlir;
using namespace pcc;

namespace {

/// One end of a transfer between two stages.
struct Half {
  bool isSend;
  int64_t peer, channel, bytes;
  bool isDone = false;
};

/// The transfers and cross-stage collectives of a stage in an entry point, and
/// how many are done.
struct StageRun {
  rt::StageOp stage;
  SmallVector<Operation *> steps;
  size_t next = 0;
  /// The ends of the current transfer once posted; empty for a collective.
  SmallVector<Half, 2> halves;

  bool isDone() const { return next == steps.size(); }
  Operation *current() const { return steps[next]; }
  bool isAtCollective() const { return !isDone() && halves.empty(); }
  int64_t stageNumber() const { return rt::StageOp(stage).getIndex(); }
};

bool spansStages(Operation *op, rt::ProgramOp program) {
  return program && rt::isCollective(op) &&
         program.getAxes().hasRole(op->getAttrOfType<ArrayAttr>("axes"),
                                   dist::AxisRole::Pipeline);
}

/// Collects the transfers of one stage.
class Collector {
public:
  Collector(rt::StageOp stage, rt::ProgramOp program)
      : program(program), symbols(stage), run{stage, {}, 0, {}} {}
  StageRun collect(rt::FuncOp entry) {
    if (entry)
      collect(*entry.getBlock());
    return std::move(run);
  }

private:
  void collect(Block &block);

  rt::ProgramOp program;
  SymbolTable symbols;
  StageRun run;
};

void Collector::collect(Block &block) {
  for (Operation &op : block) {
    if (auto call = dyn_cast<rt::CallOp>(op)) {
      collect(*symbols.lookup<rt::FuncOp>(call.getCallee()).getBlock());
    } else if (auto loop = dyn_cast<rt::ForOp>(op)) {
      size_t begin = run.steps.size();
      collect(*loop.getBlock());
      SmallVector<Operation *> turn(llvm::drop_begin(run.steps, begin));
      for (int64_t i = int64_t(loop.getBegin()) + 1; i < int64_t(loop.getEnd());
           ++i)
        llvm::append_range(run.steps, turn);
    } else if (isa<rt::SendOp, rt::RecvOp, rt::ExchangeOp>(op) ||
               spansStages(&op, program)) {
      run.steps.push_back(&op);
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

/// Describes the properties of a collective that its ranks must agree on.
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
  LogicalResult post(StageRun &run);
  FailureOr<bool> matchTransfers();
  /// Completes a collective that all stages have reached; false if there is
  /// none.
  bool matchCollective();
  LogicalResult reportDeadlock();

  ModuleOp module;
  StringRef entry;
  int64_t stages = 0;
  SmallVector<StageRun> runs;
  /// By op: the ends that it posts.
  DenseMap<Operation *, SmallVector<Half, 2>> halves;
};

} // namespace

LogicalResult TransferVerifier::post(StageRun &run) {
  Operation *op = run.current();
  auto [known, isNew] = halves.try_emplace(op);
  if (isNew)
    known->second = halvesOf(op);
  run.halves = known->second;
  for (const Half &half : run.halves)
    if (half.peer < 0 || half.peer >= stages)
      return run.current()->emitOpError()
             << "names stage " << half.peer << ", but the number of stages is "
             << stages;
  return success();
}

FailureOr<bool> TransferVerifier::matchTransfers() {
  bool isAny = false;
  for (StageRun &sender : runs)
    for (Half &send : sender.halves) {
      if (!send.isSend)
        continue;
      for (StageRun &receiver : runs)
        for (Half &recv : receiver.halves) {
          if (send.isDone || recv.isSend || recv.isDone ||
              receiver.stageNumber() != send.peer ||
              recv.peer != sender.stageNumber() || recv.channel != send.channel)
            continue;
          if (recv.bytes != send.bytes) {
            InFlightDiagnostic diag =
                receiver.current()->emitOpError()
                << "receives " << recv.bytes << " bytes where stage "
                << sender.stageNumber() << " sends " << send.bytes;
            diag.attachNote(sender.current()->getLoc()) << "sent here";
            return diag;
          }
          send.isDone = recv.isDone = isAny = true;
        }
    }
  return isAny;
}

bool TransferVerifier::matchCollective() {
  for (StageRun &first : runs) {
    if (first.stageNumber() != 0 || !first.isAtCollective())
      continue;
    std::string text = describeCollective(first.current());
    SmallVector<StageRun *> all;
    for (StageRun &run : runs)
      if (run.isAtCollective() && run.stageNumber() == int64_t(all.size()) &&
          describeCollective(run.current()) == text)
        all.push_back(&run);
    if (int64_t(all.size()) != stages)
      continue;
    for (StageRun *run : all)
      ++run->next;
    return true;
  }
  return false;
}

LogicalResult TransferVerifier::reportDeadlock() {
  InFlightDiagnostic diag =
      module.emitError("the stages wait for each other forever in @") << entry;
  bool hasStreams = false;
  for (const StageRun &run : runs) {
    if (run.isDone()) {
      diag.attachNote(rt::StageOp(run.stage).getLoc())
          << "stage " << run.stageNumber() << " is done";
      continue;
    }
    hasStreams |= rt::getStream(run.current()) != 0;
    Diagnostic &note = diag.attachNote(run.current()->getLoc());
    note << "stage " << run.stageNumber();
    if (run.halves.empty())
      note << " waits for all stages to do "
           << describeCollective(run.current());
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
  if (hasStreams)
    diag.attachNote() << "transfers on all streams begin in program order";
  return diag;
}

LogicalResult TransferVerifier::verify() {
  auto programs = module.getOps<rt::ProgramOp>();
  rt::ProgramOp program = programs.empty() ? nullptr : *programs.begin();
  for (auto stage : module.getOps<rt::StageOp>()) {
    if (int64_t(stage.getIndex()) != stages)
      return stage.emitOpError()
             << "is declared where stage " << stages << " must be";
    ++stages;
    auto function =
        dyn_cast_or_null<rt::FuncOp>(SymbolTable::lookupSymbolIn(stage, entry));
    runs.push_back(Collector(stage, program).collect(function));
  }
  while (true) {
    for (StageRun &run : runs)
      if (!run.isDone() && run.halves.empty() && failed(post(run)))
        return failure();
    FailureOr<bool> isProgress = matchTransfers();
    if (failed(isProgress))
      return failure();
    for (StageRun &run : runs)
      if (!run.halves.empty() &&
          llvm::all_of(run.halves, [](const Half &h) { return h.isDone; })) {
        run.halves.clear();
        ++run.next;
      }
    if (llvm::all_of(runs, [](const StageRun &run) { return run.isDone(); }))
      return success();
    if (!*isProgress && !matchCollective())
      return reportDeadlock();
  }
}

LogicalResult pcc::verifyTransfers(ModuleOp module) {
  for (StringRef entry : rt::kEntries)
    if (failed(TransferVerifier(module, entry).verify()))
      return failure();
  return success();
}
