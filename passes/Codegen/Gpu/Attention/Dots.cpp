//===- Dots.cpp - Dot products of rows ------------------------------------===//
//
// A group of lanes computes the dot product of a row. Each lane has one vector
// of it, or several:
//
//     row 0     lanes 0-7      lanes 8-15: row 1      ...      iteration 0
//     row n     lanes 0-7      ...                             iteration 1
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Gpu/Attention/Block.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// The maximum number of vectors that a thread prefetches into registers.
static constexpr int64_t kPartsAhead = 4;

/// A row has as many lanes as vectors, rounded up to a power of two, but at
/// most a warp.
AttentionBlock::DotShare AttentionBlock::dotShare(const HeadRows &other,
                                                  int64_t count) {
  int64_t vectors = other.width / other.vector;
  int64_t groupSize = std::min<int64_t>(llvm::PowerOf2Ceil(vectors), kLanes);
  int64_t groups = tiles.threads() / groupSize;
  return {vectors, groupSize, int64_t(llvm::divideCeil(vectors, groupSize)),
          groups, int64_t(llvm::divideCeil(count, groups))};
}

AttentionBlock::Numbers AttentionBlock::takeParts(
    const HeadRows &other, int64_t count, Value iteration,
    llvm::function_ref<Value(Value row, Value column, int64_t i)> take,
    ArrayRef<Value> otherwise) {
  DotShare share = dotShare(other, count);
  Value row =
      add(mul(iteration, share.groups), divide(thread, share.groupSize));
  Value isRow;
  if (count % share.groups)
    isRow = both(isRow, less(row, index(count)));
  if (other.left)
    isRow = both(isRow, less(row, other.left));
  Value own = remainder(thread, share.groupSize);
  Numbers taken;
  for (int64_t i = 0; i < share.parts; ++i) {
    Value place = add(own, index(i * share.groupSize)), isThere = isRow;
    if ((i + 1) * share.groupSize > share.vectors)
      isThere = both(isThere, less(place, index(share.vectors)));
    taken.push_back(where(isThere, otherwise[i], [&]() -> Numbers {
      return {take(row, mul(place, other.vector), i)};
    })[0]);
  }
  return taken;
}

AttentionBlock::Numbers AttentionBlock::prefetchRows(const HeadRows &other,
                                                     int64_t count) {
  DotShare share = dotShare(other, count);
  if (share.iterations * share.parts > kPartsAhead)
    return {};
  auto type = VectorType::get({other.vector}, element);
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Numbers all;
  for (int64_t iteration = 0; iteration < share.iterations; ++iteration)
    all.append(takeParts(
        other, count, index(iteration),
        [&](Value row, Value column, int64_t) {
          return loadPart(other, row, column);
        },
        Numbers(share.parts, zeros)));
  return all;
}

void AttentionBlock::computeDots(const SharedTile &tile, const HeadRows &other,
                                 ArrayRef<Value> taken, Value to,
                                 int64_t count) {
  DotShare share = dotShare(other, count);
  // Computes the rows of an iteration; `ahead` are their prefetched vectors.
  auto bringTurn = [&](Value iteration, ArrayRef<Value> ahead) {
    Value sum = number(0);
    Numbers sums = takeParts(
        other, count, iteration,
        [&](Value row, Value column, int64_t i) {
          Value x = widen(loadPacked(
              tile.buffer, add(mul(row, tile.stride), column), other.vector));
          Value y =
              widen(ahead.empty() ? loadPart(other, row, column) : ahead[i]);
          Value next = number(0);
          for (int64_t j = 0; j < other.vector; ++j)
            next = WarpProduct::addProduct(
                b, vector::ExtractOp::create(b, x, j),
                vector::ExtractOp::create(b, y, j), next);
          return next;
        },
        Numbers(share.parts, sum));
    for (Value part : sums)
      sum = addf(sum, part);
    for (int64_t distance = share.groupSize / 2; distance; distance /= 2)
      sum = addf(sum, shuffle(sum, distance));
    Value row =
        add(mul(iteration, share.groups), divide(thread, share.groupSize));
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                              remainder(thread, share.groupSize), index(0));
    if (count % share.groups)
      isFirst = arith::AndIOp::create(b, isFirst, less(row, index(count)));
    auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    memref::StoreOp::create(b, sum, to, ValueRange{row});
  };
  if (taken.empty())
    return loop(index(share.iterations), 1,
                [&](Value iteration) { bringTurn(iteration, {}); });
  for (int64_t iteration = 0; iteration < share.iterations; ++iteration)
    bringTurn(index(iteration),
              taken.slice(iteration * share.parts, share.parts));
}
