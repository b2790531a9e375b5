//===- Backward.cpp - The gradient of attention ---------------------------===//
//
// Most work items are a key head of a sample and compute its dk, dv and dq. If
// dbias is used, further work items follow, which recompute the scores. Each is
// a tile of queries of the bias and sums over the samples or heads that share a
// bias.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Attention/WorkItem.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

namespace {

class Backward : AttentionUnit {
public:
  Backward(ScalarBuilder &b, nn::AttentionGradOp op,
           const KernelChoices &choices, const OperandMap &operands,
           ArrayRef<Operand> outs)
      : AttentionUnit(b, op, choices, operands, outs), op(op) {}
  void emit(Value unit);

private:
  void allocateTiles();
  void emitHead(Value unit);
  void emitBias(Value unit);
  void emitDots();
  void bringDots(Value first, Value count, Value head, Value to);
  void bringKeys(Value key);
  void emitKeys(Value key);
  void emitProducts(Value firstQuery, Value there, Value head);
  void emitPair(Value firstQuery, Value head, Value shared);
  void emitBiasPair(Value firstQuery, Value there, Value head);
  void bringBias(Value row);
  Value loadBias(Value row, int64_t column);
  void emitScores(Value firstQuery, Value there, Value head, Value firstDot);
  /// The tiles of all scores.
  Tile scoresOf(Value buffer) const { return {buffer, {}, breadth, {}}; }

  nn::AttentionGradOp op;
  int64_t height = sizes.pairHeight(choices);
  int64_t breadth = padded(std::min(choices.tileKeys, sizes.keys));
  Value sample, keyHead;
  Value firstKey, left; ///< of the tile of keys
  PositionRange range;  ///< of its positions
  Value dots;           ///< rowsum(do * o) of queries
  Value positions;      ///< i32 by key
  Value randomStart;    ///< the sample's dropout key
  Value keys, values;   ///< [d][t], [e][t]
  Value dKeys, dValues; ///< their gradients, likewise
  Tile keyRows;         ///< [t][d], whole vectors
  Value padKeys;
  Value probs, dScores; ///< [q][t]
  Value stage;          ///< [q][d], whole vectors: contributions to dq
  Value wideQ, wideD;
  Tile q, d; ///< rows of queries and of the result's cotangent
  ScoreBias bias;
  Value biasRow;         ///< of a query
  Value firstBias;       ///< the key that it begins at
  Value dBias;           ///< [q][t]
  bool isOfBias = false; ///< whether the work item computes dbias
};

} // namespace

/// Work items of key heads come first, then those of dbias, if it is used.
void Backward::emit(Value unit) {
  allocateTiles();
  if (!sizes.asksForBias)
    return emitHead(unit);
  Value heads = index(sizes.batch * sizes.keyHeads);
  Value isHead =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, unit, heads);
  auto branch = scf::IfOp::create(b, isHead, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitHead(unit);
  b.setInsertionPointToStart(branch.elseBlock());
  isOfBias = true;
  emitBias(arith::SubIOp::create(b, unit, heads));
}

void Backward::allocateTiles() {
  keys = allocate(sizes.width * breadth);
  values = allocate(sizes.valueWidth * breadth);
  dKeys = allocate(sizes.width * breadth);
  dValues = allocate(sizes.valueWidth * breadth);
  probs = allocate(height * breadth);
  dScores = allocate(height * breadth);
  stage = allocate(height * padded(sizes.width));
  dots = allocate(sizes.shared() * sizes.queries);
  if (sizes.isCausal || sizes.p > 0)
    positions = allocate(breadth, b.getI32Type());
  auto element = nn::tensorType(sizes.k).getElementType();
  if (!element.isF32()) {
    wideQ = allocate(height * sizes.width);
    wideD = allocate(height * sizes.valueWidth);
  }
  if (!element.isF32() || sizes.width % getLanes())
    padKeys = allocate(breadth * padded(sizes.width));
  if (sizes.bias && sizes.keys % breadth)
    biasRow = allocate(2 * breadth);
  if (sizes.asksForBias)
    dBias = allocate(height * breadth);
}

/// dq, dk and dv of a key head of a sample.
void Backward::emitHead(Value unit) {
  keyHead = remainder(unit, sizes.keyHeads);
  sample = divide(unit, sizes.keyHeads);
  if (sizes.p > 0)
    randomStart = randomKey(sample);
  if (padKeys)
    clear({padKeys, {}, padded(sizes.width), {}}, index(breadth),
          padded(sizes.width));
  emitDots();
  loop(index(sizes.keys), breadth, [&](Value key) { emitKeys(key); });
}

/// dots[to + i] = rowsum(do * o) of `count` queries of a head.
void Backward::bringDots(Value first, Value count, Value head, Value to) {
  Tile cotangent = rowsOf(op.getDResult(), sample, first, head, count);
  Tile result = rowsOf(op.getResult(), sample, first, head, count);
  cotangent.last = result.last = {};
  loop(count, 1, [&](Value i) {
    store(dot(cotangent, result, i, sizes.valueWidth), dots, add(to, i));
  });
}

/// Also clears dq, to which tiles of keys add.
void Backward::emitDots() {
  Value queries = index(sizes.queries), zero = index(0);
  loop(index(sizes.shared()), 1, [&](Value shared) {
    Value head = add(mul(keyHead, sizes.shared()), shared);
    bringDots(zero, queries, head, mul(shared, sizes.queries));
    if (outs[0])
      clear(rowsOf(outs[0], sample, zero, head), queries, sizes.width);
  });
}

/// Loads tiles of keys and values, from key `key` on, with keys along vectors.
void Backward::bringKeys(Value key) {
  firstKey = key;
  left = min(arith::SubIOp::create(b, index(sizes.keys), firstKey), breadth);
  Tile k = rowsOf(sizes.k, sample, firstKey, keyHead, left);
  Tile v = rowsOf(sizes.v, sample, firstKey, keyHead, left);
  transposeIn(k, {keys, {}, breadth, {}}, breadth, sizes.width);
  transposeIn(v, {values, {}, breadth, {}}, breadth, sizes.valueWidth);
  if (positions)
    copyPositions(sizes.kPos, firstKey, k.last, breadth, positions);
  range = rangeOfKeys(firstKey, left);
}

void Backward::emitKeys(Value key) {
  bringKeys(key);
  keyRows = rowsOf(sizes.k, sample, firstKey, keyHead, left);
  if (padKeys) {
    Tile wide = {padKeys, {}, padded(sizes.width), {}};
    copy(keyRows, wide, left, sizes.width);
    keyRows = wide;
  }
  keyRows.last = {};
  clear({dKeys, {}, breadth, {}}, index(sizes.width), breadth);
  clear({dValues, {}, breadth, {}}, index(sizes.valueWidth), breadth);
  loop(index(sizes.shared()), 1, [&](Value shared) {
    Value head = add(mul(keyHead, sizes.shared()), shared);
    loop(index(sizes.queries), height,
         [&](Value firstQuery) { emitPair(firstQuery, head, shared); });
  });
  auto give = [&](Value sums, const Operand &out, int64_t width) {
    if (out)
      transposeOut({sums, {}, breadth, {}},
                   rowsOf(out, sample, firstKey, keyHead), left, width);
  };
  give(dKeys, outs[1], sizes.width);
  give(dValues, outs[2], sizes.valueWidth);
}

/// Scores and cotangents of probabilities.
void Backward::emitProducts(Value firstQuery, Value there, Value head) {
  q = rowsOf(sizes.q, sample, firstQuery, head, there);
  d = rowsOf(op.getDResult(), sample, firstQuery, head, there);
  q = widened(q, wideQ, height, there, sizes.width);
  d = widened(d, wideD, height, there, sizes.valueWidth);
  product(q, {keys, {}, breadth, {}}, scoresOf(probs), there,
          index(sizes.width), breadth);
  product(d, {values, {}, breadth, {}}, scoresOf(dScores), there,
          index(sizes.valueWidth), breadth);
  q.last = d.last = {};
}

void Backward::emitPair(Value firstQuery, Value head, Value shared) {
  Value there =
      min(arith::SubIOp::create(b, index(sizes.queries), firstQuery), height);
  ifSeen(rangeOfQueries(sample, firstQuery, there), range, [&] {
    emitProducts(firstQuery, there, head);
    emitScores(firstQuery, there, head,
               add(mul(shared, sizes.queries), firstQuery));
    addTransposed(d, scoresOf(probs), {dValues, {}, breadth, {}},
                  sizes.valueWidth, there, breadth);
    addTransposed(q, scoresOf(dScores), {dKeys, {}, breadth, {}}, sizes.width,
                  there, breadth);
    if (!outs[0])
      return;
    Tile sums = {stage, {}, padded(sizes.width), {}};
    product(scoresOf(dScores), keyRows, sums, there, left, padded(sizes.width));
    add(sums, rowsOf(outs[0], sample, firstQuery, head), there, sizes.width);
  });
}

/// dbias of a tile of queries, one tile of keys at a time: the sum over the
/// samples and heads that share a bias.
void Backward::emitBias(Value unit) {
  auto shape = nn::tensorType(sizes.bias).getShape();
  int64_t tiles = llvm::divideCeil(sizes.queries, height);
  Value firstQuery = mul(remainder(unit, tiles), height);
  Value there =
      min(arith::SubIOp::create(b, index(sizes.queries), firstQuery), height);
  Value rest = divide(unit, tiles);
  Value biasHead = remainder(rest, shape[1]);
  Value biasSample = divide(rest, shape[1]);
  auto forAll = [&](int64_t all, int64_t own, Value number, Body body) {
    if (own == all)
      return body(number);
    loop(index(all), 1, body);
  };
  Tile sums = scoresOf(dBias);
  loop(index(sizes.keys), breadth, [&](Value key) {
    clear(sums, index(height), breadth);
    forAll(sizes.batch, shape[0], biasSample, [&](Value own) {
      sample = own;
      if (sizes.p > 0)
        randomStart = randomKey(sample);
      PositionRange queries = rangeOfQueries(sample, firstQuery, there);
      forAll(sizes.heads, shape[1], biasHead, [&](Value head) {
        keyHead = divide(head, sizes.shared());
        bringKeys(key);
        ifSeen(queries, range, [&] { emitBiasPair(firstQuery, there, head); });
      });
    });
    Value end = min(arith::SubIOp::create(b, index(sizes.keys), key), breadth);
    loop(there, 1, [&](Value i) {
      Value row = add(mul(rest, sizes.queries), add(firstQuery, i));
      Value to = add(mul(row, sizes.keys), key), from = at(sums, i);
      loop(end, 1, [&](Value j) {
        store(load(dBias, add(from, j)), outs[3].buffer, add(to, j));
      });
    });
  });
}

void Backward::emitBiasPair(Value firstQuery, Value there, Value head) {
  emitProducts(firstQuery, there, head);
  bringDots(firstQuery, there, head, index(0));
  emitScores(firstQuery, there, head, index(0));
  add(scoresOf(dScores), scoresOf(dBias), there, breadth);
}

/// Whole rows are read, so the last tile begins at an earlier key.
void Backward::bringBias(Value row) {
  if (!biasRow || !bias.ofKey)
    return;
  int64_t width = std::min(breadth, sizes.keys);
  firstBias = min(firstKey, sizes.keys - width);
  copy({bias.buffer, add(row, firstBias), 0, {}}, {biasRow, {}, 0, {}},
       index(1), width);
}

/// The bias of a query for a vector of keys; arbitrary for keys beyond the
/// last.
Value Backward::loadBias(Value row, int64_t column) {
  if (!bias.ofKey)
    return splat(load(bias.buffer, row));
  Value place = add(firstKey, index(column));
  if (!biasRow)
    return loadVector(bias.buffer, add(row, place));
  return loadVector(biasRow, arith::SubIOp::create(b, place, firstBias));
}

/// Replaces scores by probabilities after dropout, and cotangents of
/// probabilities by those of scores; in a work item of dbias without the scale.
void Backward::emitScores(Value firstQuery, Value there, Value head,
                          Value firstDot) {
  Value scale = constant(sizes.scale), zero = constant(0);
  Value ofHead;
  if (sizes.p > 0)
    ofHead = randomAdd(randomStart, headWord(head));
  if (sizes.bias)
    bias = biasOf(sample, head);
  loop(there, 1, [&](Value i) {
    Value query = add(firstQuery, i), highest, biasOfRow;
    Value lse = splat(finite(loadRow(op.getLse(), sample, query, head)));
    if (sizes.bias) {
      highest = splat(loadRow(op.getMax(), sample, query, head));
      biasOfRow = add(bias.base, mul(query, bias.ofQuery));
      bringBias(biasOfRow);
    }
    Value dot = splat(load(dots, add(firstDot, i)));
    Value position, start, words;
    if (sizes.starts)
      start = splat(loadStart(sample, query));
    if (positions) {
      Value scalar = loadWord(sizes.qPos, query);
      position = splat(scalar);
      if (sizes.p > 0)
        words = randomAdd(ofHead, scalar);
    }
    for (int64_t j = 0; j < breadth; j += getLanes()) {
      Value place = add(mul(i, breadth), index(j));
      Value key = positions ? loadVector(positions, index(j)) : Value();
      Value x = scaled(loadVector(probs, place)), slope;
      if (sizes.softcap)
        slope = slopeOfCap(x);
      if (sizes.bias) {
        x = arith::AddFOp::create(b, x, loadBias(biasOfRow, j));
        x = subf(x, highest);
      }
      Value weight = exp(subf(x, lse));
      if (sizes.isCausal) {
        Value isHidden = buildIsHidden(b, sizes.mask, position, start, key);
        weight = arith::SelectOp::create(b, isHidden, zero, weight);
      }
      Value cotangent = loadVector(dScores, place), kept = weight;
      if (sizes.p > 0) {
        Value factor = drop(randomAdd(words, key), constant(sizes.keepScale()));
        cotangent = mulf(cotangent, factor);
        kept = mulf(weight, factor);
      }
      storeVector(kept, probs, place);
      Value dScore = mulf(weight, subf(cotangent, dot));
      if (!isOfBias)
        dScore = mulf(dScore, slope ? mulf(slope, scale) : scale);
      storeVector(dScore, dScores, place);
    }
  });
}

void codegen::emitBackward(ScalarBuilder &b, nn::AttentionGradOp op,
                           const KernelChoices &choices, Value unit,
                           const OperandMap &operands, ArrayRef<Operand> outs) {
  Backward(b, op, choices, operands, outs).emit(unit);
}
