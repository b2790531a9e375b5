//===- Backward.cpp - Blocks of attention's backward on a GPU -------------===//

#include "passes/Codegen/Gpu/Attention/Backward.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

BackwardBlocks::BackwardBlocks(const AttentionSizes &sizes,
                               const DeviceTiles &tiles,
                               ArrayRef<Operand> outs) {
  int64_t queryTiles = llvm::divideCeil(sizes.queries, tiles.rows);
  if (outs[1] || outs[2])
    ofKeys = llvm::divideCeil(sizes.keys, tiles.rows) * tiles.chunks *
             sizes.batch * sizes.keyHeads;
  if (outs[0])
    ofQueries = queryTiles * tiles.chunks * sizes.batch * sizes.heads;
  if (sizes.asksForBias) {
    ArrayRef<int64_t> bias = nn::tensorType(sizes.bias).getShape();
    ofBias = queryTiles * llvm::divideCeil(sizes.keys, tiles.columns) *
             bias[0] * bias[1];
  }
}

int64_t codegen::countBackwardBlocks(const AttentionSizes &sizes,
                                     const DeviceTiles &tiles,
                                     ArrayRef<Operand> outs) {
  BackwardBlocks blocks(sizes, tiles, outs);
  return blocks.ofKeys + blocks.ofQueries + blocks.ofBias;
}

/// Blocks are ordered by tiles from the first on, since most queries see the
/// first keys.
void Backward::place(Value block, int64_t heads) {
  head = remainder(block, heads);
  Value rest = divide(block, heads);
  sample = remainder(rest, sizes.batch);
  rest = divide(rest, sizes.batch);
  if (tiles.chunks > 1) {
    chunk = mul(remainder(rest, tiles.chunks), tiles.chunk);
    rest = divide(rest, tiles.chunks);
  }
  first = mul(rest, tiles.rows);
  if (sizes.p > 0)
    randomStart = randomKey(sample);
}

AttentionBlock::Numbers Backward::emitPair(const Pair &pair,
                                           ArrayRef<Value> sums) {
  auto [s, d] = emitScores(pair);
  Numbers next(sums);
  MutableArrayRef<Value> rest(next);
  auto addTo = [&](ArrayRef<Value> factor, int64_t width,
                   const SharedTile &right) {
    int64_t count = rows() * product->columnsOf(width);
    product->multiply(rest.take_front(count),
                      product->takeScores(factor, {stage, warpRow, {}}),
                      tiles.columns, right, RightForm::Columns, chunk);
    rest = rest.drop_front(count);
  };
  if (!pair.haveKeys) {
    addTo(d, tiles.chunk, streamed);
    return next;
  }
  if (outs[2])
    addTo(s, tiles.valueChunk, streamedValues);
  if (outs[1])
    addTo(d, tiles.chunk, streamed);
  return next;
}

void Backward::emitKeys(Value block) {
  place(block, sizes.keyHeads);
  allocate();
  loadTile(rowsOfHead(sizes.k, first, head, sizes.keys, tiles.rows), resident,
           tiles.rows, tiles.width);
  loadTile(rowsOfHead(sizes.v, first, head, sizes.keys, tiles.rows),
           residentValues, tiles.rows, tiles.valueWidth);
  PositionRange ofKeys;
  keys.clear();
  if (needsPositions()) {
    loadKeys(first, tiles.rows);
    wait();
    if (sizes.isCausal)
      ofKeys = rangeOf(keyPositions, tiles.rows);
  }
  for (int64_t r = 0; r < rows(); ++r)
    keys.push_back(keyAt(rowInBlock(r)));
  // The heads that share the keys have one bias, or each its own.
  bool hasOwnBias = sizes.bias && sizes.shared() > 1 &&
                    nn::tensorType(sizes.bias).getDimSize(1) > 1;
  BiasRows sharedBias;
  if (!hasOwnBias)
    sharedBias = biasRows(sample, mul(head, sizes.shared()), first,
                          /*haveKeys=*/true);
  int64_t valueSums =
      outs[2] ? rows() * product->columnsOf(tiles.valueChunk) : 0;
  int64_t keySums = outs[1] ? rows() * product->columnsOf(tiles.chunk) : 0;
  int64_t iterations = llvm::divideCeil(sizes.queries, tiles.columns);
  // Iterations of one head visit the tiles of queries in order.
  TileSpan span =
      findTiles(sizes.qPos, sizes.queries, sample, [&](PositionRange queries) {
        return buildMaySee(b, sizes.mask, queries, ofKeys);
      });
  Value count = span.begin ? span.count : index(iterations);
  Value each =
      span.begin ? Value(arith::MaxUIOp::create(b, count, index(1))) : count;
  auto queryOf = [&](Value iteration) {
    Value tile =
        span.begin ? add(span.begin, arith::RemUIOp::create(b, iteration, each))
                   : remainder(iteration, iterations);
    return mul(tile, tiles.columns);
  };
  Numbers sums = loopWithPositions(
      mul(count, sizes.shared()), needsPositions() ? sizes.qPos : Value(),
      sizes.queries, queryOf, Numbers(valueSums + keySums, number(0)),
      [&](Value iteration, Value taken, ArrayRef<Value> sums) -> Numbers {
        Value firstQuery = queryOf(iteration);
        Value shared = span.begin
                           ? Value(arith::DivUIOp::create(b, iteration, each))
                           : divide(iteration, iterations);
        Value own = add(mul(head, sizes.shared()), shared);
        // Other threads may still use the previous tile.
        wait();
        Value isSeen, isCut;
        if (needsPositions()) {
          loadPlaces(firstQuery, tiles.columns, taken);
          if (sizes.isCausal) {
            wait();
            PositionRange range = rangeOfPlaces(tiles.columns);
            isSeen = buildMaySee(b, sizes.mask, range, ofKeys);
            isCut = buildMayHide(b, sizes.mask, range, ofKeys);
          }
        }
        return where(isSeen, sums, [&] {
          Numbers results = prefetchRows(
              resultsOf(firstQuery, own, tiles.columns), tiles.columns);
          loadTile(rowsOfHead(sizes.q, firstQuery, own, sizes.queries,
                              tiles.columns),
                   streamed, tiles.columns, tiles.width);
          loadTile(rowsOfHead(op.getDResult(), firstQuery, own, sizes.queries,
                              tiles.columns),
                   streamedValues, tiles.columns, tiles.valueWidth);
          BiasRows bias = hasOwnBias
                              ? biasRows(sample, own, first, /*haveKeys=*/true)
                              : sharedBias;
          loadTileBias(bias, firstQuery);
          loadQueries(firstQuery, own, streamedValues, results, tiles.columns);
          return emitPair(
              {firstQuery, /*haveKeys=*/true, isCut, bias, sizes.scale}, sums);
        });
      });
  ArrayRef<Value> all(sums);
  auto giveTo = [&](ArrayRef<Value> sums, ArrayRef<Value> factors,
                    const Operand &out, int64_t width,
                    const SharedTile &place) {
    if (out)
      storeResult(
          sums, factors, place,
          resultRows(out, sizes.keys, width, sample, first, head, tiles.rows),
          chunk);
  };
  Numbers factors;
  if (sizes.p > 0)
    factors.append(rows(), number(sizes.keepScale()));
  giveTo(all.take_front(valueSums), factors, outs[2], sizes.valueWidth,
         residentValues);
  giveTo(all.drop_front(valueSums), {}, outs[1], sizes.width, resident);
}

void Backward::emitQueries(Value block) {
  place(block, sizes.heads);
  allocate();
  Value keyHead = divide(head, sizes.shared());
  Numbers results =
      prefetchRows(resultsOf(first, head, tiles.rows), tiles.rows);
  loadTile(rowsOfHead(sizes.q, first, head, sizes.queries, tiles.rows),
           resident, tiles.rows, tiles.width);
  loadTile(rowsOfHead(op.getDResult(), first, head, sizes.queries, tiles.rows),
           residentValues, tiles.rows, tiles.valueWidth);
  if (needsPositions())
    loadPlaces(first, tiles.rows);
  loadQueries(first, head, residentValues, results, tiles.rows);
  PositionRange range;
  if (sizes.isCausal)
    range = rangeOfPlaces(tiles.rows);
  queries.clear();
  for (int64_t r = 0; r < rows(); ++r)
    queries.push_back(queryAt(rowInBlock(r)));
  BiasRows bias = biasRows(sample, head, first, /*haveKeys=*/false);
  Numbers start(rows() * product->columnsOf(tiles.chunk), number(0));
  TileSpan span =
      findTiles(sizes.kPos, sizes.keys, {}, [&](PositionRange ofKeys) {
        return buildMaySee(b, sizes.mask, range, ofKeys);
      });
  auto keyOf = [&](Value iteration) {
    Value tile = span.begin ? add(span.begin, iteration) : iteration;
    return mul(tile, tiles.columns);
  };
  Numbers sums = loopWithPositions(
      span.begin ? span.count
                 : index(llvm::divideCeil(sizes.keys, tiles.columns)),
      needsPositions() ? sizes.kPos : Value(), sizes.keys, keyOf, start,
      [&](Value iteration, Value taken, ArrayRef<Value> sums) -> Numbers {
        Value firstKey = keyOf(iteration);
        wait();
        Value isSeen, isCut;
        if (needsPositions()) {
          loadKeys(firstKey, tiles.columns, taken);
          if (sizes.isCausal) {
            wait();
            PositionRange ofKeys = rangeOf(keyPositions, tiles.columns);
            isSeen = buildMaySee(b, sizes.mask, range, ofKeys);
            isCut = buildMayHide(b, sizes.mask, range, ofKeys);
          }
        }
        return where(isSeen, sums, [&] {
          loadTile(
              rowsOfHead(sizes.k, firstKey, keyHead, sizes.keys, tiles.columns),
              streamed, tiles.columns, tiles.width);
          loadTile(
              rowsOfHead(sizes.v, firstKey, keyHead, sizes.keys, tiles.columns),
              streamedValues, tiles.columns, tiles.valueWidth);
          loadTileBias(bias, firstKey);
          wait();
          return emitPair(
              {firstKey, /*haveKeys=*/false, isCut, bias, sizes.scale}, sums);
        });
      });
  storeResult(sums, {}, resident,
              resultRows(outs[0], sizes.queries, sizes.width, sample, first,
                         head, tiles.rows),
              chunk);
}

int64_t codegen::emitBackwardBlock(ScalarBuilder &b, nn::AttentionGradOp op,
                                   const KernelChoices &choices,
                                   const DeviceTiles &tiles, Value block,
                                   const OperandMap &operands,
                                   ArrayRef<Operand> outs) {
  DeviceTiles tilesOfKeys = tiles;
  tilesOfKeys.columns = tiles.columnsOfKeys;
  Backward ofKeys(b, op, choices, tilesOfKeys, operands, outs),
      ofQueries(b, op, choices, tiles, operands, outs);
  BackwardBlocks blocks(AttentionSizes(op), tiles, outs);
  // Blocks of keys have the first numbers: they iterate over the queries of
  // several heads.
  SmallVector<std::pair<int64_t, std::function<void(Value)>>> kinds;
  auto addKind = [&](int64_t count, std::function<void(Value)> emit) {
    if (count)
      kinds.push_back({count, std::move(emit)});
  };
  addKind(blocks.ofKeys, [&](Value at) { ofKeys.emitKeys(at); });
  addKind(blocks.ofQueries, [&](Value at) { ofQueries.emitQueries(at); });
  addKind(blocks.ofBias, [&](Value at) { ofQueries.emitBias(at); });
  OpBuilder::InsertionGuard guard(b);
  for (auto &[count, emit] : ArrayRef(kinds).drop_back()) {
    Value bound = arith::ConstantIndexOp::create(b, count);
    Value isOfKind =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, block, bound);
    auto branch = scf::IfOp::create(b, isOfKind, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    emit(block);
    b.setInsertionPointToStart(branch.elseBlock());
    block = arith::SubIOp::create(b, block, bound);
  }
  kinds.back().second(block);
  return std::max(ofKeys.getSharedBytes(), ofQueries.getSharedBytes());
}
