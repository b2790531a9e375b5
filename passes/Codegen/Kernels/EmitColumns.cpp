//===- EmitColumns.cpp - Units that take a block of columns ---------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Emitter.h"
#include "passes/Codegen/Kernels/Expr.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

Window Emitter::blockWindow(Value block) {
  Value begin = arith::MulIOp::create(b, block, index(choices.columnBlock));
  if (program.columns % choices.columnBlock == 0)
    return {begin, b.getIndexAttr(choices.columnBlock)};
  Value rest = arith::SubIOp::create(b, index(program.columns), begin);
  Value size = arith::MinSIOp::create(b, rest, index(choices.columnBlock));
  return {begin, size};
}

void Emitter::emitColumnSums(Window window) {
  SmallVector<Root> roots;
  Value zero;
  for (const Node *node : sweepPlan.getColumnSums()) {
    Type type = accumulatorOf(node);
    if (!zero || zero.getType() != type)
      zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    Value sums =
        memref::SubViewOp::create(b, allocate(type, choices.columnBlock),
                                  ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
                                  ArrayRef<OpFoldResult>{window.size},
                                  ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    linalg::FillOp::create(b, ValueRange{zero}, ValueRange{sums});
    kept[node] = sums;
    roots.push_back({node->operands[0], sums, Root::SumElement});
  }
  {
    auto loop =
        scf::ForOp::create(b, index(0), index(program.reduced), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    reducedRow = loop.getInductionVar();
    auto outer = scalars;
    emitGeneric(roots, /*sweep=*/0, window);
    scalars = outer;
    reducedRow = nullptr;
  }
  for (auto [i, sweep] : llvm::enumerate(sweepPlan.getSweeps()))
    runSweep(sweep, i, window);
}

void Emitter::emitScatter(Window window) {
  const Scatter &scatter = program.scatter;
  Value table = arguments.back();
  auto forEach = [&](int64_t count, llvm::function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(b, index(0), index(count), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  };
  if (scatter.base < 0) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(elementOf(table)));
    forEach(scatter.tableRows, [&](Value at) {
      Value out = slice(table, at, program.columns, window);
      linalg::FillOp::create(b, ValueRange{zero}, ValueRange{out});
    });
  } else {
    // In place there is nothing to copy.
    Value base = arguments[scatter.base];
    auto address = [&](Value buffer) -> Value {
      return memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    };
    Value differs = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                          address(base), address(table));
    auto branch = scf::IfOp::create(b, differs, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    forEach(scatter.tableRows, [&](Value at) {
      Value from = slice(base, at, program.columns, window);
      Value to = slice(table, at, program.columns, window);
      linalg::CopyOp::create(b, ValueRange{from}, ValueRange{to});
    });
  }
  forEach(scatter.tokens, [&](Value token) {
    row = token;
    auto outer = scalars;
    Value id = scalar(scatter.id);
    Value isRow = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, id,
                                        index(scatter.tableRows));
    auto branch = scf::IfOp::create(b, isRow, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value out = slice(table, id, program.columns, window);
    emitGeneric({{scatter.dy, out, Root::SumElement}}, 0, window);
    scalars = outer;
  });
}
