//===- EmitColumns.cpp - Work items over blocks of columns ----------------===//

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

/// Rows of one id that are read at a time. Text has a few very frequent tokens:
/// a thread that sums their rows would wait for each load in turn. More rows
/// exceed the registers of a thread.
static constexpr int64_t kRowsInFlight = 2;

Window Emitter::blockWindow(Value block) {
  Value begin = arith::MulIOp::create(b, block, index(choices.columnBlock));
  if (program.columns % choices.columnBlock == 0)
    return {begin, b.getIndexAttr(choices.columnBlock)};
  Value rest = arith::SubIOp::create(b, index(program.columns), begin);
  Value size = arith::MinSIOp::create(b, rest, index(choices.columnBlock));
  return {begin, size};
}

Value Emitter::beginSum(const Node *node, int64_t length, Window window) {
  Type type = accumulatorOf(node);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value sums = memref::SubViewOp::create(
      b, allocate(type, length), ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{window.size},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  linalg::FillOp::create(b, ValueRange{zero}, ValueRange{sums});
  return kept[node] = sums;
}

void Emitter::emitColumnSums(Window window) {
  SmallVector<Root> roots;
  for (const Node *node : passPlan.getColumnSums())
    roots.push_back({node->operands[0],
                     beginSum(node, choices.columnBlock, window),
                     Root::SumElement});
  {
    auto loop =
        scf::ForOp::create(b, index(0), index(program.reduced), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    reducedRow = loop.getInductionVar();
    auto outer = scalars;
    emitGeneric(roots, /*pass=*/0, window);
    scalars = outer;
    reducedRow = nullptr;
  }
  for (auto [i, pass] : llvm::enumerate(passPlan.getPasses()))
    emitPass(pass, i, window);
}

void Emitter::emitGroup(Value unit) {
  row = unit;
  Window window{nullptr, b.getIndexAttr(program.columns)};
  for (const Node *node : passPlan.getColumnSums())
    beginSum(node, program.columns, window);
  {
    auto loop =
        scf::ForOp::create(b, index(0), index(program.reduced), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    rowLoop = loop;
    reducedRow = loop.getInductionVar();
    auto outer = scalars;
    emitRow();
    scalars = outer;
    reducedRow = nullptr;
    rowLoop = nullptr;
  }
  emitPasses(/*isAfter=*/true);
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
    // If the table is updated in place, the base is not copied.
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

Value Emitter::ofToken(const Node *node, Value token) {
  row = token;
  auto outer = scalars;
  Value value = scalar(node);
  scalars = outer;
  return value;
}

Value Emitter::findFirst(Value id) {
  int64_t tokens = program.scatter.tokens;
  // Binary search: tokens before `low` are below `id`, tokens from `high` on
  // are not.
  auto loop =
      scf::ForOp::create(b, index(0), index(llvm::Log2_64_Ceil(tokens) + 1),
                         index(1), ValueRange{index(0), index(tokens)});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value low = loop.getRegionIterArgs()[0], high = loop.getRegionIterArgs()[1];
    Value middle = arith::DivUIOp::create(
        b, arith::AddIOp::create(b, low, high), index(2));
    Value at = arith::MinSIOp::create(b, middle, index(tokens - 1));
    Value isOpen =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, low, high);
    Value isBelow = arith::AndIOp::create(
        b, isOpen,
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, keyAt(at), id));
    Value next = arith::AddIOp::create(b, middle, index(1));
    Value nextLow = arith::SelectOp::create(b, isBelow, next, low);
    Value nextHigh = arith::SelectOp::create(
        b, arith::XOrIOp::create(b, isBelow, isOpen), middle, high);
    scf::YieldOp::create(b, ValueRange{nextLow, nextHigh});
  }
  return loop.getResult(0);
}

/// Without a base, each work item computes a row of the table, which may have
/// no tokens. With a base, there is a work item per token, of which the first
/// token of each id sums the rows of that id. Further work items copy the rows
/// without tokens, unless the table is updated in place.
void Emitter::emitRowSum(Value unit) {
  const Scatter &scatter = program.scatter;
  Value table = arguments.back();
  Window window{nullptr, b.getIndexAttr(program.columns)};
  auto rowOf = [&](Value buffer, Value at) {
    return slice(buffer, at, program.columns, window);
  };
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, how, x, y);
  };
  // Adds the rows of tokens [first, end), `count` at a time.
  auto addRows = [&](Value sum, Value first, Value end, int64_t count) {
    auto loop = scf::ForOp::create(b, first, end, index(count));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    for (int64_t i = 0; i < count; ++i) {
      row = arith::AddIOp::create(b, loop.getInductionVar(), index(i));
      auto outer = scalars;
      emitGeneric({{scatter.dy, sum, Root::SumElement}}, 0, window);
      scalars = outer;
    }
  };
  // Adds the rows of the tokens from `first` on whose id is `id`, within the
  // group of `first` if there are groups.
  auto addTokens = [&](Value sum, Value first, Value id) {
    Value end = findFirst(arith::AddIOp::create(b, id, index(1)));
    if (scatter.group) {
      Value group = arith::DivUIOp::create(b, first, index(scatter.group));
      Value next = arith::MulIOp::create(
          b, arith::AddIOp::create(b, group, index(1)), index(scatter.group));
      end = arith::MinSIOp::create(b, end, next);
    }
    Value count = arith::SubIOp::create(b, end, first);
    Value rest = arith::RemUIOp::create(b, count, index(kRowsInFlight));
    Value whole = arith::SubIOp::create(b, end, rest);
    addRows(sum, first, whole, kRowsInFlight);
    addRows(sum, whole, end, 1);
  };
  auto emitIf = [&](Value condition, llvm::function_ref<void()> body) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  };
  using Predicate = arith::CmpIPredicate;
  Value sum = allocate(elementOf(table), program.columns);
  if (scatter.base < 0) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(elementOf(table)));
    linalg::FillOp::create(b, ValueRange{zero}, ValueRange{sum});
    if (scatter.isOfGroups) {
      Value first = arith::MulIOp::create(b, unit, index(scatter.group));
      emitIf(compare(Predicate::eq, ofToken(scatter.id, first), unit),
             [&] { addTokens(sum, first, keyAt(first)); });
    } else {
      addTokens(sum, findFirst(unit), unit);
    }
    linalg::CopyOp::create(b, ValueRange{sum}, ValueRange{rowOf(table, unit)});
    return;
  }
  Value base = arguments[scatter.base], last = index(scatter.tokens - 1);
  emitIf(compare(Predicate::ult, unit, index(scatter.tokens)), [&] {
    Value id = keyAt(unit);
    Value before = arith::MaxSIOp::create(
        b, arith::SubIOp::create(b, unit, index(1)), index(0));
    Value isFirst =
        arith::OrIOp::create(b, compare(Predicate::ne, keyAt(before), id),
                             compare(Predicate::eq, unit, index(0)));
    Value isRow = compare(Predicate::ult, id, index(scatter.tableRows));
    emitIf(arith::AndIOp::create(b, isFirst, isRow), [&] {
      linalg::CopyOp::create(b, ValueRange{rowOf(base, id)}, ValueRange{sum});
      addTokens(sum, unit, id);
      linalg::CopyOp::create(b, ValueRange{sum}, ValueRange{rowOf(table, id)});
    });
  });
  auto address = [&](Value buffer) -> Value {
    return memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  };
  Value isCopied = arith::AndIOp::create(
      b, compare(Predicate::uge, unit, index(scatter.tokens)),
      compare(Predicate::ne, address(base), address(table)));
  emitIf(isCopied, [&] {
    Value at = arith::SubIOp::create(b, unit, index(scatter.tokens));
    Value first = findFirst(at);
    Value found = keyAt(arith::MinSIOp::create(b, first, last));
    Value isNone = arith::OrIOp::create(
        b, compare(Predicate::ne, found, at),
        compare(Predicate::eq, first, index(scatter.tokens)));
    emitIf(isNone, [&] {
      linalg::CopyOp::create(b, ValueRange{rowOf(base, at)},
                             ValueRange{rowOf(table, at)});
    });
  });
}
