//===- Verify.cpp - Well-formedness of tasks and schedules ----------------===//
//
// These verifiers check one op and the symbols it names. --pipe-check verifies
// that schedules compute everything once and in a valid order.
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

LogicalResult BodyOp::verify() {
  Block *block = getBlock();
  if (!isa<YieldOp>(block->back()))
    return emitOpError() << "must end in pipe.yield";
  if (getResults().size() != getInto().size())
    return emitOpError() << "yields " << getResults().size()
                         << " values but has " << getInto().size()
                         << " results";
  for (Operation &op : *block)
    if (isa<nn::ReadOp, nn::WriteOp, nn::AccumulateOp>(op))
      return op.emitOpError()
             << "is not allowed in a body, which takes parameters and state as "
                "arguments";
  llvm::SmallDenseSet<int64_t> taken;
  for (auto [i, value, into] : llvm::enumerate(getResults(), getInto())) {
    if (into == -1)
      continue;
    if (into < 0 || into >= int64_t(block->getNumArguments()))
      return emitOpError() << "writes result " << i << " into argument " << into
                           << " of " << block->getNumArguments();
    if (!taken.insert(into).second)
      return emitOpError() << "writes two results into argument " << into;
    Type type = block->getArgument(into).getType();
    if (type != value.getType())
      return emitOpError() << "writes result " << i << " of " << value.getType()
                           << " into argument " << into << " of " << type;
  }
  int64_t last = -1;
  for (int64_t argument : getGivesUp().value_or(ArrayRef<int64_t>())) {
    if (argument <= last || argument >= int64_t(block->getNumArguments()))
      return emitOpError() << "lists argument " << argument << " of "
                           << block->getNumArguments()
                           << " in 'gives_up'; indices must be ascending and "
                              "in range";
    if (taken.contains(argument))
      return emitOpError() << "lists argument " << argument
                           << " in 'gives_up', but a result overwrites it";
    last = argument;
  }
  return success();
}

LogicalResult TaskOp::verify() {
  for (Attribute source : getSources())
    if (!isa<FlatSymbolRefAttr, IntegerAttr>(source))
      return emitOpError() << "binds an argument to " << source
                           << ", which is neither a symbol nor an integer";
  for (Attribute target : getTargets())
    if (!isa<FlatSymbolRefAttr>(target))
      return emitOpError() << "binds a result to " << target
                           << ", which is not a symbol";
  return success();
}

/// Whether a symbol's contents persist from step to step.
static bool isPersistent(Operation *symbol) {
  return isa_and_nonnull<nn::ParamOp, nn::StateOp>(symbol);
}

/// The declared type of a symbol that an argument (`isSource`) may be bound to,
/// or a result that is not bound to the symbol of the argument it overwrites;
/// null for any other symbol.
static Type boundType(Operation *symbol, bool isSource) {
  if (auto value = dyn_cast_or_null<ValueOp>(symbol))
    return value.getType();
  if (auto input = dyn_cast_or_null<InputOp>(symbol); input && isSource)
    return input.getType();
  if (auto output = dyn_cast_or_null<OutputOp>(symbol); output && !isSource)
    return output.getType();
  if (auto param = dyn_cast_or_null<nn::ParamOp>(symbol); param && isSource)
    return param.getType();
  if (auto state = dyn_cast_or_null<nn::StateOp>(symbol); state && isSource)
    return state.getType();
  return {};
}

LogicalResult TaskOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto body = tables.lookupNearestSymbolFrom<BodyOp>(*this, getBodyAttr());
  if (!body)
    return emitOpError() << "calls " << getBodyAttr()
                         << ", which is not a body";
  auto arguments = body.getBlock()->getArguments();
  if (arguments.size() != getSources().size())
    return emitOpError() << "binds " << getSources().size()
                         << " arguments, but the body takes "
                         << arguments.size();
  if (body.getInto().size() != getTargets().size())
    return emitOpError() << "binds " << getTargets().size()
                         << " results, but the body returns "
                         << body.getInto().size();
  if (getFirstAttr()) {
    auto first = tables.lookupNearestSymbolFrom<BodyOp>(*this, getFirstAttr());
    if (!first)
      return emitOpError() << "calls " << getFirstAttr()
                           << " first, which is not a body";
    if (!isPerMicrobatch())
      return emitOpError()
             << "runs once per step, so it cannot have a separate "
                "body for its first run";
    if (first.getInto() != body.getInto() ||
        first.getBlock()->getArgumentTypes() !=
            body.getBlock()->getArgumentTypes() ||
        first.getResults().getTypes() != body.getResults().getTypes())
      return emitOpError() << "calls " << getFirstAttr() << " first, which has "
                           << "another signature than " << getBodyAttr();
  }
  auto check = [&](Attribute name, Type type, bool isSource) {
    auto symbol = cast<FlatSymbolRefAttr>(name);
    Operation *target = tables.lookupNearestSymbolFrom(*this, symbol);
    Type declared = boundType(target, isSource);
    if (!declared)
      return LogicalResult(
          emitOpError() << "binds " << (isSource ? "an argument" : "a result")
                        << " to " << symbol << ", which is not a "
                        << (isSource ? "pipe.input, pipe.value, parameter or "
                                       "state"
                                     : "pipe.value or pipe.output"));
    if (declared == type)
      return success();
    InFlightDiagnostic diag = emitOpError()
                              << "binds " << type << " to " << symbol;
    diag.attachNote(target->getLoc()) << "it is declared as " << declared;
    return LogicalResult(diag);
  };
  llvm::SmallDenseSet<Attribute> kept;
  for (auto [source, argument] : llvm::zip(getSources(), arguments)) {
    if (isa<IntegerAttr>(source)) {
      auto type = cast<RankedTensorType>(argument.getType());
      if (type.getRank() != 0 || !type.getElementType().isInteger(64))
        return emitOpError() << "binds " << type << " to an integer";
      continue;
    }
    if (failed(check(source, argument.getType(), /*isSource=*/true)))
      return failure();
    if (isPersistent(tables.lookupNearestSymbolFrom(
            *this, cast<FlatSymbolRefAttr>(source))) &&
        !kept.insert(source).second)
      return emitOpError() << "binds two arguments to " << source;
  }
  llvm::SmallDenseSet<Attribute> given;
  for (auto [i, target, value] :
       llvm::enumerate(getTargets(), body.getResults())) {
    std::optional<unsigned> replaced = body.getReplaced(i);
    if (!given.insert(target).second)
      return emitOpError() << "binds two results to " << target;
    Attribute source = replaced ? getSources()[*replaced] : Attribute();
    if (target != source) {
      if (llvm::is_contained(getSources(), target))
        return emitOpError()
               << "binds both an argument and a result to " << target;
      if (failed(check(target, value.getType(), /*isSource=*/false)))
        return failure();
    }
    if (!replaced)
      continue;
    auto place = dyn_cast<FlatSymbolRefAttr>(source);
    Operation *held =
        place ? tables.lookupNearestSymbolFrom(*this, place) : nullptr;
    if (!isPersistent(held))
      return emitOpError() << "overwrites " << source
                           << ", which is not a parameter or state";
    bool isValue = isa_and_nonnull<ValueOp>(
        tables.lookupNearestSymbolFrom(*this, cast<FlatSymbolRefAttr>(target)));
    if (target != source && (!isValue || !isa<nn::StateOp>(held)))
      return emitOpError() << "binds a result that overwrites " << source
                           << " to " << target;
  }
  return success();
}

LogicalResult ScheduleOp::verify() {
  for (Operation &op : *getBlock())
    if (!isa<RunOp, ReleaseOp, SendOp, RecvOp, ExchangeOp, LoopOp>(op))
      return op.emitOpError() << "cannot be part of a schedule";
  return success();
}

LogicalResult LoopOp::verify() {
  if (failed(verifyLoop(*this)))
    return failure();
  if (getBlock()->empty())
    return emitOpError() << "needs at least one op";
  for (Operation &op : *getBlock())
    if (!isa<RunOp, ReleaseOp, SendOp, RecvOp, ExchangeOp>(op))
      return op.emitOpError() << "cannot be part of a loop";
  return success();
}

/// Checks that `op` names a microbatch of its schedule, in a loop in every
/// iteration. `variable` is the loop variable that the number is relative to,
/// or null.
static LogicalResult checkMicrobatch(Operation *op, int64_t microbatch,
                                     Value variable) {
  int64_t count = op->getParentOfType<ScheduleOp>().getMicrobatches();
  int64_t last = microbatch;
  if (auto loop = dyn_cast<LoopOp>(op->getParentOp())) {
    if (!variable)
      return op->emitOpError()
             << "names microbatch " << microbatch
             << " in every iteration of a loop, not relative to its variable";
    last += int64_t(loop.getEnd()) - 1;
    microbatch += int64_t(loop.getBegin());
  }
  for (int64_t named : {microbatch, last})
    if (named < 0 || named >= count)
      return op->emitOpError() << "names microbatch " << named
                               << ", but the schedule has " << count;
  return success();
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto task = tables.lookupNearestSymbolFrom<TaskOp>(*this, getTaskAttr());
  if (!task)
    return emitOpError() << "names " << getTaskAttr()
                         << ", which is not a task";
  auto schedule = (*this)->getParentOfType<ScheduleOp>();
  if (task.getStage() != schedule.getStage())
    return emitOpError() << "runs a task of stage " << task.getStage()
                         << " in the schedule of stage " << schedule.getStage();
  if (!task.isIn(schedule.getEntry()))
    return emitOpError() << "runs a task of phase "
                         << stringifyPhase(task.getPhase())
                         << " in the schedule of entry point "
                         << stringifyEntry(schedule.getEntry());
  if (getFirst() && !task.getFirst())
    return emitOpError() << "is the first run of " << getTaskAttr()
                         << ", which has no separate body for it";
  // The generic form and C++ builders can set the loop without a microbatch.
  if (task.isPerMicrobatch() != getMicrobatch().has_value() ||
      (getLoop() && !getMicrobatch()))
    return emitOpError() << "must" << (task.isPerMicrobatch() ? "" : " not")
                         << " name a microbatch";
  if (!getMicrobatch())
    return success();
  return checkMicrobatch(*this, *getMicrobatch(), getLoop());
}

LogicalResult ReleaseOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto row = tables.lookupNearestSymbolFrom<nn::StateOp>(*this, getRowAttr());
  if (row && row->hasAttr(nn::kReleasedAttr))
    return success();
  return emitOpError() << "names " << getRowAttr()
                       << ", which is not a bucket marked 'nn.released'";
}

/// Checks one half of a transfer.
static LogicalResult checkTransfer(Operation *op, SymbolTableCollection &tables,
                                   FlatSymbolRefAttr value, Value loop,
                                   int64_t microbatch, int64_t peer) {
  if (!tables.lookupNearestSymbolFrom<ValueOp>(op, value))
    return op->emitOpError()
           << "names " << value << ", which is not a pipe.value";
  if (peer == int64_t(op->getParentOfType<ScheduleOp>().getStage()))
    return op->emitOpError() << "is between stage " << peer << " and itself";
  return checkMicrobatch(op, microbatch, loop);
}

LogicalResult SendOp::verifySymbolUses(SymbolTableCollection &tables) {
  return checkTransfer(*this, tables, getValueAttr(), getLoop(),
                       getMicrobatch(), getStage());
}

LogicalResult RecvOp::verifySymbolUses(SymbolTableCollection &tables) {
  return checkTransfer(*this, tables, getValueAttr(), getLoop(),
                       getMicrobatch(), getStage());
}

LogicalResult ExchangeOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(checkTransfer(*this, tables, getSentAttr(), getSendLoop(),
                           getSendMicrobatch(), getSendStage())))
    return failure();
  return checkTransfer(*this, tables, getReceivedAttr(), getRecvLoop(),
                       getRecvMicrobatch(), getRecvStage());
}
