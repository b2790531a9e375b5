//===- Backward.cpp - The gradient of a key head's attention --------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Attention/Unit.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

namespace {

class Backward : AttentionUnit {
public:
  Backward(ScalarBuilder &b, nn::AttentionGradOp op,
           const KernelChoices &choices, const OperandMap &operands,
           ArrayRef<Value> outs)
      : AttentionUnit(b, op, choices, operands, outs), op(op) {}
  void emit(Value unit);

private:
  void emitDots();
  void emitKeys(Value firstKey);
  void emitPair(Value firstQuery, Value head, Value shared);
  void emitScores(Value firstQuery, Value there, Value head, Value shared);

  nn::AttentionGradOp op;
  int64_t height = llvm::alignTo(std::min(choices.tileQueries, sizes.queries),
                                 getProductRows());
  int64_t breadth = padded(std::min(choices.tileKeys, sizes.keys));
  Value sample, keyHead;
  Value firstKey, left; ///< of the tile of keys
  Value dots;           ///< rowsum(do * o) of all queries
  Value positions;      ///< i32 by key
  Value randomStart;    ///< the sample's key of dropout
  Value keys, values;   ///< [d][t], [e][t]
  Value dKeys, dValues; ///< the same
  Tile keyRows;         ///< [t][d], whole vectors
  Value padKeys;
  Value probs, dScores; ///< [q][t]
  Value stage;          ///< [q][d], whole vectors: what dq gets
  Value wideQ, wideD;
};

} // namespace

void Backward::emit(Value unit) {
  keyHead = remainder(unit, sizes.keyHeads);
  sample = divide(unit, sizes.keyHeads);
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
  if (sizes.p > 0)
    randomStart = randomKey(sample);
  auto element = nn::tensorType(sizes.k).getElementType();
  if (!element.isF32() || sizes.width % getLanes()) {
    padKeys = allocate(breadth * padded(sizes.width));
    clear({padKeys, {}, padded(sizes.width), {}}, index(breadth),
          padded(sizes.width));
  }
  emitDots();
  loop(index(sizes.keys), breadth, [&](Value key) { emitKeys(key); });
}

/// Also clears dq, which tiles of keys add to.
void Backward::emitDots() {
  Value queries = index(sizes.queries), zero = index(0);
  loop(index(sizes.shared()), 1, [&](Value shared) {
    Value head = add(mul(keyHead, sizes.shared()), shared);
    Tile cotangent = rowsOf(op.getDResult(), sample, zero, head, queries);
    Tile result = rowsOf(op.getResult(), sample, zero, head, queries);
    cotangent.last = result.last = {};
    loop(queries, 1, [&](Value i) {
      Value sum = dot(cotangent, result, i, sizes.valueWidth);
      store(sum, dots, add(mul(shared, sizes.queries), i));
    });
    if (outs[0])
      clear(rowsOf(outs[0], sizes.queries, sizes.heads, sizes.width, sample,
                   zero, head),
            queries, sizes.width);
  });
}

void Backward::emitKeys(Value key) {
  firstKey = key;
  left = min(arith::SubIOp::create(b, index(sizes.keys), firstKey), breadth);
  Tile k = rowsOf(sizes.k, sample, firstKey, keyHead, left);
  Tile v = rowsOf(sizes.v, sample, firstKey, keyHead, left);
  transposeIn(k, {keys, {}, breadth, {}}, breadth, sizes.width);
  transposeIn(v, {values, {}, breadth, {}}, breadth, sizes.valueWidth);
  if (padKeys) {
    keyRows = {padKeys, {}, padded(sizes.width), {}};
    copy(k, keyRows, left, sizes.width);
  } else {
    keyRows = k;
    keyRows.last = {};
  }
  if (positions)
    copyPositions(sizes.kPos, firstKey, k.last, breadth, positions);
  clear({dKeys, {}, breadth, {}}, index(sizes.width), breadth);
  clear({dValues, {}, breadth, {}}, index(sizes.valueWidth), breadth);
  loop(index(sizes.shared()), 1, [&](Value shared) {
    Value head = add(mul(keyHead, sizes.shared()), shared);
    loop(index(sizes.queries), height,
         [&](Value firstQuery) { emitPair(firstQuery, head, shared); });
  });
  auto give = [&](Value sums, Value out, int64_t width) {
    if (out)
      transposeOut({sums, {}, breadth, {}},
                   rowsOf(out, sizes.keys, sizes.keyHeads, width, sample,
                          firstKey, keyHead),
                   left, width);
  };
  give(dKeys, outs[1], sizes.width);
  give(dValues, outs[2], sizes.valueWidth);
}

void Backward::emitPair(Value firstQuery, Value head, Value shared) {
  Value there =
      min(arith::SubIOp::create(b, index(sizes.queries), firstQuery), height);
  auto pair = [&] {
    Tile q = rowsOf(sizes.q, sample, firstQuery, head, there);
    Tile d = rowsOf(op.getDResult(), sample, firstQuery, head, there);
    q = widened(q, wideQ, height, there, sizes.width);
    d = widened(d, wideD, height, there, sizes.valueWidth);
    Tile p = {probs, {}, breadth, {}}, ds = {dScores, {}, breadth, {}};
    product(q, {keys, {}, breadth, {}}, p, there, index(sizes.width), breadth);
    product(d, {values, {}, breadth, {}}, ds, there, index(sizes.valueWidth),
            breadth);
    emitScores(firstQuery, there, head, shared);
    q.last = d.last = {};
    addTransposed(d, p, {dValues, {}, breadth, {}}, sizes.valueWidth, there,
                  breadth);
    addTransposed(q, ds, {dKeys, {}, breadth, {}}, sizes.width, there, breadth);
    if (!outs[0])
      return;
    Tile sums = {stage, {}, padded(sizes.width), {}};
    product(ds, keyRows, sums, there, left, padded(sizes.width));
    add(sums,
        rowsOf(outs[0], sizes.queries, sizes.heads, sizes.width, sample,
               firstQuery, head),
        there, sizes.width);
  };
  if (!sizes.isCausal)
    return pair();
  auto isSeen = scf::IfOp::create(b, sees(firstQuery, there, firstKey, left),
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isSeen.thenBlock());
  pair();
}

/// Scores become probabilities after dropout, and the cotangents of
/// probabilities those of scores.
void Backward::emitScores(Value firstQuery, Value there, Value head,
                          Value shared) {
  Value scale = constant(sizes.scale), zero = constant(0);
  Value ofHead;
  if (sizes.p > 0)
    ofHead = randomAdd(randomStart, headWord(head));
  loop(there, 1, [&](Value i) {
    Value query = add(firstQuery, i);
    Value lse = splat(finite(loadRow(op.getLse(), sample, query, head)));
    Value dot = splat(load(dots, add(mul(shared, sizes.queries), query)));
    Value position, words;
    if (positions) {
      Value scalar = loadWord(sizes.qPos, query);
      position = splat(scalar);
      if (sizes.p > 0)
        words = randomAdd(ofHead, scalar);
    }
    for (int64_t j = 0; j < breadth; j += getLanes()) {
      Value place = add(mul(i, breadth), index(j));
      Value key = positions ? loadVector(positions, index(j)) : Value();
      Value x = mulf(loadVector(probs, place), scale);
      Value weight = exp(subf(x, lse));
      if (sizes.isCausal) {
        Value isBehind =
            arith::CmpIOp::create(b, arith::CmpIPredicate::slt, position, key);
        weight = arith::SelectOp::create(b, isBehind, zero, weight);
      }
      Value cotangent = loadVector(dScores, place), kept = weight;
      if (sizes.p > 0) {
        Value factor = drop(randomAdd(words, key), constant(1 / (1 - sizes.p)));
        cotangent = mulf(cotangent, factor);
        kept = mulf(weight, factor);
      }
      storeVector(kept, probs, place);
      storeVector(mulf(mulf(weight, subf(cotangent, dot)), scale), dScores,
                  place);
    }
  });
}

void codegen::emitBackward(ScalarBuilder &b, nn::AttentionGradOp op,
                           const KernelChoices &choices, Value unit,
                           const OperandMap &operands, ArrayRef<Value> outs) {
  Backward(b, op, choices, operands, outs).emit(unit);
}
