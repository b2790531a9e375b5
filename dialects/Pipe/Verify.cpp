//===- Verify.cpp - Well-formedness of tasks and schedules ----------------===//
//
// Only what one op and the symbols it names can show. That a schedule computes
// everything once and in order is the business of --pipe-check.
//
//===----------------------------------------------------------------------===//

#include "dialects/Pipe/Pipe.h"

using namespace mlir;
using namespace pcc::pipe;

LogicalResult TaskOp::verify() {
  Block *block = getBlock();
  if (block->getNumArguments() != getSources().size())
    return emitOpError() << "has " << block->getNumArguments()
                         << " arguments but " << getSources().size()
                         << " sources";
  if (!isa<YieldOp>(block->getTerminator()))
    return emitOpError() << "must end in pipe.yield";
  unsigned results = block->getTerminator()->getNumOperands();
  if (results != getTargets().size())
    return emitOpError() << "yields " << results << " values but has "
                         << getTargets().size() << " targets";
  for (ArrayAttr symbols : {getSources(), getTargets()})
    for (Attribute symbol : symbols)
      if (!isa<FlatSymbolRefAttr>(symbol))
        return emitOpError() << "binds to " << symbol << ", not to a symbol";
  return success();
}

/// The declared type of a pipe symbol, or null if it is no such symbol.
static Type boundType(Operation *symbol, bool isSource) {
  if (auto value = dyn_cast_or_null<ValueOp>(symbol))
    return value.getType();
  if (auto input = dyn_cast_or_null<InputOp>(symbol); input && isSource)
    return input.getType();
  if (auto output = dyn_cast_or_null<OutputOp>(symbol); output && !isSource)
    return output.getType();
  return {};
}

LogicalResult TaskOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto check = [&](Attribute name, Type type, bool isSource) {
    auto symbol = cast<FlatSymbolRefAttr>(name);
    Operation *target = tables.lookupNearestSymbolFrom(*this, symbol);
    Type declared = boundType(target, isSource);
    if (!declared)
      return LogicalResult(
          emitOpError() << "binds " << (isSource ? "an argument" : "a result")
                        << " to " << symbol << ", which is no pipe.value or "
                        << (isSource ? "pipe.input" : "pipe.output"));
    if (declared == type)
      return success();
    InFlightDiagnostic diag = emitOpError()
                              << "binds " << type << " to " << symbol;
    diag.attachNote(target->getLoc()) << "it is declared as " << declared;
    return LogicalResult(diag);
  };
  for (auto [name, arg] : llvm::zip(getSources(), getBlock()->getArguments()))
    if (failed(check(name, arg.getType(), /*isSource=*/true)))
      return failure();
  for (auto [name, type] :
       llvm::zip(getTargets(), getBlock()->getTerminator()->getOperandTypes()))
    if (failed(check(name, type, /*isSource=*/false)))
      return failure();
  return success();
}

LogicalResult ScheduleOp::verify() {
  for (Operation &op : *getBlock())
    if (!isa<RunOp, SendOp, RecvOp, ExchangeOp>(op))
      return op.emitOpError() << "cannot be part of a schedule";
  return success();
}

/// Checks that a microbatch lies within the schedule around `op`.
static LogicalResult checkMicrobatch(Operation *op, int64_t microbatch) {
  int64_t count = op->getParentOfType<ScheduleOp>().getMicrobatches();
  if (microbatch >= 0 && microbatch < count)
    return success();
  return op->emitOpError() << "names microbatch " << microbatch << " of "
                           << count;
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto task = tables.lookupNearestSymbolFrom<TaskOp>(*this, getTaskAttr());
  if (!task)
    return emitOpError() << "names " << getTaskAttr() << ", which is no task";
  auto schedule = (*this)->getParentOfType<ScheduleOp>();
  if (task.getStage() != schedule.getStage())
    return emitOpError() << "runs a task of stage " << task.getStage()
                         << " in the schedule of stage " << schedule.getStage();
  if (task.getEntry() != schedule.getEntry())
    return emitOpError() << "runs a task of phase "
                         << stringifyPhase(task.getPhase())
                         << " in the schedule to "
                         << stringifyEntry(schedule.getEntry());
  if (task.isPerMicrobatch() != getMicrobatch().has_value())
    return emitOpError() << "must" << (task.isPerMicrobatch() ? "" : " not")
                         << " name a microbatch";
  return getMicrobatch() ? checkMicrobatch(*this, *getMicrobatch()) : success();
}

/// Checks one end of a transfer.
static LogicalResult checkTransfer(Operation *op, SymbolTableCollection &tables,
                                   FlatSymbolRefAttr value, int64_t microbatch,
                                   int64_t peer) {
  if (!tables.lookupNearestSymbolFrom<ValueOp>(op, value))
    return op->emitOpError() << "names " << value << ", which is no pipe.value";
  if (peer == int64_t(op->getParentOfType<ScheduleOp>().getStage()))
    return op->emitOpError() << "is between stage " << peer << " and itself";
  return checkMicrobatch(op, microbatch);
}

LogicalResult SendOp::verifySymbolUses(SymbolTableCollection &tables) {
  return checkTransfer(*this, tables, getValueAttr(), getMicrobatch(),
                       getStage());
}

LogicalResult RecvOp::verifySymbolUses(SymbolTableCollection &tables) {
  return checkTransfer(*this, tables, getValueAttr(), getMicrobatch(),
                       getStage());
}

LogicalResult ExchangeOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(checkTransfer(*this, tables, getSentAttr(), getSendMicrobatch(),
                           getSendStage())))
    return failure();
  return checkTransfer(*this, tables, getReceivedAttr(), getRecvMicrobatch(),
                       getRecvStage());
}
