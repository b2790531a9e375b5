//===- VerifyValues.cpp - Does memory hold what tasks mean? ---------------===//
//
// That a byte was last written by the right buffer does not say that it holds
// the right value: state is overwritten in place, and several values lie in one
// buffer after another. What each op means is known from the program that was
// lowered, what it finds from the order of writes.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyValues.h"
#include "passes/Codegen/Verify/Intervals.h"

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
  LogicalResult verifyEnd();
  /// Whether a range holds a value. What nothing has written yet holds the one
  /// that it is asked for first.
  bool holds(Range range, int64_t value);

  rt::FuncOp task;
  Intervals<int64_t> values;
  DenseMap<Value, Range> ranges;
};

} // namespace

bool TaskVerifier::holds(Range range, int64_t value) {
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
  if (!meant)
    return success();
  SmallVector<rt::Access> accesses = rt::getAccesses(op);
  if (meant.size() != int64_t(accesses.size()))
    return op->emitOpError() << "means " << meant.size() << " values but has "
                             << accesses.size() << " accesses";
  for (auto [access, value] : llvm::zip(accesses, meant.asArrayRef()))
    if (!access.isWrite && value >= 0 &&
        !holds(ranges.lookup(access.buffer), value))
      return op->emitOpError()
             << "means value " << value << " of '" << task.getSymName()
             << "', but reads a buffer that holds another";
  for (auto [access, value] : llvm::zip(accesses, meant.asArrayRef()))
    if (access.isWrite) {
      Range range = ranges.lookup(access.buffer);
      values.set(range.begin, range.end, value);
    }
  return success();
}

LogicalResult TaskVerifier::verifyEnd() {
  if (auto meant = task->getAttrOfType<DenseI64ArrayAttr>(rt::kValuesAttr)) {
    auto arguments = task.getBlock()->getArguments();
    if (meant.size() != int64_t(arguments.size()))
      return task.emitOpError()
             << "means " << meant.size() << " values but has "
             << arguments.size() << " arguments";
    for (auto [argument, value] : llvm::zip(arguments, meant.asArrayRef()))
      if (!holds(ranges.lookup(argument), value))
        return task.emitOpError()
               << "leaves another value in argument " << argument.getArgNumber()
               << " than value " << value;
  }
  return success();
}

LogicalResult TaskVerifier::verify() {
  // Arguments lie behind the frame, each by itself.
  int64_t end = task.getFrame();
  for (BlockArgument argument : task.getBlock()->getArguments()) {
    if (isa<rt::EventType>(argument.getType()))
      continue;
    int64_t begin = llvm::alignTo(end, rt::kAlignment);
    end = begin + rt::getSpanBytes(cast<MemRefType>(argument.getType()));
    ranges[argument] = {begin, end};
  }
  for (Operation &op : *task.getBlock())
    if (failed(verify(&op)))
      return failure();
  return verifyEnd();
}

LogicalResult pcc::verifyValues(rt::StageOp stage) {
  for (auto task : stage.getBlock()->getOps<rt::FuncOp>()) {
    if (failed(TaskVerifier(task).verify()))
      return failure();
    task.walk([](Operation *op) { op->removeAttr(rt::kValuesAttr); });
  }
  return success();
}
