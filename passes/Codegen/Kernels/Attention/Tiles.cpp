//===- Tiles.cpp - Products of small tiles in registers -------------------===//

#include "passes/Codegen/Kernels/Attention/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Expr.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

Value TileBuilder::allocate(int64_t elements, Type element) {
  return memref::AllocaOp::create(b, MemRefType::get({elements}, element),
                                  b.getI64IntegerAttr(64));
}

Value TileBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value TileBuilder::add(Value x, Value y) {
  return arith::AddIOp::create(b, x, y);
}

Value TileBuilder::mul(Value x, int64_t factor) {
  return factor == 1 ? x : arith::MulIOp::create(b, x, index(factor));
}

Value TileBuilder::min(Value x, Value y) {
  return arith::MinSIOp::create(b, x, y);
}

Value TileBuilder::at(const Tile &tile, Value row, Value column) {
  if (tile.last)
    row = min(row, tile.last);
  Value place = mul(row, tile.stride);
  if (tile.base)
    place = add(place, tile.base);
  return column ? add(place, column) : place;
}

void TileBuilder::loop(Value end, int64_t step, Body body) {
  auto loop = scf::ForOp::create(b, index(0), end, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Value TileBuilder::load(Value buffer, Value at) {
  return convertScalar(b, memref::LoadOp::create(b, buffer, ValueRange{at}),
                       b.getF32Type());
}

void TileBuilder::store(Value value, Value buffer, Value at) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  memref::StoreOp::create(b, convertScalar(b, value, element), buffer,
                          ValueRange{at});
}

Value TileBuilder::loadVector(Value buffer, Value at) {
  auto element = cast<MemRefType>(buffer.getType()).getElementType();
  Value loaded =
      vector::LoadOp::create(b, vectorOf(element), buffer, ValueRange{at});
  auto type = dyn_cast<FloatType>(element);
  return type && type.getWidth() < 32
             ? arith::ExtFOp::create(b, vectorOf(b.getF32Type()), loaded)
             : loaded;
}

void TileBuilder::storeVector(Value value, Value buffer, Value at) {
  auto element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = dyn_cast<FloatType>(element);
  if (type && type.getWidth() < 32)
    value = arith::TruncFOp::create(b, vectorOf(element), value);
  vector::StoreOp::create(b, value, buffer, ValueRange{at});
}

Value TileBuilder::splat(Value scalar) {
  return vector::BroadcastOp::create(b, vectorOf(scalar.getType()), scalar);
}

Value TileBuilder::constant(double value) {
  VectorType type = vectorOf(b.getF32Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, static_cast<float>(value)));
}

void TileBuilder::forVectors(int64_t columns,
                             llvm::function_ref<void(int64_t, int64_t)> body) {
  for (int64_t column = 0; column < columns; column += vectors * lanes)
    body(column, std::min(vectors, (columns - column) / lanes));
}

SmallVector<Value>
TileBuilder::accumulate(SmallVector<Value> acc, Block block, Value depth,
                        const Tile &factor, int64_t column,
                        llvm::function_ref<Value(Value, int64_t)> element) {
  auto loop = scf::ForOp::create(b, index(0), depth, index(1), acc);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value x = loop.getInductionVar();
  SmallVector<Value> sums(loop.getRegionIterArgs()), factors;
  for (int64_t n = 0; n < block.count; ++n)
    factors.push_back(
        loadVector(factor.buffer, at(factor, x, index(column + n * lanes))));
  for (int64_t m = 0; m < block.height; ++m) {
    Value number = splat(element(x, m));
    for (int64_t n = 0; n < block.count; ++n) {
      Value &sum = sums[m * block.count + n];
      sum = vector::FMAOp::create(b, number, factors[n], sum);
    }
  }
  scf::YieldOp::create(b, sums);
  return SmallVector<Value>(loop.getResults());
}

void TileBuilder::product(const Tile &a, const Tile &factor, const Tile &c,
                          Value end, Value depth, int64_t columns) {
  loop(end, rows, [&](Value first) {
    SmallVector<Value> starts;
    for (int64_t m = 0; m < rows; ++m)
      starts.push_back(at(a, add(first, index(m))));
    forVectors(columns, [&](int64_t column, int64_t count) {
      SmallVector<Value> zeros(rows * count, constant(0));
      auto sums = accumulate(zeros, {rows, count}, depth, factor, column,
                             [&](Value x, int64_t m) {
                               return load(a.buffer, add(starts[m], x));
                             });
      for (int64_t m = 0; m < rows; ++m)
        for (int64_t n = 0; n < count; ++n)
          storeVector(sums[m * count + n], c.buffer,
                      at(c, add(first, index(m)), index(column + n * lanes)));
    });
  });
}

void TileBuilder::addTransposed(const Tile &a, const Tile &factor,
                                const Tile &c, int64_t height, Value depth,
                                int64_t columns, Value scales) {
  auto block = [&](Value first, int64_t count) {
    forVectors(columns, [&](int64_t column, int64_t wide) {
      SmallVector<Value> acc, places;
      for (int64_t m = 0; m < count; ++m)
        for (int64_t n = 0; n < wide; ++n) {
          Value place = at(c, add(first, index(m)), index(column + n * lanes));
          places.push_back(place);
          Value old = loadVector(c.buffer, place);
          if (scales)
            old = arith::MulFOp::create(
                b, old, loadVector(scales, index(column + n * lanes)));
          acc.push_back(old);
        }
      auto sums = accumulate(acc, {count, wide}, depth, factor, column,
                             [&](Value x, int64_t m) {
                               Value place = at(a, x, first);
                               return load(a.buffer, add(place, index(m)));
                             });
      for (auto [sum, place] : llvm::zip(sums, places))
        storeVector(sum, c.buffer, place);
    });
  };
  int64_t whole = height / rows * rows;
  loop(index(whole), rows, [&](Value first) { block(first, rows); });
  if (whole < height)
    block(index(whole), height - whole);
}

void TileBuilder::forColumns(int64_t width, bool once, Body vectorsBody,
                             Body scalars) {
  int64_t whole = width / lanes * lanes;
  if (whole)
    loop(index(whole), lanes, vectorsBody);
  if (whole == width)
    return;
  if (whole && !once)
    return vectorsBody(index(width - lanes));
  loop(index(width - whole), 1,
       [&](Value i) { scalars(add(i, index(whole))); });
}

void TileBuilder::transpose(MutableArrayRef<Value> rows) {
  for (int64_t apart = lanes / 2; apart; apart /= 2) {
    SmallVector<int64_t> low(lanes), high(lanes);
    for (int64_t i = 0; i < lanes; ++i) {
      low[i] = i & apart ? lanes + i - apart : i;
      high[i] = i & apart ? lanes + i : i + apart;
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & apart)
        continue;
      Value x = rows[i], y = rows[i + apart];
      rows[i] = vector::ShuffleOp::create(b, x, y, low);
      rows[i + apart] = vector::ShuffleOp::create(b, x, y, high);
    }
  }
}

void TileBuilder::transposeIn(const Tile &from, const Tile &to, int64_t height,
                              int64_t width) {
  loop(index(height), lanes, [&](Value first) {
    SmallVector<Value> starts;
    for (int64_t m = 0; m < lanes; ++m)
      starts.push_back(at(from, add(first, index(m))));
    forColumns(
        width, /*once=*/false,
        [&](Value column) {
          SmallVector<Value> block;
          for (Value start : starts)
            block.push_back(loadVector(from.buffer, add(start, column)));
          transpose(block);
          for (auto [n, row] : llvm::enumerate(block))
            storeVector(row, to.buffer, at(to, add(column, index(n)), first));
        },
        [&](Value column) {
          for (auto [m, start] : llvm::enumerate(starts))
            store(load(from.buffer, add(start, column)), to.buffer,
                  at(to, column, add(first, index(m))));
        });
  });
}

void TileBuilder::transposeOut(const Tile &from, const Tile &to, Value end,
                               int64_t width, Value scales) {
  Tile stage = {allocate(lanes * lanes), {}, lanes, {}};
  loop(end, lanes, [&](Value first) {
    Value left = min(arith::SubIOp::create(b, end, first), lanes);
    Value scale = scales ? loadVector(scales, first) : Value();
    auto scaled = [&](Value column) {
      Value x = loadVector(from.buffer, at(from, column, first));
      return scale ? Value(arith::MulFOp::create(b, x, scale)) : x;
    };
    forColumns(
        width, /*once=*/false,
        [&](Value column) {
          SmallVector<Value> block;
          for (int64_t n = 0; n < lanes; ++n)
            block.push_back(scaled(add(column, index(n))));
          transpose(block);
          for (auto [m, row] : llvm::enumerate(block))
            storeVector(row, stage.buffer, index(m * lanes));
          loop(left, 1, [&](Value m) {
            storeVector(loadVector(stage.buffer, at(stage, m)), to.buffer,
                        at(to, add(first, m), column));
          });
        },
        [&](Value column) {
          storeVector(scaled(column), stage.buffer, index(0));
          loop(left, 1, [&](Value m) {
            store(load(stage.buffer, m), to.buffer,
                  at(to, add(first, m), column));
          });
        });
  });
}

void TileBuilder::copy(const Tile &from, const Tile &to, Value end,
                       int64_t width) {
  loop(end, 1, [&](Value row) {
    Value source = at(from, row), target = at(to, row);
    forColumns(
        width, /*once=*/false,
        [&](Value column) {
          storeVector(loadVector(from.buffer, add(source, column)), to.buffer,
                      add(target, column));
        },
        [&](Value column) {
          store(load(from.buffer, add(source, column)), to.buffer,
                add(target, column));
        });
  });
}

void TileBuilder::add(const Tile &from, const Tile &to, Value end,
                      int64_t width) {
  loop(end, 1, [&](Value row) {
    Value source = at(from, row), target = at(to, row);
    forColumns(
        width, /*once=*/true,
        [&](Value column) {
          Value place = add(target, column);
          Value sum = arith::AddFOp::create(
              b, loadVector(to.buffer, place),
              loadVector(from.buffer, add(source, column)));
          storeVector(sum, to.buffer, place);
        },
        [&](Value column) {
          Value place = add(target, column);
          Value sum =
              arith::AddFOp::create(b, load(to.buffer, place),
                                    load(from.buffer, add(source, column)));
          store(sum, to.buffer, place);
        });
  });
}

void TileBuilder::clear(const Tile &to, Value end, int64_t width) {
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  loop(end, 1, [&](Value row) {
    Value target = at(to, row);
    forColumns(
        width, /*once=*/false,
        [&](Value column) {
          storeVector(constant(0), to.buffer, add(target, column));
        },
        [&](Value column) { store(zero, to.buffer, add(target, column)); });
  });
}

Value TileBuilder::dot(const Tile &x, const Tile &y, Value row, int64_t width) {
  Value first = at(x, row), second = at(y, row);
  int64_t whole = width / lanes * lanes;
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Value sums = constant(0), rest = zero;
  for (int64_t column = 0; column < whole; column += lanes)
    sums = vector::FMAOp::create(
        b, loadVector(x.buffer, add(first, index(column))),
        loadVector(y.buffer, add(second, index(column))), sums);
  for (int64_t column = whole; column < width; ++column)
    rest = arith::AddFOp::create(
        b, rest,
        arith::MulFOp::create(b, load(x.buffer, add(first, index(column))),
                              load(y.buffer, add(second, index(column)))));
  Value sum = vector::ReductionOp::create(b, vector::CombiningKind::ADD, sums,
                                          arith::FastMathFlags::reassoc);
  return arith::AddFOp::create(b, sum, rest);
}
