//===- ToLLVMLoops.cpp - Loops, and graphs of their calls -----------------===//
//
// The runtime captures a graph's calls once; later executions skip them. A
// graph of loop iterations covers a fixed number of them, so such a loop is
// enclosed in another:
//
//     launch(first):  if (!pcc_graph_begin(first)) goto next
//     iteration(i):   ...calls...; if (++i < first + turns) goto iteration
//                     pcc_graph_end
//     next:           first += turns; if (first < end) goto launch
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Emit/StageToLLVM.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace pcc;

Value StageToLLVM::beginGraph(rt::GraphOp op, Value turn) {
  std::string name =
      llvm::formatv("graph {0}, {1}@{2}", op.getIndex(),
                    op.getTurns() ? "turns of the loop of " : "of ",
                    op->getParentOfType<rt::FuncOp>().getSymName());
  Value issued = runtime.call(builder, loc, "pcc_graph_begin",
                              {context, i32(op.getIndex()), turn,
                               data.addString(name).emit(builder, loc)},
                              builder.getI32Type());
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, issued,
                              i32(0));
}

void StageToLLVM::endGraph() {
  if (afterGraph) {
    call("pcc_graph_end", {i32(graph.getIndex())});
    LLVM::BrOp::create(builder, loc, ValueRange(), afterGraph);
    builder.setInsertionPointToStart(afterGraph);
  }
  graph = {};
  afterGraph = nullptr;
}

void StageToLLVM::lowerOp(rt::GraphOp op) {
  endGraph();
  graph = op;
  if (op.getTurns())
    return;
  Value isIssued = beginGraph(op, i64(0));
  Block *before = builder.getInsertionBlock();
  Block *inside = builder.createBlock(before->getParent());
  afterGraph = builder.createBlock(before->getParent());
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, isIssued, inside, ValueRange(),
                         afterGraph, ValueRange());
  builder.setInsertionPointToStart(inside);
}

/// Lowers a loop whose iterations are captured as graphs, `turns` iterations
/// each.
LogicalResult StageToLLVM::lowerIterations(rt::ForOp op, rt::GraphOp graph) {
  Block *before = builder.getInsertionBlock();
  Region *function = before->getParent();
  auto addBlock = [&](TypeRange types) {
    SmallVector<Location> locations(types.size(), loc);
    return builder.createBlock(function, {}, types, locations);
  };
  auto isLess = [&](Value value, Value end) {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, value,
                                end);
  };
  Type integer = builder.getI64Type();
  Block *launch = addBlock(integer), *turn = addBlock(integer),
        *issued = addBlock({}), *next = addBlock({}), *after = addBlock({});
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, loc, ValueRange(i64(op.getBegin())), launch);

  builder.setInsertionPointToEnd(launch);
  Value first = launch->getArgument(0);
  Value behind =
      LLVM::AddOp::create(builder, loc, first, i64(int64_t(*graph.getTurns())));
  Value isIssued = beginGraph(graph, first);
  LLVM::CondBrOp::create(builder, loc, isIssued, turn, ValueRange(first), next,
                         ValueRange());

  builder.setInsertionPointToEnd(turn);
  variable = turn->getArgument(0);
  if (failed(lowerAll(*op.getBlock())))
    return failure();
  loc = op.getLoc();
  Value following = LLVM::AddOp::create(builder, loc, variable, i64(1));
  LLVM::CondBrOp::create(builder, loc, isLess(following, behind), turn,
                         ValueRange(following), issued, ValueRange());

  builder.setInsertionPointToEnd(issued);
  call("pcc_graph_end", {i32(graph.getIndex())});
  LLVM::BrOp::create(builder, loc, ValueRange(), next);

  builder.setInsertionPointToEnd(next);
  LLVM::CondBrOp::create(builder, loc, isLess(behind, i64(op.getEnd())), launch,
                         ValueRange(behind), after, ValueRange());
  builder.setInsertionPointToStart(after);
  variable = Value();
  return success();
}

LogicalResult StageToLLVM::lowerOp(rt::ForOp op) {
  if (graph && graph.getTurns())
    return lowerIterations(op, std::exchange(graph, rt::GraphOp()));
  Block *before = builder.getInsertionBlock();
  Block *turn =
      builder.createBlock(before->getParent(), {}, builder.getI64Type(), loc);
  variable = turn->getArgument(0);
  if (failed(lowerAll(*op.getBlock())))
    return failure();
  loc = op.getLoc();
  Value next = LLVM::AddOp::create(builder, loc, variable, i64(1));
  Value isLess = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt,
                                      next, i64(op.getEnd()));
  Block *after = builder.createBlock(before->getParent());
  builder.setInsertionPointToEnd(turn);
  LLVM::CondBrOp::create(builder, loc, isLess, turn, ValueRange(next), after,
                         ValueRange());
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, loc, ValueRange(i64(op.getBegin())), turn);
  builder.setInsertionPointToStart(after);
  variable = Value();
  return success();
}
