//===- Forward.cpp - Attention of a tile of queries -----------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Attention/WorkItem.h"
#include "passes/Codegen/Kernels/Expr.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

namespace {

class Forward : AttentionUnit {
public:
  using AttentionUnit::AttentionUnit;
  void emit(Value unit);

private:
  void place(Value unit);
  void emitKeys(Value firstKey);
  void bringBias(Value firstKey);
  Value loadBias(Value key, int64_t vector);
  void emitScores(Value firstKey, Value left);
  void finish();
  int64_t vectorsOfTile() const { return height / getLanes(); }
  /// Keys whose biases are transposed at a time.
  int64_t biasRows() const { return std::min(breadth, sizes.keys); }
  Value lane(int64_t vector) { return index(vector * getLanes()); }

  int64_t height = sizes.tileHeight(choices);
  int64_t breadth =
      llvm::alignTo(std::min(choices.tileKeys, sizes.keys), getProductRows());
  Value sample, head, first, left; ///< of the work item's queries
  Value keyHead;
  /// By query: maximum score, sum, factor of the values accumulated so far.
  Value highest, sum, rescale;
  PositionRange range; ///< of the queries
  /// i32 by query: positions, starts of documents, dropout keys.
  Value positions, starts, keys;
  Value query, scores, result; ///< [d][q], [t][q], [e][q]
  Value wideK, wideV;
  ScoreBias bias;
  Value biases;    ///< [t][q], or by query if the same for all keys
  Value firstBias; ///< the key of its first row
};

} // namespace

/// Work items of a head alternate between its first and last tiles: with a
/// causal mask the last ones have most keys.
void Forward::place(Value unit) {
  int64_t tiles = llvm::divideCeil(sizes.queries, height);
  Value turn = remainder(unit, tiles), row = divide(unit, tiles);
  Value half = divide(turn, 2);
  Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                      remainder(turn, 2), index(0));
  Value tile = arith::SelectOp::create(
      b, isOdd, arith::SubIOp::create(b, index(tiles - 1), half), half);
  head = remainder(row, sizes.heads);
  sample = divide(row, sizes.heads);
  keyHead = divide(head, sizes.shared());
  first = mul(tile, height);
  left = min(arith::SubIOp::create(b, index(sizes.queries), first), height);
}

void Forward::emit(Value unit) {
  place(unit);
  query = allocate(sizes.width * height);
  scores = allocate(breadth * height);
  result = allocate(sizes.valueWidth * height);
  highest = allocate(height);
  sum = allocate(height);
  rescale = allocate(height);
  Tile rows = rowsOf(sizes.q, sample, first, head, left);
  transposeIn(rows, {query, {}, height, {}}, height, sizes.width);
  clear({result, {}, height, {}}, index(sizes.valueWidth), height);
  // A sink is the first key of all queries, with values of zero.
  Value most = sizes.sinks ? splat(loadSink(head)) : constant(kLowest);
  for (int64_t j = 0; j < vectorsOfTile(); ++j) {
    storeVector(most, highest, lane(j));
    storeVector(constant(sizes.sinks ? 1 : 0), sum, lane(j));
  }
  if (sizes.isCausal || sizes.p > 0) {
    positions = allocate(height, b.getI32Type());
    copyPositions(sizes.qPos, first, rows.last, height, positions);
  }
  if (sizes.starts) {
    starts = allocate(height, b.getI32Type());
    copyStarts(sample, first, rows.last, height, starts);
  }
  if (sizes.p > 0) {
    keys = allocate(height, b.getI32Type());
    Value key = randomAdd(randomKey(sample), headWord(head));
    for (int64_t j = 0; j < vectorsOfTile(); ++j)
      storeVector(randomAdd(key, loadVector(positions, lane(j))), keys,
                  lane(j));
  }
  if (sizes.bias) {
    bias = biasOf(sample, head);
    if (bias.ofQuery)
      biases = allocate((bias.ofKey ? biasRows() : 1) * height);
    if (bias.ofQuery && !bias.ofKey)
      loop(index(height), 1, [&](Value i) {
        Value query = add(first, min(i, rows.last));
        Value place = add(bias.base, mul(query, bias.ofQuery));
        store(load(bias.buffer, place), biases, i);
      });
  }
  range = rangeOfQueries(sample, first, left);
  loop(index(sizes.keys), breadth, [&](Value firstKey) { emitKeys(firstKey); });
  finish();
}

void Forward::emitKeys(Value firstKey) {
  Value there =
      min(arith::SubIOp::create(b, index(sizes.keys), firstKey), breadth);
  ifSeen(range, rangeOfKeys(firstKey, there), [&] {
    Tile k = rowsOf(sizes.k, sample, firstKey, keyHead, there);
    k = widened(k, wideK, breadth, there, sizes.width);
    product(k, {query, {}, height, {}}, {scores, {}, height, {}}, there,
            index(sizes.width), height);
    bringBias(firstKey);
    emitScores(firstKey, there);
    Tile v = rowsOf(sizes.v, sample, firstKey, keyHead, there);
    v = widened(v, wideV, breadth, there, sizes.valueWidth);
    v.last = {};
    addTransposed(v, {scores, {}, height, {}}, {result, {}, height, {}},
                  sizes.valueWidth, there, height, rescale);
  });
}

/// If the bias differs by query and by key, copies that of a tile, transposed.
/// It always reads the biases of biasRows() keys, so the last tile begins at an
/// earlier key.
void Forward::bringBias(Value firstKey) {
  if (!biases || !bias.ofKey)
    return;
  firstBias = min(firstKey, sizes.keys - biasRows());
  Value base = add(bias.base, add(mul(first, bias.ofQuery), firstBias));
  Value last = arith::SubIOp::create(b, left, index(1));
  transposeIn({bias.buffer, base, bias.ofQuery, last}, {biases, {}, height, {}},
              height, biasRows());
}

/// The bias of a key for a vector of queries.
Value Forward::loadBias(Value key, int64_t vector) {
  if (!bias.ofQuery)
    return splat(load(bias.buffer, add(bias.base, mul(key, bias.ofKey))));
  if (!bias.ofKey)
    return loadVector(biases, lane(vector));
  Value row = arith::SubIOp::create(b, key, firstBias);
  return loadVector(biases, add(mul(row, height), lane(vector)));
}

/// Replaces scores by exp(score - maximum), with dropout.
void Forward::emitScores(Value firstKey, Value there) {
  int64_t vectors = vectorsOfTile();
  Value zero = index(0), one = index(1);
  auto pass =
      [&](SmallVector<Value> start,
          llvm::function_ref<Value(Value, int64_t, Value, Value)> next) {
        auto loop = scf::ForOp::create(b, zero, there, one, start);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Value t = loop.getInductionVar();
        SmallVector<Value> results;
        for (int64_t j = 0; j < vectors; ++j) {
          Value at = add(mul(t, height), lane(j));
          results.push_back(next(t, j, at, loop.getRegionIterArg(j)));
        }
        scf::YieldOp::create(b, results);
        return SmallVector<Value>(loop.getResults());
      };
  auto loadAll = [&](Value buffer) {
    SmallVector<Value> all;
    for (int64_t j = 0; j < vectors; ++j)
      all.push_back(loadVector(buffer, lane(j)));
    return all;
  };
  Value masked = constant(-std::numeric_limits<double>::infinity());
  SmallVector<Value> before = loadAll(highest), at, from(vectors);
  if (sizes.isCausal)
    at = loadAll(positions);
  if (sizes.starts)
    from = loadAll(starts);
  auto now = pass(before, [&](Value t, int64_t j, Value place, Value most) {
    Value x = scaled(loadVector(scores, place));
    if (sizes.bias)
      x = arith::AddFOp::create(b, x, loadBias(add(firstKey, t), j));
    if (sizes.isCausal) {
      Value key = splat(loadWord(sizes.kPos, add(firstKey, t)));
      Value isHidden = buildIsHidden(b, sizes.mask, at[j], from[j], key);
      x = arith::SelectOp::create(b, isHidden, masked, x);
    }
    storeVector(x, scores, place);
    return arith::MaxNumFOp::create(b, most, x).getResult();
  });
  SmallVector<Value> sums;
  for (int64_t j = 0; j < vectors; ++j) {
    Value factor = exp(subf(before[j], now[j]));
    storeVector(factor, rescale, lane(j));
    storeVector(now[j], highest, lane(j));
    sums.push_back(mulf(loadVector(sum, lane(j)), factor));
  }
  SmallVector<Value> words;
  if (sizes.p > 0)
    words = loadAll(keys);
  sums = pass(sums, [&](Value t, int64_t j, Value place, Value old) {
    Value weight = exp(subf(loadVector(scores, place), now[j]));
    Value total = arith::AddFOp::create(b, old, weight);
    if (sizes.p > 0) {
      Value key = loadWord(sizes.kPos, add(firstKey, t));
      weight = drop(randomAdd(words[j], key), weight);
    }
    storeVector(weight, scores, place);
    return total;
  });
  for (int64_t j = 0; j < vectors; ++j)
    storeVector(sums[j], sum, lane(j));
}

/// A row that sees no key has a sum of zero, or 1 with a sink, and yields
/// zeros.
void Forward::finish() {
  Value zero = constant(0), kept = constant(sizes.keepScale());
  for (int64_t j = 0; j < vectorsOfTile(); ++j) {
    Value total = loadVector(sum, lane(j));
    Value inverse = arith::DivFOp::create(b, kept, total);
    Value hasAny =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, total, zero);
    storeVector(arith::SelectOp::create(b, hasAny, inverse, zero), rescale,
                lane(j));
  }
  if (outs[0])
    transposeOut({result, {}, height, {}}, rowsOf(outs[0], sample, first, head),
                 left, sizes.valueWidth, rescale);
  auto giveRows = [&](const Operand &out,
                      llvm::function_ref<Value(Value)> number) {
    if (!out)
      return;
    Tile rows = rowsOf(out, sample, first, head);
    loop(left, 1, [&](Value i) { store(number(i), out.buffer, at(rows, i)); });
  };
  giveRows(outs[1], [&](Value i) -> Value {
    Value log = math::LogOp::create(b, load(sum, i));
    if (sizes.bias)
      return log;
    return arith::AddFOp::create(b, load(highest, i), log);
  });
  if (!sizes.bias)
    return;
  Value none = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  giveRows(outs[2], [&](Value i) -> Value {
    Value hasAny =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, load(sum, i), none);
    return arith::SelectOp::create(b, hasAny, load(highest, i), none);
  });
}

void codegen::emitForward(ScalarBuilder &b, nn::AttentionOp op,
                          const KernelChoices &choices, Value unit,
                          const OperandMap &operands, ArrayRef<Operand> outs) {
  Forward(b, op, choices, operands, outs).emit(unit);
}
