//===- Span.cpp - The tiles that a block of attention visits --------------===//
//
// With a window, chunks or documents a block sees few of the tiles that it
// streams. Before its loop the warps compare the positions of all tiles, each
// warp those of every n-th tile, without barriers:
//
//     tile       0 1 2 3 4 5 6 7
//     warp       0 1 0 1 0 1 0 1
//     visible    . . x x x . . .     begin 2, count 3
//
// The loop visits the tiles from the first to the last visible one. It skips
// those between them that are not visible, which exist if positions are not
// consecutive.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Gpu/Attention/Block.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

std::pair<Value, Value>
AttentionBlock::extremesOfTile(Value first, int64_t all, int64_t count,
                               llvm::function_ref<Value(Value)> load) {
  Value least, most;
  for (int64_t done = 0; done < count; done += kLanes) {
    Value place = add(lane, index(done));
    if (done + kLanes > count)
      place = min(place, count - 1);
    Value x = load(min(add(first, place), all - 1));
    least = least ? arith::MinSIOp::create(b, least, x) : x;
    most = most ? arith::MaxSIOp::create(b, most, x) : x;
  }
  return {reduceWarp(least, /*isLeast=*/true),
          reduceWarp(most, /*isLeast=*/false)};
}

PositionRange AttentionBlock::rangeOfTile(Value operand, Value sample,
                                          Value first, int64_t all,
                                          int64_t count) {
  PositionRange range;
  std::tie(range.least, range.most) = extremesOfTile(
      first, all, count, [&](Value i) { return loadWord(operand, i); });
  if (sample)
    std::tie(range.leastStart, range.mostStart) = extremesOfTile(
        first, all, count, [&](Value i) { return loadStart(sample, i); });
  return range;
}

TileSpan
AttentionBlock::findTiles(Value operand, int64_t all, Value sample,
                          llvm::function_ref<Value(PositionRange)> maySee) {
  if (!sizes.isBounded())
    return {};
  if (!sizes.starts)
    sample = {};
  int64_t total = llvm::divideCeil(all, tiles.columns);
  int64_t warps = tiles.threads() / kLanes;
  Numbers found = loopWith(
      llvm::divideCeil(total, warps), 1, {index(total), index(0)},
      [&](Value iteration, ValueRange before) -> Numbers {
        Value tile = min(add(mul(iteration, warps), warp), total - 1);
        Value isSeen = maySee(rangeOfTile(
            operand, sample, mul(tile, tiles.columns), all, tiles.columns));
        Value begin = min(before[0], tile);
        Value end = arith::MaxUIOp::create(b, before[1], add(tile, index(1)));
        return {choose(isSeen, begin, before[0]),
                choose(isSeen, end, before[1])};
      });
  // The first lane of each warp shares the warp's tiles.
  Type i32 = b.getI32Type();
  Value begins = allocateTile(warps, 1, i32).buffer;
  Value ends = allocateTile(warps, 1, i32).buffer;
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, index(0));
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (auto [value, to] :
         {std::pair(found[0], begins), std::pair(found[1], ends)})
      memref::StoreOp::create(b, arith::IndexCastOp::create(b, i32, value), to,
                              ValueRange{warp});
  }
  wait();
  auto joined = [&](Value words, bool isLeast) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(),
                                      extreme(words, warps, isLeast));
  };
  Value begin = joined(begins, /*isLeast=*/true),
        end = joined(ends, /*isLeast=*/false);
  // Without a visible tile the end is before the begin.
  end = arith::MaxUIOp::create(b, begin, end);
  return {begin, arith::SubIOp::create(b, end, begin)};
}
