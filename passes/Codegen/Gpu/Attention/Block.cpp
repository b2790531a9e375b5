//===- Block.cpp - Base class of attention blocks -------------------------===//

#include "passes/Codegen/Gpu/Attention/Block.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Bytes of the widest access of a thread.
static constexpr int64_t kMostBytes = 16;
/// Outstanding accesses of a thread.
static constexpr int64_t kDepth = 8;

AttentionBlock::AttentionBlock(ScalarBuilder &b, Operation *op,
                               const KernelChoices &choices,
                               const DeviceTiles &tiles,
                               const OperandMap &operands,
                               ArrayRef<Operand> outs)
    : AttentionUnit(b, op, choices, operands, outs), tiles(tiles),
      element(nn::tensorType(sizes.q).getElementType()) {
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  lane = remainder(thread, kLanes);
  warp = divide(thread, kLanes);
  warpRow = mul(warp, kWarpRows);
  product = WarpProduct::create(b, element, lane);
  shared = gpu::DynamicSharedMemoryOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(), AffineMap(),
                         workgroup()));
}

Attribute AttentionBlock::workgroup() {
  return gpu::AddressSpaceAttr::get(b.getContext(),
                                    gpu::AddressSpace::Workgroup);
}

Value AttentionBlock::number(double value) {
  return arith::ConstantOp::create(
      b, b.getF32FloatAttr(static_cast<float>(value)));
}

Value AttentionBlock::exp2(Value x) { return math::Exp2Op::create(b, x); }

Value AttentionBlock::addf(Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}

Value AttentionBlock::less(Value x, Value y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
}

Value AttentionBlock::choose(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, condition, x, y);
}

Value AttentionBlock::loadWordAt(Value words, Value at) {
  return memref::LoadOp::create(b, words, ValueRange{at});
}

Value AttentionBlock::rowInBlock(int64_t r) {
  return add(warpRow, product->row(r));
}

void AttentionBlock::wait() { gpu::BarrierOp::create(b); }

void AttentionBlock::waitForWarp() {
  Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  NVVM::SyncWarpOp::create(b, all);
}

SharedTile AttentionBlock::allocateTile(int64_t rows, int64_t stride,
                                        Type element) {
  int64_t length = rows * stride;
  Value view = memref::ViewOp::create(
      b, MemRefType::get({length}, element, AffineMap(), workgroup()), shared,
      index(nextShared), ValueRange{});
  nextShared +=
      llvm::alignTo(length * element.getIntOrFloatBitWidth() / 8, kMostBytes);
  sharedBytes = std::max(sharedBytes, nextShared);
  return {view, stride};
}

SharedTile AttentionBlock::viewAs(const SharedTile &tile, Type element) {
  auto type = cast<MemRefType>(tile.buffer.getType());
  if (type.getElementType() == element)
    return tile;
  auto view = tile.buffer.getDefiningOp<memref::ViewOp>();
  int64_t from = type.getElementTypeBitWidth(),
          to = element.getIntOrFloatBitWidth();
  Value other = memref::ViewOp::create(
      b,
      MemRefType::get({type.getDimSize(0) * from / to}, element, AffineMap(),
                      type.getMemorySpace()),
      view.getSource(), view.getByteShift(), ValueRange{});
  return {other, tile.stride * from / to};
}

/// Returns the elements of a vector access to rows that start at multiples of
/// all `divisors`.
int64_t AttentionBlock::vectorOf(ArrayRef<int64_t> divisors, Type element) {
  int64_t most = kMostBytes / (element.getIntOrFloatBitWidth() / 8);
  for (int64_t divisor : divisors)
    most = std::gcd(most, divisor);
  return most;
}

Value AttentionBlock::both(Value x, Value y) {
  return x ? Value(arith::AndIOp::create(b, x, y)) : y;
}

Value AttentionBlock::leftOf(Value first, int64_t all, int64_t rowCount) {
  if (all % rowCount == 0)
    return {};
  return arith::SubIOp::create(b, index(all), first);
}

HeadRows AttentionBlock::headRows(Value operand, Value sample, Value first,
                                  Value head, int64_t all, int64_t rowCount) {
  const Operand &from = operands.at(operand);
  auto shape = nn::tensorType(operand).getShape();
  // The stride of a dim of size 1 is irrelevant.
  SmallVector<int64_t> divisors = {from.offset, shape[3]};
  for (int64_t i = 0; i < 3; ++i)
    if (shape[i] > 1)
      divisors.push_back(from.strides[i]);
  return {rowsOf(from, sample, first, head), leftOf(first, all, rowCount),
          shape[3],
          vectorOf(divisors, nn::tensorType(operand).getElementType())};
}

HeadRows AttentionBlock::resultRows(const Operand &out, int64_t rows,
                                    int64_t width, Value sample, Value first,
                                    Value head, int64_t rowCount) {
  Type element = cast<MemRefType>(out.buffer.getType()).getElementType();
  SmallVector<int64_t> divisors = {out.offset, width};
  llvm::append_range(divisors, ArrayRef(out.strides).take_front(3));
  return {rowsOf(out, sample, first, head), leftOf(first, rows, rowCount),
          width, vectorOf(divisors, element)};
}

Value AttentionBlock::loadPacked(Value buffer, Value at, int64_t count) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t bytes = count * type.getIntOrFloatBitWidth() / 8;
  return vector::LoadOp::create(b, VectorType::get({count}, type), buffer,
                                ValueRange{at}, /*nontemporal=*/false,
                                llvm::MaybeAlign(bytes));
}

Value AttentionBlock::loadPart(const HeadRows &rows, Value row, Value column) {
  Value at = add(add(rows.rows.base, mul(row, rows.rows.stride)), column);
  return loadPacked(rows.rows.buffer, at, rows.vector);
}

Value AttentionBlock::widen(Value x) {
  auto narrow = cast<VectorType>(x.getType());
  Type wide = narrow.clone(b.getF32Type());
  return narrow == wide ? x : Value(arith::ExtFOp::create(b, wide, x));
}

void AttentionBlock::storePacked(Value value, Value buffer, Value at) {
  auto type = cast<VectorType>(value.getType());
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  vector::StoreOp::create(b, value, buffer, ValueRange{at},
                          /*nontemporal=*/false, llvm::MaybeAlign(bytes));
}

AttentionBlock::Numbers
AttentionBlock::where(Value condition, ArrayRef<Value> before,
                      llvm::function_ref<Numbers()> body) {
  if (!condition)
    return body();
  SmallVector<Type> types;
  for (Value value : before)
    types.push_back(value.getType());
  auto branch = scf::IfOp::create(b, types, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Numbers after = body();
  scf::YieldOp::create(b, after);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, before);
  return Numbers(branch.getResults());
}

AttentionBlock::Numbers
AttentionBlock::loopWith(int64_t end, int64_t step, ArrayRef<Value> start,
                         llvm::function_ref<Numbers(Value, ValueRange)> body) {
  return loopWith(index(0), index(end), step, start, body);
}

AttentionBlock::Numbers
AttentionBlock::loopWith(Value begin, Value end, int64_t step,
                         ArrayRef<Value> start,
                         llvm::function_ref<Numbers(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, begin, end, index(step), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Numbers next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  // A loop without values already has a terminator.
  if (!start.empty())
    scf::YieldOp::create(b, next);
  return Numbers(loop.getResults());
}

void AttentionBlock::byFirst(int64_t count, llvm::function_ref<void()> body) {
  if (count == tiles.threads())
    return body();
  auto branch = scf::IfOp::create(b, less(thread, index(count)),
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void AttentionBlock::forShare(int64_t count, Body body) {
  for (int64_t done = 0; done < count; done += tiles.threads())
    byFirst(std::min(count - done, tiles.threads()),
            [&] { body(add(thread, index(done))); });
}

void AttentionBlock::loadTile(const HeadRows &from, const SharedTile &to,
                              int64_t count, int64_t columns) {
  int64_t threads = tiles.threads(), perRow = columns / from.vector;
  int64_t total = count * perRow, iterations = llvm::divideCeil(total, threads);
  auto type = VectorType::get({from.vector}, element);
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  auto take = [&](Value start, int64_t depth, bool mayEnd) {
    SmallVector<Value> loaded, places;
    for (int64_t i = 0; i < depth; ++i) {
      Value number = add(start, index(i * threads));
      Value row = divide(number, perRow);
      Value column = mul(remainder(number, perRow), from.vector);
      places.push_back(add(mul(row, to.stride), column));
      Value isThere;
      if (mayEnd)
        isThere = both(isThere, less(number, index(total)));
      if (from.left)
        isThere = both(isThere, less(row, from.left));
      if (from.width < columns)
        isThere = both(isThere, less(column, index(from.width)));
      loaded.push_back(where(isThere, zeros, [&]() -> Numbers {
        return {loadPart(from, row, column)};
      })[0]);
    }
    for (int64_t i = 0; i < depth; ++i) {
      if (!mayEnd) {
        storePacked(loaded[i], to.buffer, places[i]);
        continue;
      }
      Value number = add(start, index(i * threads));
      auto branch = scf::IfOp::create(b, less(number, index(total)),
                                      /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      storePacked(loaded[i], to.buffer, places[i]);
    }
  };
  bool mayEnd = total % threads;
  if (iterations <= kDepth)
    return take(thread, iterations, mayEnd);
  int64_t whole = total / (threads * kDepth) * kDepth;
  loop(index(whole), kDepth, [&](Value iteration) {
    take(add(thread, mul(iteration, threads)), kDepth, /*mayEnd=*/false);
  });
  if (whole < iterations)
    take(add(thread, index(whole * threads)), iterations - whole, mayEnd);
}

Value AttentionBlock::prefetchPosition(Value operand, Value first, int64_t all,
                                       int64_t count) {
  if (count > tiles.threads())
    return {};
  Value isThere = less(first, index(all));
  if (count < tiles.threads())
    isThere = both(isThere, less(thread, index(count)));
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  return where(isThere, none, [&]() -> Numbers {
    return {loadWord(operand, min(add(first, thread), all - 1))};
  })[0];
}

AttentionBlock::Numbers AttentionBlock::loopWithPositions(
    Value iterations, Value operand, int64_t all,
    llvm::function_ref<Value(Value)> first, ArrayRef<Value> start,
    llvm::function_ref<Numbers(Value, Value, ArrayRef<Value>)> body) {
  auto takeOf = [&](Value iteration) {
    return operand
               ? prefetchPosition(operand, first(iteration), all, tiles.columns)
               : Value();
  };
  Numbers carried(start);
  Value ahead = takeOf(index(0));
  if (ahead)
    carried.push_back(ahead);
  Numbers end = loopWith(index(0), iterations, 1, carried,
                         [&](Value iteration, ValueRange before) -> Numbers {
                           Numbers now(before);
                           Value taken, next;
                           if (ahead) {
                             taken = now.pop_back_val();
                             next = takeOf(add(iteration, index(1)));
                           }
                           now = body(iteration, taken, now);
                           if (ahead)
                             now.push_back(next);
                           return now;
                         });
  if (ahead)
    end.pop_back();
  return end;
}

void AttentionBlock::loadPositions(Value operand, Value first, int64_t all,
                                   Value to, int64_t count, Value taken) {
  if (taken)
    return byFirst(count, [&] {
      memref::StoreOp::create(b, taken, to, ValueRange{thread});
    });
  forShare(count, [&](Value i) {
    Value place = add(first, i);
    if (all % count)
      place = min(place, all - 1);
    memref::StoreOp::create(b, loadWord(operand, place), to, ValueRange{i});
  });
}

void AttentionBlock::loadStarts(Value sample, Value first, Value to,
                                int64_t count) {
  forShare(count, [&](Value i) {
    Value query = add(first, i);
    if (sizes.queries % count)
      query = min(query, sizes.queries - 1);
    memref::StoreOp::create(b, loadStart(sample, query), to, ValueRange{i});
  });
}

void AttentionBlock::loadNumbers(Value operand, Value sample, Value first,
                                 Value head, int64_t all, Value to,
                                 int64_t count,
                                 llvm::function_ref<Value(Value)> made) {
  forShare(count, [&](Value i) {
    Value row = add(first, i), isThere;
    if (all % count)
      isThere = less(row, index(all));
    Value x = where(isThere, number(0), [&]() -> Numbers {
      return {made(loadRow(operand, sample, row, head))};
    })[0];
    memref::StoreOp::create(b, x, to, ValueRange{i});
  });
}

void AttentionBlock::storeResult(ArrayRef<Value> sums, ArrayRef<Value> factors,
                                 const SharedTile &stage, const HeadRows &to,
                                 Value chunk, RightForm form) {
  Type type = cast<MemRefType>(to.rows.buffer.getType()).getElementType();
  SharedTile place = viewAs(stage, type);
  int64_t rows = product->rows(), count = sums.size() / rows;
  int64_t together = product->neighbours(form);
  auto packed = VectorType::get({together}, b.getF32Type());
  waitForWarp();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < count; c += together) {
      SmallVector<Value> numbers;
      for (int64_t i = 0; i < together; ++i) {
        Value sum = sums[r * count + c + i];
        numbers.push_back(factors.empty() ? sum : mulf(sum, factors[r]));
      }
      Value all = vector::FromElementsOp::create(b, packed, numbers);
      if (!type.isF32())
        all =
            arith::TruncFOp::create(b, VectorType::get({together}, type), all);
      storePacked(
          all, place.buffer,
          add(mul(rowInBlock(r), place.stride), product->column(c, form)));
    }
  waitForWarp();
  int64_t columns = std::min(count * product->lanesOfRow(), to.width);
  int64_t perRow = llvm::divideCeil(columns, to.vector);
  int64_t total = kWarpRows * perRow;
  loop(index(llvm::divideCeil(total, kLanes)), 1, [&](Value iteration) {
    Value number = add(mul(iteration, kLanes), lane);
    Value row = add(warpRow, divide(number, perRow));
    Value column = mul(remainder(number, perRow), to.vector);
    Value target = chunk ? add(column, chunk) : column;
    Value isThere;
    if (total % kLanes)
      isThere = both(isThere, less(number, index(total)));
    if (to.left)
      isThere = both(isThere, less(row, to.left));
    if (chunk)
      isThere = both(isThere, less(target, index(to.width)));
    auto copy = [&] {
      Value x = loadPacked(place.buffer, add(mul(row, place.stride), column),
                           to.vector);
      storePacked(x, to.rows.buffer,
                  add(add(to.rows.base, mul(row, to.rows.stride)), target));
    };
    if (!isThere)
      return copy();
    auto branch = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    copy();
  });
}

Value AttentionBlock::shuffle(Value x, int64_t distance) {
  return gpu::ShuffleOp::create(b, x, distance, kLanes, gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

static Value joinWords(ScalarBuilder &b, Value x, Value y, bool isLeast) {
  if (isLeast)
    return arith::MinSIOp::create(b, x, y);
  return arith::MaxSIOp::create(b, x, y);
}

Value AttentionBlock::reduceWarp(Value x, bool isLeast) {
  for (int64_t distance = kLanes / 2; distance; distance /= 2)
    x = joinWords(b, x, shuffle(x, distance), isLeast);
  return x;
}

Value AttentionBlock::extreme(Value words, int64_t count, bool isLeast) {
  Value found;
  for (int64_t done = 0; done < count; done += kLanes) {
    Value place = add(lane, index(done));
    if (done + kLanes > count)
      place = min(place, count - 1);
    Value x = loadWordAt(words, place);
    found = found ? joinWords(b, found, x, isLeast) : x;
  }
  return reduceWarp(found, isLeast);
}

PositionRange AttentionBlock::rangeOf(Value positions, int64_t count,
                                      Value starts) {
  PositionRange range = {extreme(positions, count, /*isLeast=*/true),
                         extreme(positions, count, /*isLeast=*/false)};
  if (starts) {
    range.leastStart = extreme(starts, count, /*isLeast=*/true);
    range.mostStart = extreme(starts, count, /*isLeast=*/false);
  }
  return range;
}

Value AttentionBlock::reduceRow(Value x, bool isSum) {
  for (int64_t distance = 1; distance < product->lanesOfRow(); distance *= 2) {
    Value other = shuffle(x, distance);
    x = isSum ? addf(x, other) : Value(arith::MaxNumFOp::create(b, x, other));
  }
  return x;
}
