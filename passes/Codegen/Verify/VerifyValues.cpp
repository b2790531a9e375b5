//===- VerifyValues.cpp - Does memory hold what tasks mean? ---------------===//
//
// That a byte was last written by the right buffer does not say that it holds
// the right value: state is overwritten in place, and several values lie in one
// buffer after another. What each op means is known from the program that was
// lowered, what it finds from the order of writes:
//
//     rt.views = [2, 1, 64]          value 2: value 1 from element 64 on
//     rt.launch @a outs(%x)          means [1]: %x is value 1
//     %y = rt.view %x offset 64
//     rt.gemm %y, ...                means [2, ...]: elements 64 ... of value 1
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
  /// What a byte is of: a value, no view, whose first element lies at `origin`.
  struct Held {
    int64_t value = -1, origin = 0;

    bool operator==(const Held &other) const {
      return value == other.value && origin == other.origin;
    }
  };
  /// Of a view: what it is of, which is none, and its first element there.
  struct Part {
    int64_t whole, offset;
  };

  LogicalResult verify(Operation *op);
  LogicalResult verifyEpilogue(Operation *op, ArrayRef<rt::Access> accesses,
                               ArrayRef<int64_t> meant);
  LogicalResult verifyCollective(Operation *op, ArrayRef<int64_t> meant);
  LogicalResult reduceParts(rt::AllReduceOp op);
  LogicalResult verifyBegin();
  LogicalResult verifyEnd();
  /// Checks that a collective turns one value into the other.
  LogicalResult verifyTurn(Operation *op, int64_t from, int64_t to);
  LogicalResult findViews();
  Part partOf(int64_t value) const {
    auto it = parts.find(value);
    return it == parts.end() ? Part{value, 0} : it->second;
  }
  /// What a buffer holds that has a value.
  Held heldBy(Value buffer, int64_t value) const {
    Part part = partOf(value);
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    return {part.whole, ranges.lookup(buffer).begin -
                            part.offset * rt::getElementBytes(element)};
  }
  void write(Value buffer, int64_t value) {
    Range range = ranges.lookup(buffer);
    values.set(range.begin, range.end, heldBy(buffer, value));
  }
  dist::ShardingAttr layoutOf(int64_t value) const {
    return layouts && value >= 0 && value < int64_t(layouts.size())
               ? dyn_cast<dist::ShardingAttr>(layouts[value])
               : dist::ShardingAttr();
  }
  /// Whether a buffer holds a value, in its place. What nothing has written yet
  /// holds the one that it is asked for first.
  bool holds(Value buffer, int64_t value);

  rt::FuncOp task;
  /// Which values its arguments hold, at its begin and then at its end.
  DenseI64ArrayAttr held =
      task->getAttrOfType<DenseI64ArrayAttr>(rt::kValuesAttr);
  /// By number, how the value lies.
  ArrayAttr layouts = task->getAttrOfType<ArrayAttr>(rt::kLayoutsAttr);
  /// By value that is a view.
  llvm::DenseMap<int64_t, Part> parts;
  Intervals<Held> values;
  DenseMap<Value, Range> ranges;
  /// Where the next one that is not in the frame may lie.
  int64_t end = 0;
};

} // namespace

LogicalResult TaskVerifier::findViews() {
  auto triples = task->getAttrOfType<DenseI64ArrayAttr>(rt::kViewsAttr);
  if (triples && triples.size() % 3)
    return task.emitOpError() << "does not say of each view of what it is, and "
                                 "from which element on";
  for (int64_t i = 0, end = triples ? triples.size() : 0; i < end; i += 3) {
    int64_t view = triples[i];
    Part from = partOf(triples[i + 1]);
    from.offset += triples[i + 2];
    if (!parts.try_emplace(view, from).second || from.whole == view)
      return task.emitOpError()
             << "has value " << view << " be a view of two or of itself";
    dist::ShardingAttr part = layoutOf(view), source = layoutOf(triples[i + 1]);
    if (part && source &&
        (part.getPartial() != source.getPartial() ||
         part.getPartialMax() != source.getPartialMax()))
      return task.emitOpError()
             << "has value " << view << ", which lies as " << part
             << ", be a view of value " << triples[i + 1] << ", which lies as "
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
      return op->emitOpError("does not say which value it is");
    end = llvm::alignTo(end, rt::kAlignment);
    ranges[index] = {end, end + rt::getSpanBytes(index.getType())};
    end = ranges[index].end;
    if (meant)
      write(index, meant[0]);
    return success();
  }
  SmallVector<rt::Access> accesses = rt::getAccesses(op);
  if (!meant && !accesses.empty() && held)
    return op->emitOpError("does not say which values it means");
  if (!meant)
    return success();
  if (meant.size() != int64_t(accesses.size()))
    return op->emitOpError() << "means " << meant.size() << " values but has "
                             << accesses.size() << " accesses";
  for (auto [access, value] : llvm::zip(accesses, meant.asArrayRef()))
    if (!access.isWrite && value >= 0 && !holds(access.buffer, value))
      return op->emitOpError()
             << "means value " << value << " of '" << task.getSymName()
             << "', but reads a buffer that holds another";
  if (failed(verifyCollective(op, meant)) ||
      failed(verifyEpilogue(op, accesses, meant)))
    return failure();
  if (op->hasAttr(rt::kPartsAttr))
    return reduceParts(cast<rt::AllReduceOp>(op));
  for (auto [access, value] : llvm::zip(accesses, meant.asArrayRef()))
    if (access.isWrite)
      write(access.buffer, value);
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
      !(rt::isCollective(op) || isa<rt::ShardSliceOp>(op)))
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

/// What a product makes on its way, it does not make of parts of a sum: ranks
/// would add a bias as often as there are parts.
LogicalResult TaskVerifier::verifyEpilogue(Operation *op,
                                           ArrayRef<rt::Access> accesses,
                                           ArrayRef<int64_t> meant) {
  auto gemm = dyn_cast<rt::GemmOp>(op);
  if (!layouts || !gemm)
    return success();
  rt::Epilogue epilogue = gemm.getEpilogue();
  for (auto [access, value] : llvm::zip(accesses, meant)) {
    // The gradient of gelu is linear in the product, not where it is taken.
    bool isOfWhole =
        epilogue == rt::Epilogue::GeluGrad
            ? access.buffer == gemm.getMatrix()
            : epilogue == rt::Epilogue::Bias || epilogue == rt::Epilogue::Gelu;
    bool isFactor =
        access.buffer == gemm.getA() || access.buffer == gemm.getB();
    dist::ShardingAttr layout = value < 0 ? nullptr : layoutOf(value);
    if (isOfWhole && !isFactor && layout &&
        (!layout.getPartial().empty() || !layout.getPartialMax().empty()))
      return op->emitOpError()
             << "makes '" << rt::stringifyEpilogue(epilogue) << "' of value "
             << value << " of '" << task.getSymName()
             << "', a part of a sum: " << layout;
  }
  return success();
}

/// Each value that the buffer holds becomes another one, where it lies.
LogicalResult TaskVerifier::reduceParts(rt::AllReduceOp op) {
  ArrayRef<int64_t> pairs =
      op->getAttrOfType<DenseI64ArrayAttr>(rt::kPartsAttr).asArrayRef();
  llvm::DenseMap<int64_t, int64_t> becomes;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    becomes[partOf(pairs[i]).whole] = partOf(pairs[i + 1]).whole;
    // Padding is a value of its own, of which nobody asks how it lies.
    if (layouts && pairs[i] != pairs[i + 1] &&
        failed(verifyTurn(op, pairs[i], pairs[i + 1])))
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
    if (isa<MemRefType>(argument.getType()))
      write(argument, held[argument.getArgNumber()]);
  return success();
}

LogicalResult TaskVerifier::verifyEnd() {
  auto arguments = task.getBlock()->getArguments();
  for (BlockArgument argument : arguments) {
    int64_t i = argument.getArgNumber();
    if (held && isa<MemRefType>(argument.getType()) && !task.givesUp(i) &&
        !holds(argument, held[arguments.size() + i]))
      return task.emitOpError() << "leaves another value in argument " << i
                                << " than value " << held[arguments.size() + i];
  }
  return success();
}

LogicalResult TaskVerifier::verify() {
  if (failed(findViews()))
    return failure();
  // Arguments lie behind the frame, each by itself.
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
      return task.emitOpError("does not say which values it means");
    if (failed(TaskVerifier(task).verify()))
      return failure();
  }
  return success();
}
