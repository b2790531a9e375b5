//===- VerifyGraphs.cpp - Graphs that are alike in each launch ------------===//
//
// A device may skip all ops between two `rt.graph`, addresses included, and
// replay its recording of the first execution. So the slots that a loop's ops
// address must be the same in each launch.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyGraphs.h"

using namespace mlir;
using namespace pcc;

namespace {

class GraphVerifier {
public:
  GraphVerifier(rt::StageOp stage, Block &entry)
      : symbols(stage), entry(entry) {}

  LogicalResult run();

private:
  LogicalResult checkNames(Operation &op);
  LogicalResult checkIterations(rt::ForOp loop);
  LogicalResult checkSlots(Operation *op, StringAttr name, int64_t slots);

  SymbolTable symbols;
  Block &entry;
  rt::GraphOp graph;
  /// By op of the entry point: its graph.
  DenseMap<Operation *, rt::GraphOp> graphs;
};

} // namespace

LogicalResult GraphVerifier::checkNames(Operation &op) {
  for (Value operand : op.getOperands()) {
    Operation *name = operand.getDefiningOp();
    bool isOwn = !name || name->getBlock() == op.getBlock();
    // A graph of a loop's iterations holds nothing but the loop.
    if (!name || (isOwn && op.getBlock() != &entry) ||
        (graphs.lookup(name) == graph && (isOwn || !graph.getTurns())))
      continue;
    InFlightDiagnostic diag =
        op.emitOpError()
        << "is in graph " << graph.getIndex()
        << " and uses a value from outside, which a launch skips";
    diag.attachNote(name->getLoc()) << "this is not in the graph";
    return diag;
  }
  return success();
}

LogicalResult GraphVerifier::checkSlots(Operation *op, StringAttr name,
                                        int64_t slots) {
  int64_t turns = *graph.getTurns();
  if (turns % slots == 0)
    return success();
  return op->emitOpError() << "cycles through " << slots << " slots of @"
                           << name.getValue() << ", which does not "
                           << "divide the " << turns
                           << " iterations of its graph";
}

LogicalResult GraphVerifier::checkIterations(rt::ForOp loop) {
  int64_t turns = *graph.getTurns(),
          count = int64_t(loop.getEnd()) - int64_t(loop.getBegin());
  if (count % turns != 0)
    return loop.emitOpError()
           << "has " << count << " iterations, but graph " << graph.getIndex()
           << " covers " << turns << " at a time";
  for (Operation &op : *loop.getBlock()) {
    if (auto address = dyn_cast<rt::AddressOp>(op)) {
      auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
      if (address.getLoop() &&
          failed(checkSlots(&op, buffer.getSymNameAttr(),
                            address.getTurns(buffer.getSlots()).second)))
        return failure();
    } else if (auto named = dyn_cast<rt::EventOfOp>(op)) {
      auto event = symbols.lookup<rt::EventOp>(named.getEvent());
      if (named.getLoop() &&
          failed(checkSlots(&op, event.getSymNameAttr(), event.getSlots())))
        return failure();
    } else if (auto call = dyn_cast<rt::CallOp>(op)) {
      auto frame = call.getFrame()
                       ? symbols.lookup<rt::BufferOp>(*call.getFrame())
                       : rt::BufferOp();
      if (frame &&
          failed(checkSlots(&op, frame.getSymNameAttr(), frame.getSlots())))
        return failure();
    } else if (auto fill = dyn_cast<rt::FillOp>(op)) {
      // The host counts microbatches across launches.
      if (!fill.getAddress().getLoop())
        return fill.emitOpError("fills one microbatch in all iterations of a "
                                "graph's loop");
    }
  }
  return success();
}

LogicalResult GraphVerifier::run() {
  bool isLoopDue = false, isClosed = false;
  for (Operation &op : entry) {
    if (auto next = dyn_cast<rt::GraphOp>(op)) {
      if (isLoopDue)
        break;
      graph = next;
      isLoopDue = next.getTurns().has_value();
      isClosed = false;
      continue;
    }
    graphs[&op] = graph;
    auto loop = dyn_cast<rt::ForOp>(op);
    if (isLoopDue && !loop)
      break;
    bool isName = isa<rt::AddressOp, rt::EventOfOp, rt::ConstantOp,
                      rt::CommIndexOp, rt::ViewOp>(op);
    if (isName && (!graph || isClosed))
      continue;
    if (!graph || isClosed)
      return op.emitOpError(
          "is in no graph, unlike other ops of its entry point");
    if (failed(checkNames(op)))
      return failure();
    if (!loop)
      continue;
    for (Operation &inner : *loop.getBlock())
      if (failed(checkNames(inner)))
        return failure();
    if (isLoopDue && failed(checkIterations(loop)))
      return failure();
    isClosed = std::exchange(isLoopDue, false);
  }
  if (isLoopDue)
    return graph.emitOpError() << "is " << *graph.getTurns()
                               << " iterations of a loop, but no loop follows";
  return success();
}

LogicalResult pcc::verifyGraphs(rt::StageOp stage) {
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    if (!function.getBlock()->getOps<rt::GraphOp>().empty() &&
        failed(GraphVerifier(stage, *function.getBlock()).run()))
      return failure();
  return success();
}
