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

/// A row has as many lanes as vectors, at most a warp.
AttentionBlock::DotShare AttentionBlock::dotShare(const HeadRows &other,
                                                  int64_t count) {
  int64_t vectors = other.width / other.vector;
  int64_t team = std::min<int64_t>(llvm::PowerOf2Ceil(vectors), kLanes);
  int64_t teams = tiles.threads() / team;
  return {vectors, team, int64_t(llvm::divideCeil(vectors, team)), teams,
          int64_t(llvm::divideCeil(count, teams))};
}

AttentionBlock::Numbers AttentionBlock::takeParts(
    const HeadRows &other, int64_t count, Value turn,
    llvm::function_ref<Value(Value row, Value column, int64_t i)> take,
    ArrayRef<Value> otherwise) {
  DotShare share = dotShare(other, count);
  Value row = add(mul(turn, share.teams), divide(thread, share.team));
  Value isRow;
  if (count % share.teams)
    isRow = both(isRow, less(row, index(count)));
  if (other.left)
    isRow = both(isRow, less(row, other.left));
  Value own = remainder(thread, share.team);
  Numbers taken;
  for (int64_t i = 0; i < share.parts; ++i) {
    Value place = add(own, index(i * share.team)), isThere = isRow;
    if ((i + 1) * share.team > share.vectors)
      isThere = both(isThere, less(place, index(share.vectors)));
    taken.push_back(where(isThere, otherwise[i], [&]() -> Numbers {
      return {take(row, mul(place, other.vector), i)};
    })[0]);
  }
  return taken;
}

AttentionBlock::Numbers AttentionBlock::takeRows(const HeadRows &other,
                                                 int64_t count) {
  DotShare share = dotShare(other, count);
  if (share.turns * share.parts > kPartsAhead)
    return {};
  auto type = VectorType::get({other.vector}, element);
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Numbers all;
  for (int64_t turn = 0; turn < share.turns; ++turn)
    all.append(takeParts(
        other, count, index(turn),
        [&](Value row, Value column, int64_t) {
          return loadPart(other, row, column);
        },
        Numbers(share.parts, zeros)));
  return all;
}

void AttentionBlock::bringDots(const SharedTile &tile, const HeadRows &other,
                               ArrayRef<Value> taken, Value to, int64_t count) {
  DotShare share = dotShare(other, count);
  // Computes the rows of an iteration; `ahead` are their prefetched vectors.
  auto bringTurn = [&](Value turn, ArrayRef<Value> ahead) {
    Value sum = number(0);
    Numbers sums = takeParts(
        other, count, turn,
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
    for (int64_t distance = share.team / 2; distance; distance /= 2)
      sum = addf(sum, shuffle(sum, distance));
    Value row = add(mul(turn, share.teams), divide(thread, share.team));
    Value isFirst = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, remainder(thread, share.team), index(0));
    if (count % share.teams)
      isFirst = arith::AndIOp::create(b, isFirst, less(row, index(count)));
    auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    memref::StoreOp::create(b, sum, to, ValueRange{row});
  };
  if (taken.empty())
    return loop(index(share.turns), 1,
                [&](Value turn) { bringTurn(turn, {}); });
  for (int64_t turn = 0; turn < share.turns; ++turn)
    bringTurn(index(turn), taken.slice(turn * share.parts, share.parts));
}
