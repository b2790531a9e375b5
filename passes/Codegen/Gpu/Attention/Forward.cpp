//===- Forward.cpp - Blocks of attention's forward on a GPU ---------------===//
//
// A block computes a tile of queries of one head of a sample; each warp has 16
// of the queries. All threads load a tile of keys and values. Then each warp
// runs the algorithm of Kernels/Attention/Attention.h, with scores, maxima,
// sums and results in registers:
//
//     load q
//     for each tile of keys that a query may see:
//       barrier; load k, v; barrier
//       S = q k^T
//       m, l, P = exp(S - m)          lanes of a row exchange m
//       o = o * exp(old m - new m) + P v
//     o / l, lse = m + log(l)
//
// Exponentials are powers of two, of scores times log2(e). A bias may be the
// lowest float, so scores with a bias are multiplied by log2(e) only after the
// maximum is subtracted.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Gpu/Attention/Block.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

namespace {

class Forward : public AttentionBlock {
public:
  using AttentionBlock::AttentionBlock;
  void emit(Value block);

private:
  void place(Value block);
  Numbers emitKeys(Value firstKey, ArrayRef<Value> state);
  /// `isCut`: some query of the block does not see all keys of the tile.
  Numbers emitScores(Value firstKey, Value isCut, ArrayRef<Value> state);
  void finish(ArrayRef<Value> state);
  /// Stores one value per row to an output [b, s, h].
  void storePerRow(const Operand &out,
                   llvm::function_ref<Value(int64_t)> ofRow);

  // `state` above, in a lane's registers: maxima by row, sums by row, then
  // results. Without a bias, maxima are those of scores times log2(e). The sums
  // of the lanes of a row are added at the end.
  Numbers startState();

  int64_t rows() const { return product->rows(); }
  Value sample, head, keyHead, first, chunk;
  SharedTile query, keys, values, stage;
  /// Positions of the tile's keys, and their dropout words. The words overwrite
  /// the positions if no position is compared.
  Value positions, keyWords;
  /// By row: positions, starts of documents, dropout words.
  Numbers queryPositions, queryStarts, words;
  PositionRange range; ///< of the queries' positions
  BiasRows bias;
};

} // namespace

int64_t codegen::countForwardBlocks(const AttentionSizes &sizes,
                                    const DeviceTiles &tiles) {
  return llvm::divideCeil(sizes.queries, tiles.rows) * tiles.chunks *
         sizes.batch * sizes.heads;
}

/// Blocks are ordered by tiles from the last on, since the last queries see
/// most keys.
void Forward::place(Value block) {
  Value last = index(countForwardBlocks(sizes, tiles) - 1);
  Value rest = arith::SubIOp::create(b, last, block);
  head = remainder(rest, sizes.heads);
  rest = divide(rest, sizes.heads);
  sample = remainder(rest, sizes.batch);
  rest = divide(rest, sizes.batch);
  if (tiles.chunks > 1) {
    chunk = mul(remainder(rest, tiles.chunks), tiles.valueChunk);
    rest = divide(rest, tiles.chunks);
  }
  keyHead = divide(head, sizes.shared());
  first = mul(rest, tiles.rows);
}

void Forward::emit(Value block) {
  place(block);
  query = allocateTile(tiles.rows, tiles.stayStride, element);
  keys = allocateTile(tiles.columns, tiles.stride, element);
  values = allocateTile(tiles.columns, tiles.valueStride, element);
  if (!tiles.usesTensorCores())
    stage = allocateTile(tiles.rows, tiles.scoreStride, b.getF32Type());
  loadTile(headRows(sizes.q, sample, first, head, sizes.queries, tiles.rows),
           query, tiles.rows, tiles.width);
  if (sizes.isCausal || sizes.p > 0) {
    positions = allocateTile(tiles.columns, 1, b.getI32Type()).buffer;
    Value own = allocateTile(tiles.rows, 1, b.getI32Type()).buffer;
    loadPositions(sizes.qPos, first, sizes.queries, own, tiles.rows);
    Value starts;
    if (sizes.starts) {
      starts = allocateTile(tiles.rows, 1, b.getI32Type()).buffer;
      loadStarts(sample, first, starts, tiles.rows);
    }
    wait();
    for (int64_t r = 0; r < rows(); ++r) {
      queryPositions.push_back(loadWordAt(own, rowInBlock(r)));
      queryStarts.push_back(starts ? loadWordAt(starts, rowInBlock(r))
                                   : Value());
    }
    if (sizes.isCausal)
      range = rangeOf(own, tiles.rows, starts);
  }
  allocateBias();
  bias = biasRows(sample, head, first, /*haveKeys=*/false);
  if (sizes.p > 0) {
    Value key = randomAdd(randomKey(sample), headWord(head));
    for (Value position : queryPositions)
      words.push_back(wordOfKey(randomAdd(key, position)));
    keyWords = sizes.isCausal
                   ? allocateTile(tiles.columns, 1, b.getI32Type()).buffer
                   : positions;
  }
  Numbers state = startState();
  state.append(rows() * product->columnsOf(tiles.valueChunk), number(0));
  TileSpan span =
      findTiles(sizes.kPos, sizes.keys, {}, [&](PositionRange ofKeys) {
        return buildMaySee(b, sizes.mask, range, ofKeys);
      });
  Value begin = index(0), end = index(sizes.keys);
  if (span.begin) {
    begin = mul(span.begin, tiles.columns);
    end = add(begin, mul(span.count, tiles.columns));
  }
  finish(loopWith(begin, end, tiles.columns, state,
                  [&](Value firstKey, ValueRange state) {
                    return emitKeys(firstKey, SmallVector<Value>(state));
                  }));
}

/// A sink is the first key of all rows, with values of zero. One lane of each
/// row has its exponential, 1.
AttentionBlock::Numbers Forward::startState() {
  Value most = number(kLowest), sum = number(0);
  if (sizes.sinks) {
    most = loadSink(head);
    if (!sizes.bias)
      most = arith::MaxNumFOp::create(
          b, mulf(most, number(llvm::numbers::log2e)), number(kLowest));
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                              remainder(lane, product->lanesOfRow()), index(0));
    sum = choose(isFirst, number(1), sum);
  }
  Numbers state(rows(), most);
  state.append(rows(), sum);
  return state;
}

AttentionBlock::Numbers Forward::emitKeys(Value firstKey,
                                          ArrayRef<Value> state) {
  // Other threads may still use the previous tile.
  wait();
  Value isSeen, isCut;
  if (positions) {
    loadPositions(sizes.kPos, firstKey, sizes.keys, positions, tiles.columns);
    if (keyWords)
      computeWords(positions, keyWords, tiles.columns);
    if (sizes.isCausal) {
      wait();
      PositionRange ofKeys = rangeOf(positions, tiles.columns);
      isSeen = buildMaySee(b, sizes.mask, range, ofKeys);
      isCut = buildMayHide(b, sizes.mask, range, ofKeys);
    }
  }
  return where(isSeen, state, [&] {
    loadTile(
        headRows(sizes.k, sample, firstKey, keyHead, sizes.keys, tiles.columns),
        keys, tiles.columns, tiles.width);
    loadTile(
        headRows(sizes.v, sample, firstKey, keyHead, sizes.keys, tiles.columns),
        values, tiles.columns, tiles.valueWidth);
    loadTileBias(bias, firstKey);
    wait();
    return emitScores(firstKey, isCut, state);
  });
}

AttentionBlock::Numbers Forward::emitScores(Value firstKey, Value isCut,
                                            ArrayRef<Value> state) {
  int64_t count = product->columnsOf(tiles.columns);
  Numbers scores(rows() * count, number(0));
  product->multiply(scores, {query, warpRow, {}}, tiles.width, keys,
                    RightForm::Rows, {});
  bool hasBias = bool(sizes.bias), hasCap = sizes.softcap != 0;
  if (hasCap)
    for (Value &x : scores)
      x = scaled(x);
  if (hasBias)
    scores = addBias(scores, bias, firstKey);
  // The factor of a score in its power of two. The scores may be multiplied
  // after the maximum is computed, unless the factor is not positive.
  double factorOfScores = hasBias || hasCap
                              ? llvm::numbers::log2e
                              : sizes.scale * llvm::numbers::log2e;
  bool isEarly = !(factorOfScores > 0);
  Value scale = number(factorOfScores);
  Value masked = number(-std::numeric_limits<double>::infinity());
  Value left = leftOf(firstKey, sizes.keys, tiles.columns);
  for (int64_t c = 0; (isEarly || left) && c < count; ++c) {
    Value isThere =
        left ? less(product->column(c, RightForm::Rows), left) : Value();
    for (int64_t r = 0; r < rows(); ++r) {
      Value &x = scores[r * count + c];
      if (isEarly)
        x = mulf(x, scale);
      if (isThere)
        x = choose(isThere, x, masked);
    }
  }
  if (isEarly)
    scale = number(1);
  if (sizes.isCausal)
    scores = where(isCut, scores, [&] {
      Numbers cut(scores);
      for (int64_t c = 0; c < count; ++c) {
        Value key = loadWordAt(positions, product->column(c, RightForm::Rows));
        for (int64_t r = 0; r < rows(); ++r) {
          Value &x = cut[r * count + c];
          Value isHidden = buildIsHidden(b, sizes.mask, queryPositions[r],
                                         queryStarts[r], key);
          x = choose(isHidden, masked, x);
        }
      }
      return cut;
    });
  Numbers next(state);
  ArrayRef<Value> results = state.drop_front(2 * rows());
  int64_t width = results.size() / rows();
  for (int64_t r = 0; r < rows(); ++r) {
    MutableArrayRef<Value> row(&scores[r * count], count);
    Value most = row[0];
    for (Value x : row.drop_front())
      most = arith::MaxNumFOp::create(b, most, x);
    most = reduceRow(most, /*isSum=*/false);
    if (!hasBias)
      most = mulf(most, scale);
    Value before = state[r];
    Value now = arith::MaxNumFOp::create(b, before, most);
    Value minusNow = hasBias ? Value() : arith::NegFOp::create(b, now);
    Value over = subf(before, now);
    Value factor = exp2(hasBias ? mulf(over, scale) : over);
    Value sum = mulf(state[rows() + r], factor);
    for (Value &x : row) {
      x = exp2(hasBias ? mulf(subf(x, now), scale)
                       : WarpProduct::addProduct(b, x, scale, minusNow));
      sum = addf(sum, x);
    }
    next[r] = now;
    next[rows() + r] = sum;
    for (int64_t c = 0; c < width; ++c)
      next[2 * rows() + r * width + c] = mulf(results[r * width + c], factor);
  }
  for (int64_t c = 0; sizes.p > 0 && c < count; ++c) {
    Value key = loadWordAt(keyWords, product->column(c, RightForm::Rows));
    for (int64_t r = 0; r < rows(); ++r) {
      Value &x = scores[r * count + c];
      x = choose(isDropped(words[r], key), number(0), x);
    }
  }
  LeftFactor left2 = product->takeScores(scores, {stage, warpRow, {}});
  product->multiply(MutableArrayRef<Value>(next).drop_front(2 * rows()), left2,
                    tiles.columns, values, RightForm::Columns, chunk);
  return next;
}

/// A row that sees no key, or whose keys all have a bias of -inf, has a sum of
/// zero; its result is zero.
void Forward::finish(ArrayRef<Value> state) {
  Value zero = number(0), kept = number(sizes.keepScale());
  Numbers factors, sums, highest;
  for (int64_t r = 0; r < rows(); ++r) {
    Value sum = reduceRow(state[rows() + r], /*isSum=*/true);
    Value hasAny =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, sum, zero);
    factors.push_back(
        choose(hasAny, arith::DivFOp::create(b, kept, sum), zero));
    sums.push_back(sum);
    if (sizes.bias)
      highest.push_back(choose(hasAny, state[r], zero));
  }
  if (outs[0])
    storeResult(state.drop_front(2 * rows()), factors, query,
                resultRows(outs[0], sizes.queries, sizes.valueWidth, sample,
                           first, head, tiles.rows),
                chunk);
  if (outs[1])
    storePerRow(outs[1], [&](int64_t r) -> Value {
      if (sizes.bias)
        return math::LogOp::create(b, sums[r]);
      Value most = mulf(state[r], number(llvm::numbers::ln2));
      return addf(most, math::LogOp::create(b, sums[r]));
    });
  if (sizes.bias && outs[2])
    storePerRow(outs[2], [&](int64_t r) { return highest[r]; });
}

/// One lane of each row stores the value, in the blocks that compute the first
/// chunk of columns.
void Forward::storePerRow(const Operand &out,
                          llvm::function_ref<Value(int64_t)> ofRow) {
  Value isOne =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            remainder(lane, product->lanesOfRow()), index(0));
  if (chunk)
    isOne = arith::AndIOp::create(
        b, isOne,
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, chunk, index(0)));
  Tile to = rowsOf(out, sample, first, head);
  Value left = leftOf(first, sizes.queries, tiles.rows);
  for (int64_t r = 0; r < rows(); ++r) {
    Value row = rowInBlock(r), isWanted = isOne;
    if (left)
      isWanted = arith::AndIOp::create(b, isOne, less(row, left));
    auto branch = scf::IfOp::create(b, isWanted, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    store(ofRow(r), out.buffer, at(to, row));
  }
}

int64_t codegen::emitForwardBlock(ScalarBuilder &b, nn::AttentionOp op,
                                  const KernelChoices &choices,
                                  const DeviceTiles &tiles, Value block,
                                  const OperandMap &operands,
                                  ArrayRef<Operand> outs) {
  Forward forward(b, op, choices, tiles, operands, outs);
  forward.emit(block);
  return forward.getSharedBytes();
}
