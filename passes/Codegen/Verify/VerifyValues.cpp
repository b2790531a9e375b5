//===- VerifyValues.cpp - Checks the values that ops access ---------------===//
//
// The byte check shows which buffer wrote a byte, not which value it holds:
// state is overwritten in place, and several values use one buffer in turn.
// `rt.values` of an op names the value of each access, known from the program
// that was lowered. This check compares them with the values in memory, which
// follow from the order of writes:
//
//     rt.views = [2, 1, 64]          value 2: value 1 from element 64 on
//     rt.launch @a outs(%x)          names [1]: %x is value 1
//     %y = rt.view %x offset 64
//     rt.gemm %y, ...                names [2, ...]: elements 64 ... of value 1
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyValues.h"
#include "passes/Codegen/Verify/CollectiveShardings.h"
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
  /// The contents of a byte: a value that is no view, and the address of its
  /// first element.
  struct Held {
    int64_t value = -1, origin = 0;

    bool operator==(const Held &other) const {
      return value == other.value && origin == other.origin;
    }
  };
  /// Of a view: the value that it is a view of, which is no view itself, and
  /// the element where it starts.
  struct ViewOrigin {
    int64_t whole, offset;
  };

  LogicalResult verify(Operation *op);
  LogicalResult verifyEpilogue(Operation *op, ArrayRef<rt::Access> accesses,
                               ArrayRef<int64_t> meant);
  LogicalResult verifyCollective(Operation *op, ArrayRef<int64_t> meant);
  LogicalResult reduceInPlace(rt::AllReduceOp op);
  LogicalResult verifyBegin();
  LogicalResult verifyEnd();
  /// Checks that a collective converts the sharding of one value to that of the
  /// other.
  LogicalResult verifyConversion(Operation *op, int64_t from, int64_t to);
  LogicalResult findViews();
  ViewOrigin partOf(int64_t value) const {
    auto it = parts.find(value);
    return it == parts.end() ? ViewOrigin{value, 0} : it->second;
  }
  /// Returns the contents of a buffer that holds a value.
  Held heldBy(Value buffer, int64_t value) const {
    ViewOrigin part = partOf(value);
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    return {part.whole, ranges.lookup(buffer).begin -
                            part.offset * rt::getElementBytes(element)};
  }
  void write(Value buffer, int64_t value) {
    Range range = ranges.lookup(buffer);
    values.set(range.begin, range.end, heldBy(buffer, value));
  }
  dist::ShardingAttr shardingOf(int64_t value) const {
    return layouts && value >= 0 && value < int64_t(layouts.size())
               ? dyn_cast<dist::ShardingAttr>(layouts[value])
               : dist::ShardingAttr();
  }
  /// Whether a buffer holds a value at the right address. Bytes without
  /// contents take the first value that is read from them.
  bool holds(Value buffer, int64_t value);

  rt::FuncOp task;
  /// The values of its arguments at its begin, then those at its end.
  DenseI64ArrayAttr held =
      task->getAttrOfType<DenseI64ArrayAttr>(rt::kValuesAttr);
  /// By value: its sharding.
  ArrayAttr layouts = task->getAttrOfType<ArrayAttr>(rt::kLayoutsAttr);
  /// By value that is a view: its source.
  llvm::DenseMap<int64_t, ViewOrigin> parts;
  Intervals<Held> values;
  DenseMap<Value, Range> ranges;
  /// The end of the addresses in use.
  int64_t end = 0;
};

} // namespace

LogicalResult TaskVerifier::findViews() {
  auto triples = task->getAttrOfType<DenseI64ArrayAttr>(rt::kViewsAttr);
  if (triples && triples.size() % 3)
    return task.emitOpError() << "needs a view, its source and an offset for "
                                 "each view in 'rt.views'";
  for (int64_t i = 0, end = triples ? triples.size() : 0; i < end; i += 3) {
    int64_t view = triples[i];
    ViewOrigin from = partOf(triples[i + 1]);
    from.offset += triples[i + 2];
    if (!parts.try_emplace(view, from).second || from.whole == view)
      return task.emitOpError()
             << "has value " << view << " be a view of two or of itself";
    dist::ShardingAttr part = shardingOf(view),
                       source = shardingOf(triples[i + 1]);
    if (part && source &&
        (part.getPartial() != source.getPartial() ||
         part.getPartialMax() != source.getPartialMax()))
      return task.emitOpError()
             << "has value " << view << " with sharding " << part
             << " be a view of value " << triples[i + 1] << " with sharding "
             << source;
  }
  return success();
}

bool TaskVerifier::holds(Value buffer, int64_t value) {
  Range range = ranges.lookup(buffer);
  Held meant = heldBy(buffer, value);
  bool isRight = true;
  SmallVector<Range> unknown;
  values.visit(range.begin, range.end,
               [&](int64_t begin, int64_t end, const Held *held) {
                 if (!held)
                   unknown.push_back({begin, end});
                 else
                   isRight &= *held == meant;
               });
  for (Range part : unknown)
    values.set(part.begin, part.end, meant);
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
  if (auto index = dyn_cast<rt::CommIndexOp>(op)) {
    if (held && (!meant || meant.size() != 1))
      return op->emitOpError("does not name its value in 'rt.values'");
    end = llvm::alignTo(end, rt::kAlignment);
    ranges[index] = {end, end + rt::getSpanBytes(index.getType())};
    end = ranges[index].end;
    if (meant)
      write(index, meant[0]);
    return success();
  }
  SmallVector<rt::Access> accesses = rt::getAccesses(op);
  if (!meant && !accesses.empty() && held)
    return op->emitOpError("does not name the values that it accesses in "
                           "'rt.values'");
  if (!meant)
    return success();
  if (meant.size() != int64_t(accesses.size()))
    return op->emitOpError() << "names " << meant.size() << " values but has "
                             << accesses.size() << " accesses";
  for (auto [access, value] : llvm::zip(accesses, meant.asArrayRef()))
    if (!access.isWrite && value >= 0 && !holds(access.buffer, value))
      return op->emitOpError()
             << "reads value " << value << " of '" << task.getSymName()
             << "' from a buffer that holds another";
  if (failed(verifyCollective(op, meant)) ||
      failed(verifyEpilogue(op, accesses, meant)))
    return failure();
  if (op->hasAttr(rt::kPartsAttr))
    return reduceInPlace(cast<rt::AllReduceOp>(op));
  for (auto [access, value] : llvm::zip(accesses, meant.asArrayRef()))
    if (access.isWrite)
      write(access.buffer, value);
  return success();
}

LogicalResult TaskVerifier::verifyConversion(Operation *op, int64_t from,
                                             int64_t to) {
  dist::ShardingAttr before = shardingOf(from), after = shardingOf(to);
  for (auto [value, layout] : {std::pair(from, before), std::pair(to, after)})
    if (!layout)
      return op->emitOpError()
             << "names value " << value << " of '" << task.getSymName()
             << "', which has no sharding";
  return verifyShardings(op, before, after);
}

/// Checks the shardings of a collective's operands and results.
LogicalResult TaskVerifier::verifyCollective(Operation *op,
                                             ArrayRef<int64_t> meant) {
  if (!layouts || op->hasAttr(rt::kPartsAttr) ||
      !(rt::isCollective(op) || isa<rt::ShardSliceOp>(op)))
    return success();
  if (meant.size() == 3) {
    // The accumulated value must have the sharding of the result.
    dist::ShardingAttr before = shardingOf(meant[1]),
                       after = shardingOf(meant[2]);
    if (before != after)
      return op->emitOpError()
             << "adds to value " << meant[1] << " of '" << task.getSymName()
             << "', whose sharding differs from that of value " << meant[2]
             << ", its result";
    return verifyConversion(op, meant[0], meant[2]);
  }
  size_t count = meant.size() / 2;
  for (size_t i = 0; i < count; ++i)
    if (failed(verifyConversion(op, meant[i], meant[count + i])))
      return failure();
  return success();
}

/// Checks that a GEMM's epilogue is not applied to a partial sum: every rank
/// would add the bias.
LogicalResult TaskVerifier::verifyEpilogue(Operation *op,
                                           ArrayRef<rt::Access> accesses,
                                           ArrayRef<int64_t> meant) {
  auto gemm = dyn_cast<rt::GemmOp>(op);
  if (!layouts || !gemm)
    return success();
  rt::Epilogue epilogue = gemm.getEpilogue();
  for (auto [access, value] : llvm::zip(accesses, meant)) {
    // The gradient of gelu is linear in the GEMM's result but not in gelu's
    // input.
    bool isOfWhole =
        epilogue == rt::Epilogue::GeluGrad
            ? access.buffer == gemm.getMatrix()
            : epilogue == rt::Epilogue::Bias || epilogue == rt::Epilogue::Gelu;
    bool isFactor =
        access.buffer == gemm.getA() || access.buffer == gemm.getB();
    dist::ShardingAttr layout = value < 0 ? nullptr : shardingOf(value);
    if (isOfWhole && !isFactor && layout &&
        (!layout.getPartial().empty() || !layout.getPartialMax().empty()))
      return op->emitOpError()
             << "applies '" << rt::stringifyEpilogue(epilogue) << "' to value "
             << value << " of '" << task.getSymName()
             << "', which is partial: " << layout;
  }
  return success();
}

/// Replaces each value in the buffers of an in-place all_reduce by its result.
LogicalResult TaskVerifier::reduceInPlace(rt::AllReduceOp op) {
  ArrayRef<int64_t> pairs =
      op->getAttrOfType<DenseI64ArrayAttr>(rt::kPartsAttr).asArrayRef();
  llvm::DenseMap<int64_t, int64_t> becomes;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    becomes[partOf(pairs[i]).whole] = partOf(pairs[i + 1]).whole;
    // Padding is a value of its own, without a sharding.
    if (layouts && pairs[i] != pairs[i + 1] &&
        failed(verifyConversion(op, pairs[i], pairs[i + 1])))
      return failure();
  }
  for (Value buffer : op.getBuffers()) {
    Range range = ranges.lookup(buffer);
    SmallVector<std::pair<Range, Held>> held;
    bool isKnown = true;
    values.visit(range.begin, range.end,
                 [&](int64_t begin, int64_t end, const Held *now) {
                   isKnown &= now && becomes.contains(now->value);
                   if (isKnown)
                     held.push_back(
                         {{begin, end}, {becomes[now->value], now->origin}});
                 });
    if (!isKnown)
      return op.emitOpError("reduces a buffer that holds another value than "
                            "it names");
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
           << "names " << held.size() << " values but has " << arguments.size()
           << " arguments, each with one value at the begin and one at the end";
  for (BlockArgument argument : arguments)
    if (isa<MemRefType>(argument.getType()))
      write(argument, held[argument.getArgNumber()]);
  return success();
}

LogicalResult TaskVerifier::verifyEnd() {
  auto arguments = task.getBlock()->getArguments();
  for (BlockArgument argument : arguments) {
    int64_t i = argument.getArgNumber();
    if (held && isa<MemRefType>(argument.getType()) &&
        !task.isDeadAfterCall(i) &&
        !holds(argument, held[arguments.size() + i]))
      return task.emitOpError() << "leaves another value in argument " << i
                                << " than value " << held[arguments.size() + i];
  }
  return success();
}

LogicalResult TaskVerifier::verify() {
  if (failed(findViews()))
    return failure();
  // Arguments get separate addresses after the frame.
  end = task.getFrame();
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
      return task.emitOpError("has no 'rt.values'");
    if (failed(TaskVerifier(task).verify()))
      return failure();
  }
  return success();
}
