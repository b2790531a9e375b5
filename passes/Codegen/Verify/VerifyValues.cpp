//===- VerifyValues.cpp - Does memory hold what tasks mean? ---------------===//
//
// That a byte was last written by the right buffer does not say that it holds
// the right value: state is overwritten in place, and several values lie in one
// buffer after another. What each op means is known from the program that was
// lowered, what it finds from the order of writes.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyValues.h"
#include "passes/Codegen/Verify/CollectiveLayouts.h"
#include "passes/Codegen/Verify/Intervals.h"
#include "passes/Pipelines.h"

using namespace mlir;
using namespace pcc;

namespace {

class TaskVerifier {
public:
  explicit TaskVerifier(rt::FuncOp task) : task(task) {}
  LogicalResult verify();

private:
  struct Range {
    int64_t begin, end;
  };

  LogicalResult verify(Operation *op);
  LogicalResult verifyCollective(Operation *op, ArrayRef<int64_t> meant);
  LogicalResult reduceParts(rt::AllReduceOp op);
  LogicalResult verifyBegin();
  LogicalResult verifyEnd();
  /// Checks that a collective turns one value into the other.
  LogicalResult verifyTurn(Operation *op, int64_t from, int64_t to);
  LogicalResult findViews();
  /// What a value is elements of, or itself.
  int64_t wholeOf(int64_t value) const {
    auto it = wholes.find(value);
    return it == wholes.end() ? value : it->second;
  }
  dist::ShardingAttr layoutOf(int64_t value) const {
    return layouts && value >= 0 && value < int64_t(layouts.size())
               ? dyn_cast<dist::ShardingAttr>(layouts[value])
               : dist::ShardingAttr();
  }
  /// Whether a range holds a value. What nothing has written yet holds the one
  /// that it is asked for first.
  bool holds(Range range, int64_t value);

  rt::FuncOp task;
  /// Which values its arguments hold, at its begin and then at its end.
  DenseI64ArrayAttr held =
      task->getAttrOfType<DenseI64ArrayAttr>(rt::kValuesAttr);
  /// By number, how the value lies.
  ArrayAttr layouts = task->getAttrOfType<ArrayAttr>(rt::kLayoutsAttr);
  /// By value that is a view, what it is of, which is none.
  llvm::DenseMap<int64_t, int64_t> wholes;
  Intervals<int64_t> values;
  DenseMap<Value, Range> ranges;
};

} // namespace

LogicalResult TaskVerifier::findViews() {
  auto pairs = task->getAttrOfType<DenseI64ArrayAttr>(rt::kViewsAttr);
  for (int64_t i = 0, end = pairs ? pairs.size() : 0; i + 1 < end; i += 2) {
    int64_t view = pairs[i], whole = wholeOf(pairs[i + 1]);
    if (!wholes.try_emplace(view, whole).second || whole == view)
      return task.emitOpError()
             << "has value " << view << " be a view of two or of itself";
    dist::ShardingAttr part = layoutOf(view), source = layoutOf(pairs[i + 1]);
    if (part && source &&
        (part.getPartial() != source.getPartial() ||
         part.getPartialMax() != source.getPartialMax()))
      return task.emitOpError() << "has value " << view << ", which lies as "
                                << part << ", be a view of value "
                                << pairs[i + 1] << ", which lies as " << source;
  }
  return success();
}

bool TaskVerifier::holds(Range range, int64_t value) {
  value = wholeOf(value);
  bool isRight = true;
  SmallVector<Range> unknown;
  values.visit(range.begin, range.end,
               [&](int64_t begin, int64_t end, const int64_t *held) {
                 if (!held)
                   unknown.push_back({begin, end});
                 else
                   isRight &= *held == value;
               });
  for (Range part : unknown)
    values.set(part.begin, part.end, value);
  return isRight;
}

LogicalResult TaskVerifier::verify(Operation *op) {
  if (auto temporary = dyn_cast<rt::TemporaryOp>(op)) {
    int64_t begin = temporary.getOffset().value_or(0);
    ranges[temporary] = {begin, begin + rt::getSpanBytes(temporary.getType())};
    return success();
  }
  if (auto view = dyn_cast<rt::ViewOp>(op)) {
    MemRefType type = view.getType();
    int64_t begin =
        ranges.lookup(view.getSource()).begin +
        int64_t(view.getOffset()) * rt::getElementBytes(type.getElementType());
    ranges[view] = {begin, begin + rt::getSpanBytes(type)};
    return success();
  }
  auto meant = op->getAttrOfType<DenseI64ArrayAttr>(rt::kValuesAttr);
  SmallVector<rt::Access> accesses = rt::getAccesses(op);
  if (!meant && !accesses.empty() && held)
    return op->emitOpError("does not say which values it means");
  if (!meant)
    return success();
  if (meant.size() != int64_t(accesses.size()))
    return op->emitOpError() << "means " << meant.size() << " values but has "
                             << accesses.size() << " accesses";
  for (auto [access, value] : llvm::zip(accesses, meant.asArrayRef()))
    if (!access.isWrite && value >= 0 &&
        !holds(ranges.lookup(access.buffer), value))
      return op->emitOpError()
             << "means value " << value << " of '" << task.getSymName()
             << "', but reads a buffer that holds another";
  if (failed(verifyCollective(op, meant)))
    return failure();
  if (op->hasAttr(rt::kPartsAttr))
    return reduceParts(cast<rt::AllReduceOp>(op));
  for (auto [access, value] : llvm::zip(accesses, meant.asArrayRef()))
    if (access.isWrite) {
      Range range = ranges.lookup(access.buffer);
      values.set(range.begin, range.end, wholeOf(value));
    }
  return success();
}

LogicalResult TaskVerifier::verifyTurn(Operation *op, int64_t from,
                                       int64_t to) {
  dist::ShardingAttr before = layoutOf(from), after = layoutOf(to);
  for (auto [value, layout] : {std::pair(from, before), std::pair(to, after)})
    if (!layout)
      return op->emitOpError()
             << "means value " << value << " of '" << task.getSymName()
             << "', which does not say how it lies";
  return verifyLayouts(op, before, after);
}

/// What a collective moves lies as it takes and gives it.
LogicalResult TaskVerifier::verifyCollective(Operation *op,
                                             ArrayRef<int64_t> meant) {
  if (!layouts || op->hasAttr(rt::kPartsAttr) ||
      !isa<rt::AllReduceOp, rt::AllGatherOp, rt::ReduceScatterOp,
           rt::AllToAllOp, rt::ShardSliceOp>(op))
    return success();
  if (meant.size() == 3) {
    // What a sum is added to lies as the sum does.
    dist::ShardingAttr before = layoutOf(meant[1]), after = layoutOf(meant[2]);
    if (before != after)
      return op->emitOpError()
             << "adds to value " << meant[1] << " of '" << task.getSymName()
             << "', which does not lie as value " << meant[2] << " does";
    return verifyTurn(op, meant[0], meant[2]);
  }
  size_t count = meant.size() / 2;
  for (size_t i = 0; i < count; ++i)
    if (failed(verifyTurn(op, meant[i], meant[count + i])))
      return failure();
  return success();
}

/// Each value that the buffer holds becomes another one, where it lies.
LogicalResult TaskVerifier::reduceParts(rt::AllReduceOp op) {
  ArrayRef<int64_t> parts =
      op->getAttrOfType<DenseI64ArrayAttr>(rt::kPartsAttr).asArrayRef();
  llvm::DenseMap<int64_t, int64_t> becomes;
  for (size_t i = 0; i + 1 < parts.size(); i += 2) {
    becomes[wholeOf(parts[i])] = wholeOf(parts[i + 1]);
    // Padding is a value of its own, of which nobody asks how it lies.
    if (layouts && parts[i] != parts[i + 1] &&
        failed(verifyTurn(op, parts[i], parts[i + 1])))
      return failure();
  }
  for (Value buffer : op.getBuffers()) {
    Range range = ranges.lookup(buffer);
    SmallVector<std::pair<Range, int64_t>> held;
    bool isKnown = true;
    values.visit(range.begin, range.end,
                 [&](int64_t begin, int64_t end, const int64_t *value) {
                   isKnown &= value && becomes.contains(*value);
                   if (isKnown)
                     held.push_back({{begin, end}, becomes[*value]});
                 });
    if (!isKnown)
      return op.emitOpError("reduces a buffer that holds another value than "
                            "those it means");
    for (auto [part, value] : held)
      values.set(part.begin, part.end, value);
  }
  return success();
}

LogicalResult TaskVerifier::verifyBegin() {
  if (!held)
    return success();
  auto arguments = task.getBlock()->getArguments();
  if (held.size() != int64_t(2 * arguments.size()))
    return task.emitOpError()
           << "means " << held.size() << " values but has " << arguments.size()
           << " arguments, each with one at its begin and at its end";
  for (BlockArgument argument : arguments)
    if (isa<MemRefType>(argument.getType())) {
      Range range = ranges.lookup(argument);
      values.set(range.begin, range.end,
                 wholeOf(held[argument.getArgNumber()]));
    }
  return success();
}

LogicalResult TaskVerifier::verifyEnd() {
  auto arguments = task.getBlock()->getArguments();
  for (BlockArgument argument : arguments) {
    int64_t i = argument.getArgNumber();
    if (held && isa<MemRefType>(argument.getType()) && !task.givesUp(i) &&
        !holds(ranges.lookup(argument), held[arguments.size() + i]))
      return task.emitOpError() << "leaves another value in argument " << i
                                << " than value " << held[arguments.size() + i];
  }
  return success();
}

LogicalResult TaskVerifier::verify() {
  if (failed(findViews()))
    return failure();
  // Arguments lie behind the frame, each by itself.
  int64_t end = task.getFrame();
  for (BlockArgument argument : task.getBlock()->getArguments()) {
    if (isa<rt::EventType>(argument.getType()))
      continue;
    int64_t begin = llvm::alignTo(end, rt::kAlignment);
    end = begin + rt::getSpanBytes(cast<MemRefType>(argument.getType()));
    ranges[argument] = {begin, end};
  }
  if (failed(verifyBegin()))
    return failure();
  for (Operation &op : *task.getBlock())
    if (failed(verify(&op)))
      return failure();
  return verifyEnd();
}

LogicalResult pcc::verifyValues(rt::StageOp stage) {
  auto module = stage->getParentOfType<ModuleOp>();
  auto phase = module->getAttrOfType<StringAttr>(kPhaseAttr);
  for (auto task : stage.getBlock()->getOps<rt::FuncOp>()) {
    if (phase && phase == "rt" && !task.isEntry() &&
        !task->hasAttr(rt::kValuesAttr))
      return task.emitOpError("does not say which values it means");
    if (failed(TaskVerifier(task).verify()))
      return failure();
  }
  return success();
}
