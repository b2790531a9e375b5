//===- BackwardScores.cpp - Probabilities and their cotangents ------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Codegen/Gpu/Attention/Backward.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// All kinds of blocks reuse the same shared memory.
void Backward::allocate() {
  reuseShared(0);
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  resident = allocateTile(tiles.rows, tiles.stayStride, element);
  residentValues = allocateTile(tiles.rows, tiles.stayValueStride, element);
  streamed = allocateTile(tiles.columns, tiles.stride, element);
  streamedValues = allocateTile(tiles.columns, tiles.valueStride, element);
  if (!tiles.usesTensorCores())
    stage = allocateTile(tiles.rows, tiles.scoreStride, f32);
  int64_t most = std::max(tiles.rows, tiles.columns);
  auto numbersOf = [&](Type type) {
    return allocateTile(most, 1, type).buffer;
  };
  ofQueries.lessLse = numbersOf(f32);
  ofQueries.dots = numbersOf(f32);
  if (needsPositions()) {
    ofQueries.positions = numbersOf(i32);
    keyPositions = numbersOf(i32);
  }
  if (sizes.starts)
    ofQueries.starts = numbersOf(i32);
  if (sizes.p > 0) {
    ofQueries.words = numbersOf(i32);
    keyWords = numbersOf(i32);
  }
  if (sizes.bias)
    ofQueries.highest = numbersOf(f32);
  allocateBias();
}

Backward::Query Backward::queryAt(Value at) {
  auto load = [&](Value words) {
    return words ? loadWordAt(words, at) : Value();
  };
  return {load(ofQueries.positions), load(ofQueries.starts),
          load(ofQueries.words),     load(ofQueries.lessLse),
          load(ofQueries.dots),      load(ofQueries.highest)};
}

Backward::Key Backward::keyAt(Value at) {
  return {needsPositions() ? loadWordAt(keyPositions, at) : Value(),
          keyWords ? loadWordAt(keyWords, at) : Value()};
}

void Backward::loadPlaces(Value firstQuery, int64_t count, Value taken) {
  loadPositions(sizes.qPos, firstQuery, sizes.queries, ofQueries.positions,
                count, taken);
  if (sizes.starts)
    loadStarts(sample, firstQuery, ofQueries.starts, count);
}

void Backward::loadKeys(Value firstKey, int64_t count, Value taken) {
  loadPositions(sizes.kPos, firstKey, sizes.keys, keyPositions, count, taken);
  if (sizes.p > 0)
    computeWords(keyPositions, keyWords, count);
}

void Backward::loadQueries(Value firstQuery, Value head,
                           const SharedTile &cotangents,
                           ArrayRef<Value> results, int64_t count) {
  loadNumbers(op.getLse(), sample, firstQuery, head, sizes.queries,
              ofQueries.lessLse, count, [&](Value lse) {
                return mulf(finite(lse), number(-llvm::numbers::log2e));
              });
  if (sizes.bias)
    loadNumbers(op.getMax(), sample, firstQuery, head, sizes.queries,
                ofQueries.highest, count, [](Value max) { return max; });
  if (sizes.p > 0) {
    Value key = randomAdd(randomStart, headWord(head));
    // The thread loaded these positions itself, so no barrier is needed.
    forShare(count, [&](Value i) {
      memref::StoreOp::create(
          b, wordOfKey(randomAdd(key, loadWordAt(ofQueries.positions, i))),
          ofQueries.words, ValueRange{i});
    });
  }
  wait();
  computeDots(cotangents, resultsOf(firstQuery, head, count), results,
              ofQueries.dots, count);
  wait();
}

std::pair<AttentionBlock::Numbers, AttentionBlock::Numbers>
Backward::emitScores(const Pair &pair) {
  int64_t count = rows() * product->columnsOf(tiles.columns);
  Numbers scores(count, number(0)), cotangents(count, number(0));
  product->multiply(scores, {resident, warpRow, {}}, tiles.width, streamed,
                    RightForm::Rows, {});
  product->multiply(cotangents, {residentValues, warpRow, {}}, tiles.valueWidth,
                    streamedValues, RightForm::Rows, {});
  computeProbabilities(pair, scores, cotangents);
  return {scores, cotangents};
}

void Backward::computeProbabilities(const Pair &pair, Numbers &scores,
                                    Numbers &cotangents) {
  int64_t count = scores.size() / rows();
  bool haveKeys = pair.haveKeys;
  Value factor = number(pair.factor), zero = number(0);
  Value left = leftOf(pair.firstColumn, haveKeys ? sizes.queries : sizes.keys,
                      tiles.columns);
  auto columnOf = [&](int64_t c) {
    return product->column(c, RightForm::Rows);
  };
  /// Calls visit(query, key, index of the score) for each score of the lane.
  auto forEachScore =
      [&](llvm::function_ref<void(const Query &, const Key &, int64_t)> visit) {
        for (int64_t c = 0; c < count; ++c) {
          Query query;
          Key key;
          if (haveKeys)
            query = queryAt(columnOf(c));
          else
            key = keyAt(columnOf(c));
          for (int64_t r = 0; r < rows(); ++r)
            visit(haveKeys ? query : queries[r], haveKeys ? keys[r] : key,
                  r * count + c);
        }
      };
  // A bias may be the lowest float, which becomes -inf when multiplied by
  // log2(e). So the maximum score, which may include that bias, is subtracted
  // first.
  Value base = number(llvm::numbers::log2e);
  Numbers slopes; // of the soft cap; empty: 1
  if (sizes.softcap)
    for (Value &x : scores) {
      x = scaled(x);
      if (!pair.isOfBias)
        slopes.push_back(slopeOfCap(x));
    }
  if (sizes.bias)
    scores = addBias(scores, pair.bias, pair.firstColumn);
  else if (!sizes.softcap)
    base = number(sizes.scale * llvm::numbers::log2e);
  forEachScore([&](const Query &query, const Key &, int64_t i) {
    Value x = sizes.bias ? subf(scores[i], query.highest) : scores[i];
    scores[i] = exp2(WarpProduct::addProduct(b, x, base, query.lessLse));
  });
  if (sizes.isCausal)
    scores = where(pair.isCut, scores, [&] {
      Numbers cut(scores);
      forEachScore([&](const Query &query, const Key &key, int64_t i) {
        Value isHidden = buildIsHidden(b, sizes.mask, query.position,
                                       query.start, key.position);
        cut[i] = choose(isHidden, zero, cut[i]);
      });
      return cut;
    });
  for (int64_t c = 0; left && c < count; ++c) {
    Value isThere = less(columnOf(c), left);
    for (int64_t i = c; i < rows() * count; i += count)
      scores[i] = choose(isThere, scores[i], zero);
  }
  // The common factor is folded into the FMA.
  Value times = number(pair.factor * (sizes.p > 0 ? sizes.keepScale() : 1));
  forEachScore([&](const Query &query, const Key &key, int64_t i) {
    Value &x = scores[i], &d = cotangents[i], weight = x;
    Value minusDot = arith::NegFOp::create(b, mulf(query.dot, factor));
    d = WarpProduct::addProduct(b, d, times, minusDot);
    if (sizes.p > 0) {
      Value isZero = isDropped(query.word, key.word);
      x = choose(isZero, zero, weight);
      d = choose(isZero, minusDot, d);
    }
    d = mulf(weight, d);
    if (!slopes.empty())
      d = mulf(d, slopes[i]);
  });
}
