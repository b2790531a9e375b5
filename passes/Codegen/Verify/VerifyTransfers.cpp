//===- VerifyTransfers.cpp - Do the stages' transfers meet? ---------------===//
//
// All ranks of a stage run the same program, so collectives within a stage
// meet by themselves; what crosses stages is followed here. Before, the order
// of transfers is that of the schedules; lowering has moved and merged
// reductions since.
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

/// The entry point of a stage: its transfers, and how many of them are done.
struct StageRun {
  rt::StageOp stage;
  SmallVector<Operation *> transfers;
  size_t next = 0;
  SmallVector<Half, 2> halves;

  bool isDone() const { return next == transfers.size(); }
  Operation *current() const { return transfers[next]; }
};

bool spansStages(Operation *op, rt::ProgramOp program) {
  return program &&
         isa<rt::AllReduceOp, rt::AllGatherOp, rt::ReduceScatterOp,
             rt::AllToAllOp>(op) &&
         program.getAxes().hasRole(op->getAttrOfType<ArrayAttr>("axes"),
                                   dist::AxisRole::Pipeline);
}

void collect(rt::FuncOp function, rt::ProgramOp program,
             SmallVectorImpl<Operation *> &transfers) {
  for (Operation &op : *function.getBlock()) {
    if (auto call = dyn_cast<rt::CallOp>(op))
      collect(SymbolTable::lookupNearestSymbolFrom<rt::FuncOp>(
                  call, call.getCalleeAttr()),
              program, transfers);
    else if (isa<rt::SendOp, rt::RecvOp, rt::ExchangeOp>(op) ||
             spansStages(&op, program))
      transfers.push_back(&op);
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
  LogicalResult post(StageRun &run);
  FailureOr<bool> matchMessages();
  /// Completes a collective that all stages have come to.
  bool matchCollective();
  LogicalResult reportDeadlock();

  ModuleOp module;
  StringRef entry;
  SmallVector<StageRun> runs;
};

} // namespace

LogicalResult TransferVerifier::post(StageRun &run) {
  run.halves = halvesOf(run.current());
  for (const Half &half : run.halves)
    if (half.peer < 0 || half.peer >= int64_t(runs.size()))
      return run.current()->emitOpError()
             << "names stage " << half.peer << " of " << runs.size();
  return success();
}

FailureOr<bool> TransferVerifier::matchMessages() {
  bool isAny = false;
  for (auto [from, sender] : llvm::enumerate(runs))
    for (Half &send : sender.halves) {
      if (!send.isSend || send.isDone)
        continue;
      StageRun &receiver = runs[send.peer];
      for (Half &recv : receiver.halves) {
        if (recv.isSend || recv.isDone || recv.peer != int64_t(from) ||
            recv.channel != send.channel)
          continue;
        if (recv.bytes != send.bytes) {
          InFlightDiagnostic diag = receiver.current()->emitOpError()
                                    << "receives " << recv.bytes
                                    << " bytes where stage " << from
                                    << " sends " << send.bytes;
          diag.attachNote(sender.current()->getLoc()) << "sent here";
          return diag;
        }
        send.isDone = recv.isDone = isAny = true;
      }
    }
  return isAny;
}

bool TransferVerifier::matchCollective() {
  for (const StageRun &run : runs)
    if (run.isDone() || !run.halves.empty() ||
        describeCollective(run.current()) !=
            describeCollective(runs.front().current()))
      return false;
  for (StageRun &run : runs)
    ++run.next;
  return true;
}

LogicalResult TransferVerifier::reportDeadlock() {
  InFlightDiagnostic diag =
      module.emitError("the stages wait for each other forever in @") << entry;
  for (auto [index, run] : llvm::enumerate(runs)) {
    if (run.isDone()) {
      diag.attachNote(run.stage.getLoc()) << "stage " << index << " is done";
      continue;
    }
    Diagnostic &note = diag.attachNote(run.current()->getLoc());
    note << "stage " << index;
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
  return diag;
}

LogicalResult TransferVerifier::verify() {
  auto programs = module.getOps<rt::ProgramOp>();
  rt::ProgramOp program = programs.empty() ? nullptr : *programs.begin();
  for (auto stage : module.getOps<rt::StageOp>()) {
    if (stage.getIndex() != runs.size())
      return stage.emitOpError()
             << "stands where stage " << runs.size() << " must be";
    StageRun &run = runs.emplace_back();
    run.stage = stage;
    if (auto function = dyn_cast_or_null<rt::FuncOp>(
            SymbolTable::lookupSymbolIn(stage, entry)))
      collect(function, program, run.transfers);
  }
  while (true) {
    for (StageRun &run : runs)
      if (!run.isDone() && run.halves.empty() && failed(post(run)))
        return failure();
    FailureOr<bool> isProgress = matchMessages();
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
