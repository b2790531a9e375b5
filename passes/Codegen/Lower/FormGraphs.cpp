//===- FormGraphs.cpp - Division of entry points into graphs --------------===//
//
// Divides entry points into graphs: a device launches many operations at once
// as a graph, which is the same in every step, and in every launch of a loop's
// graph:
//
//     rt.fill %x                       rt.graph 0
//     rt.for %m = 0 to 7 {             rt.fill %x
//       ... slot %m, of 3              rt.graph 1 turns 3
//     }                                rt.for %m = 0 to 6 { ... }
//     rt.call @update                  rt.graph 2
//                                      rt.for %m = 6 to 7 { ... }
//                                      rt.call @update
//
//===----------------------------------------------------------------------===//

#include "dialects/RT/RT.h"
#include "passes/Codegen/Passes.h"
#include <numeric>

namespace pcc {
#define GEN_PASS_DEF_RTFORMGRAPHSPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

/// Whether an op only names a buffer, event or constant, and executes nothing.
static bool isName(Operation &op) {
  return isa<rt::AddressOp, rt::EventOfOp, rt::ConstantOp, rt::CommIndexOp,
             rt::ViewOp>(op);
}

namespace {

class GraphFormer {
public:
  explicit GraphFormer(rt::StageOp stage) : stage(stage), symbols(stage) {}

  LogicalResult run() {
    for (auto function : stage.getBlock()->getOps<rt::FuncOp>()) {
      if (!function.getBlock()->getOps<rt::GraphOp>().empty())
        return function.emitOpError("has graphs already");
      if (function.isEntry())
        run(function);
    }
    return success();
  }

private:
  void run(rt::FuncOp entry);
  int64_t findTurns(rt::ForOp loop);
  bool divide(rt::ForOp loop, int64_t turns);
  void nameAgain(Block &entry);

  rt::StageOp stage;
  SymbolTable symbols;
  int64_t count = 0;
};

} // namespace

/// Returns the number of iterations after which a loop uses the same slots
/// again.
int64_t GraphFormer::findTurns(rt::ForOp loop) {
  int64_t turns = 1;
  for (auto address : loop.getBlock()->getOps<rt::AddressOp>())
    if (address.getLoop()) {
      auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
      turns = std::lcm(turns, address.getTurns(buffer.getSlots()).second);
    }
  for (auto call : loop.getBlock()->getOps<rt::CallOp>())
    if (auto frame = call.getFrame())
      turns = std::lcm(
          turns, int64_t(symbols.lookup<rt::BufferOp>(*frame).getSlots()));
  for (auto event : loop.getBlock()->getOps<rt::EventOfOp>())
    if (event.getLoop())
      turns = std::lcm(
          turns,
          int64_t(symbols.lookup<rt::EventOp>(event.getEvent()).getSlots()));
  return turns;
}

/// Splits off the iterations at a loop's end that do not fill a graph of
/// `turns` iterations. Returns false if the loop has fewer than two graphs and
/// should not become one.
bool GraphFormer::divide(rt::ForOp loop, int64_t turns) {
  int64_t begin = loop.getBegin(), end = loop.getEnd();
  if (end - begin < 2 * turns)
    return false;
  int64_t whole = end - (end - begin) % turns;
  if (whole == end)
    return true;
  OpBuilder builder(loop);
  builder.setInsertionPointAfter(loop);
  auto rest = cast<rt::ForOp>(builder.clone(*loop));
  loop.setEnd(whole);
  rest.setBegin(whole);
  return true;
}

/// Clones the naming ops into each graph that uses them, and erases unused
/// ones.
void GraphFormer::nameAgain(Block &entry) {
  DenseMap<Operation *, int64_t> graphs;
  int64_t graph = -1;
  bool isLoop = false;
  std::function<void(Operation *)> localize = [&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *name = operand.get().getDefiningOp();
      if (!name || name->getBlock() != &entry ||
          (!isLoop && graphs.lookup(name) == graph))
        continue;
      Operation *again = OpBuilder(op).clone(*name);
      graphs[again] = graph;
      localize(again);
      operand.set(again->getResult(0));
    }
  };
  for (Operation &op : llvm::make_early_inc_range(entry)) {
    if (auto next = dyn_cast<rt::GraphOp>(op)) {
      graph = next.getIndex();
      isLoop = next.getTurns().has_value();
    }
    graphs[&op] = graph;
    if (auto loop = dyn_cast<rt::ForOp>(op))
      for (Operation &inner : llvm::make_early_inc_range(*loop.getBlock()))
        localize(&inner);
    else
      localize(&op);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(entry)))
    if (isName(op) && op.use_empty())
      op.erase();
}

void GraphFormer::run(rt::FuncOp entry) {
  Block &block = *entry.getBlock();
  if (block.empty())
    return;
  // The first op of each graph, and the iterations of a loop's graph (0: no
  // loop).
  SmallVector<std::pair<Operation *, int64_t>> begins;
  Operation *firstName = nullptr;
  bool isOpen = false;
  // divide() inserts the rest of a loop behind it, so it is visited next.
  for (Operation *op = &block.front(); op; op = op->getNextNode()) {
    if (isName(*op)) {
      if (!firstName)
        firstName = op;
      continue;
    }
    auto loop = dyn_cast<rt::ForOp>(op);
    int64_t turns = loop ? findTurns(loop) : 0;
    if (loop && divide(loop, turns)) {
      begins.push_back({op, turns});
      isOpen = false;
    } else if (!isOpen) {
      begins.push_back({firstName ? firstName : op, 0});
      isOpen = true;
    }
    firstName = nullptr;
  }
  for (auto [op, turns] : begins) {
    OpBuilder builder(op);
    rt::GraphOp::create(builder, op->getLoc(), count++,
                        turns ? builder.getI64IntegerAttr(turns)
                              : IntegerAttr());
  }
  nameAgain(block);
}

namespace {

struct RTFormGraphsPass : pcc::impl::RTFormGraphsPassBase<RTFormGraphsPass> {
  void runOnOperation() override {
    for (auto stage : getOperation().getOps<rt::StageOp>())
      if (failed(GraphFormer(stage).run()))
        return signalPassFailure();
  }
};

} // namespace
