//===- Loops.cpp - Grouped contractions on CPUs ---------------------------===//
//
// A work item is a row of the result. Its group is that of the row, or that of
// the matrix which the row belongs to:
//
//     "rk,enk->rn"   row r: group = the number of ends that are at most r
//     "rn,rk->enk"   row (e, n): the sum over the rows of group e
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

int64_t codegen::countGroupedUnits(const GroupedSizes &sizes) {
  return sizes.form == GroupedSizes::Sums ? sizes.groups * sizes.n : sizes.rows;
}

namespace {
class GroupedUnit {
public:
  GroupedUnit(ScalarBuilder &b, const GroupedSizes &sizes,
              const KernelChoices &choices, const GroupedBuffers &buffers)
      : b(b), sizes(sizes), buffers(buffers) {
    Type element = elementOf(buffers.lhs);
    accumulator = choices.accumulatorBits == 64 || element.isF64()
                      ? Type(b.getF64Type())
                      : Type(b.getF32Type());
  }
  void emit(Value unit);

private:
  static Type elementOf(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType();
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value mul(Value x, int64_t y) {
    return arith::MulIOp::create(b, x, index(y));
  }
  Value load(Value buffer, Value at) {
    Value x = memref::LoadOp::create(b, buffer, ValueRange{at});
    return convertScalar(b, x, accumulator);
  }
  /// The end of a group, an index.
  Value endOf(Value group) {
    Value end = memref::LoadOp::create(b, buffers.ends, ValueRange{group});
    return arith::IndexCastOp::create(b, b.getIndexType(), end);
  }
  Value loop(Value begin, Value end, Value start,
             llvm::function_ref<Value(Value, Value)> body) {
    auto loop = scf::ForOp::create(b, begin, end, index(1), ValueRange{start});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
    scf::YieldOp::create(b, next);
    return loop.getResult(0);
  }
  /// For each column of the result's row: `first(place)` plus the sum over
  /// steps from `begin` to `end` of lhs[at.first] * rhs[at.second].
  void emitRow(
      Value row, Value begin, Value end,
      llvm::function_ref<std::pair<Value, Value>(Value column, Value step)> at);

  ScalarBuilder &b;
  const GroupedSizes &sizes;
  const GroupedBuffers &buffers;
  Type accumulator;
};
} // namespace

void GroupedUnit::emitRow(
    Value row, Value begin, Value end,
    llvm::function_ref<std::pair<Value, Value>(Value, Value)> at) {
  auto columns =
      scf::ForOp::create(b, index(0), index(sizes.resultColumns()), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(columns.getBody());
  Value column = columns.getInductionVar();
  Value place = add(mul(row, sizes.resultColumns()), column);
  Value zero = arith::ConstantOp::create(b, b.getFloatAttr(accumulator, 0));
  Value sum = loop(begin, end, zero, [&](Value step, Value sum) -> Value {
    auto [ofLhs, ofRhs] = at(column, step);
    Value product = arith::MulFOp::create(b, load(buffers.lhs, ofLhs),
                                          load(buffers.rhs, ofRhs));
    return arith::AddFOp::create(b, sum, product);
  });
  if (buffers.before)
    sum = arith::AddFOp::create(b, load(buffers.before, place), sum);
  // Like other kernels, rounds to f32 before it rounds to 16 bits.
  Type result = elementOf(buffers.result);
  if (result.getIntOrFloatBitWidth() < 32)
    sum = convertScalar(b, sum, b.getF32Type());
  memref::StoreOp::create(b, convertScalar(b, sum, result), buffers.result,
                          ValueRange{place});
}

void GroupedUnit::emit(Value unit) {
  int64_t n = sizes.n, k = sizes.k;
  if (sizes.form == GroupedSizes::Sums) {
    Value group = arith::DivUIOp::create(b, unit, index(n)),
          ofLhs = arith::RemUIOp::create(b, unit, index(n));
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, group, index(0));
    Value before = arith::SelectOp::create(
        b, isFirst, group, arith::SubIOp::create(b, group, index(1)));
    Value begin = arith::SelectOp::create(b, isFirst, index(0), endOf(before));
    return emitRow(unit, begin, endOf(group), [&](Value column, Value step) {
      return std::pair(add(mul(step, n), ofLhs), add(mul(step, k), column));
    });
  }
  Value group = loop(index(0), index(sizes.groups), index(0),
                     [&](Value other, Value known) -> Value {
                       Value isBefore = arith::CmpIOp::create(
                           b, arith::CmpIPredicate::sle, endOf(other), unit);
                       return add(known, arith::IndexCastUIOp::create(
                                             b, b.getIndexType(), isBefore));
                     });
  // Rows after the last end are zero.
  Value isRow = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, group,
                                      index(sizes.groups));
  Value end = arith::SelectOp::create(b, isRow, index(sizes.depth()), index(0));
  bool isTransposed = sizes.form == GroupedSizes::Transposed;
  emitRow(unit, index(0), end, [&](Value column, Value step) {
    Value ofN = isTransposed ? column : step,
          ofK = isTransposed ? step : column;
    Value inMatrix = add(mul(ofN, k), ofK);
    return std::pair(add(mul(unit, sizes.depth()), step),
                     add(mul(group, n * k), inMatrix));
  });
}

void codegen::emitGroupedUnit(ScalarBuilder &b, const GroupedSizes &sizes,
                              const KernelChoices &choices, Value unit,
                              const GroupedBuffers &buffers) {
  GroupedUnit(b, sizes, choices, buffers).emit(unit);
}
