//===- Backward.cpp - A block of attention's gradient on a device ---------===//
//
// Blocks are of two kinds, so that each adds up what it alone writes, in one
// order. Some have a tile of keys of a key head and go through the queries of
// all heads that share it, the others a tile of queries of a head and go
// through its keys. Rows are what a block has, columns what comes:
//
//                    dk and dv               dq
//     rows           keys                    queries
//     S, dP          k q^T, v do^T           q k^T, do v^T
//     P, dS          by lse of columns       by lse of rows
//     results        dv += P do, dk += dS q  dq += dS k
//
// with P = exp(S - lse), dS = P * (dP - rowsum(do * o)). The last is computed
// where it is needed.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Gpu/Attention/Block.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

namespace {

class Backward : public AttentionBlock {
public:
  Backward(ScalarBuilder &b, nn::AttentionGradOp op,
           const KernelChoices &choices, const DeviceTiles &tiles,
           const OperandMap &operands, ArrayRef<Value> outs)
      : AttentionBlock(b, op, choices, tiles, operands, outs), op(op) {}
  void emitKeys(Value block);
  void emitQueries(Value block);

private:
  /// What belongs to queries, of each a number in shared memory: its position,
  /// its key of dropout, lse of powers of two, less than zero, and rowsum(do *
  /// o).
  struct Queries {
    Value positions, words, lessLse, dots;
  };
  /// The same of one, where it is needed.
  struct Query {
    Value position, word, lessLse, dot;
  };
  /// Of a sample's head.
  void place(Value block, int64_t heads);
  void allocate();
  bool needsPositions() const { return sizes.isCausal || sizes.p > 0; }
  Query queryAt(Value at);
  HeadRows rowsOfHead(Value operand, Value first, Value head, int64_t all,
                      int64_t rowCount) {
    return headRows(operand, sample, first, head, all, rowCount);
  }
  /// Brings what belongs to queries, with their rows of do in a tile.
  void bringQueries(Value firstQuery, Value head, const SharedTile &cotangents,
                    int64_t count);
  /// P after dropout and dS, in place of S and dP. `isCut`: a query does not
  /// see all of the keys.
  void emitScores(Value firstColumn, bool haveKeys, Value isCut,
                  Numbers &scores, Numbers &cotangents);
  Numbers emitPair(Value firstColumn, bool haveKeys, Value isCut,
                   ArrayRef<Value> sums);
  int64_t rows() const { return product->rows(); }

  nn::AttentionGradOp op;
  Value sample, head, first, chunk;
  Value randomStart;
  SharedTile stay, stayValues, come, comeValues, stage;
  Queries ofQueries;
  Value keyPositions;
  SmallVector<Query> queries; ///< by row
  Numbers keys;               ///< positions by row
};

} // namespace

static int64_t countKeyBlocks(const AttentionSizes &sizes,
                              const DeviceTiles &tiles, ArrayRef<Value> outs) {
  if (!outs[1] && !outs[2])
    return 0;
  return llvm::divideCeil(sizes.keys, tiles.rows) * tiles.chunks * sizes.batch *
         sizes.keyHeads;
}

int64_t codegen::countBackwardBlocks(const AttentionSizes &sizes,
                                     const DeviceTiles &tiles,
                                     ArrayRef<Value> outs) {
  int64_t blocks = countKeyBlocks(sizes, tiles, outs);
  if (outs[0])
    blocks += llvm::divideCeil(sizes.queries, tiles.rows) * tiles.chunks *
              sizes.batch * sizes.heads;
  return blocks;
}

/// The first tiles, whose keys most queries see, come first.
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

/// Blocks of either kind have the same memory.
void Backward::allocate() {
  reuseShared(0);
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  stay = allocateTile(tiles.rows, tiles.stayStride, element);
  stayValues = allocateTile(tiles.rows, tiles.stayValueStride, element);
  come = allocateTile(tiles.columns, tiles.stride, element);
  comeValues = allocateTile(tiles.columns, tiles.valueStride, element);
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
  if (sizes.p > 0)
    ofQueries.words = numbersOf(i32);
}

Backward::Query Backward::queryAt(Value at) {
  auto load = [&](Value words) {
    return words ? loadWordAt(words, at) : Value();
  };
  return {load(ofQueries.positions), load(ofQueries.words),
          load(ofQueries.lessLse), load(ofQueries.dots)};
}

void Backward::bringQueries(Value firstQuery, Value head,
                            const SharedTile &cotangents, int64_t count) {
  bringNumbers(op.getLse(), sample, firstQuery, head, sizes.queries,
               ofQueries.lessLse, count, [&](Value lse) {
                 return mulf(finite(lse), number(-llvm::numbers::log2e));
               });
  if (sizes.p > 0) {
    Value key = randomAdd(randomStart, headWord(head));
    // A thread has brought these positions itself.
    forShare(count, [&](Value i) {
      memref::StoreOp::create(
          b, randomAdd(key, loadWordAt(ofQueries.positions, i)),
          ofQueries.words, ValueRange{i});
    });
  }
  wait();
  bringDots(cotangents,
            rowsOfHead(op.getResult(), firstQuery, head, sizes.queries, count),
            ofQueries.dots, count);
  wait();
}

void Backward::emitScores(Value firstColumn, bool haveKeys, Value isCut,
                          Numbers &scores, Numbers &cotangents) {
  int64_t count = scores.size() / rows();
  Value scale = number(sizes.scale), zero = number(0);
  Value base = number(sizes.scale * llvm::numbers::log2e);
  Value left =
      leftOf(firstColumn, haveKeys ? sizes.queries : sizes.keys, tiles.columns);
  auto columnOf = [&](int64_t c) {
    return product->column(c, RightForm::Rows);
  };
  /// visit(query, key's position, index of the score), for each of the lane's.
  auto forEachScore =
      [&](llvm::function_ref<void(const Query &, Value, int64_t)> visit) {
        for (int64_t c = 0; c < count; ++c) {
          Query query;
          Value key;
          if (haveKeys)
            query = queryAt(columnOf(c));
          else if (needsPositions())
            key = loadWordAt(keyPositions, columnOf(c));
          for (int64_t r = 0; r < rows(); ++r) {
            bool hasKey = haveKeys && needsPositions();
            visit(haveKeys ? query : queries[r], hasKey ? keys[r] : key,
                  r * count + c);
          }
        }
      };
  forEachScore([&](const Query &query, Value, int64_t i) {
    scores[i] =
        exp2(WarpProduct::addProduct(b, scores[i], base, query.lessLse));
  });
  if (sizes.isCausal)
    scores = where(isCut, scores, [&] {
      Numbers cut(scores);
      forEachScore([&](const Query &query, Value key, int64_t i) {
        cut[i] = choose(less(query.position, key), zero, cut[i]);
      });
      return cut;
    });
  for (int64_t c = 0; left && c < count; ++c) {
    Value isThere = less(columnOf(c), left);
    for (int64_t i = c; i < rows() * count; i += count)
      scores[i] = choose(isThere, scores[i], zero);
  }
  Value kept = number(1 / (1 - sizes.p));
  forEachScore([&](const Query &query, Value key, int64_t i) {
    Value &x = scores[i], &d = cotangents[i], weight = x;
    if (sizes.p > 0) {
      Value factor = drop(randomAdd(query.word, key), kept);
      d = mulf(d, factor);
      x = mulf(weight, factor);
    }
    d = mulf(mulf(weight, subf(d, query.dot)), scale);
  });
}

AttentionBlock::Numbers Backward::emitPair(Value firstColumn, bool haveKeys,
                                           Value isCut, ArrayRef<Value> sums) {
  int64_t scores = rows() * product->columnsOf(tiles.columns);
  Numbers s(scores, number(0)), d(scores, number(0)), next(sums);
  product->multiply(s, {stay, warpRow, {}}, tiles.width, come, RightForm::Rows,
                    {});
  product->multiply(d, {stayValues, warpRow, {}}, tiles.valueWidth, comeValues,
                    RightForm::Rows, {});
  emitScores(firstColumn, haveKeys, isCut, s, d);
  MutableArrayRef<Value> rest(next);
  auto addTo = [&](ArrayRef<Value> factor, int64_t width,
                   const SharedTile &right) {
    int64_t count = rows() * product->columnsOf(width);
    product->multiply(rest.take_front(count),
                      product->takeScores(factor, {stage, warpRow, {}}),
                      tiles.columns, right, RightForm::Columns, chunk);
    rest = rest.drop_front(count);
  };
  if (!haveKeys) {
    addTo(d, tiles.chunk, come);
    return next;
  }
  if (outs[2])
    addTo(s, tiles.valueChunk, comeValues);
  if (outs[1])
    addTo(d, tiles.chunk, come);
  return next;
}

void Backward::emitKeys(Value block) {
  place(block, sizes.keyHeads);
  allocate();
  bring(rowsOfHead(sizes.k, first, head, sizes.keys, tiles.rows), stay,
        tiles.rows, tiles.width);
  bring(rowsOfHead(sizes.v, first, head, sizes.keys, tiles.rows), stayValues,
        tiles.rows, tiles.valueWidth);
  Value earliest, latest;
  keys.clear();
  if (needsPositions()) {
    bringPositions(sizes.kPos, first, sizes.keys, keyPositions, tiles.rows);
    wait();
    for (int64_t r = 0; r < rows(); ++r)
      keys.push_back(loadWordAt(keyPositions, rowInBlock(r)));
    if (sizes.isCausal) {
      earliest = extreme(keyPositions, tiles.rows, /*isLeast=*/true);
      latest = extreme(keyPositions, tiles.rows, /*isLeast=*/false);
    }
  }
  int64_t valueSums =
      outs[2] ? rows() * product->columnsOf(tiles.valueChunk) : 0;
  int64_t keySums = outs[1] ? rows() * product->columnsOf(tiles.chunk) : 0;
  int64_t turns = llvm::divideCeil(sizes.queries, tiles.columns);
  Numbers sums = loopWith(
      sizes.shared() * turns, 1, Numbers(valueSums + keySums, number(0)),
      [&](Value turn, ValueRange before) -> Numbers {
        SmallVector<Value> sums(before);
        Value firstQuery = mul(remainder(turn, turns), tiles.columns);
        Value own = add(mul(head, sizes.shared()), divide(turn, turns));
        // Others may still be at the tile before.
        wait();
        Value isSeen, isCut;
        if (needsPositions()) {
          bringPositions(sizes.qPos, firstQuery, sizes.queries,
                         ofQueries.positions, tiles.columns);
          if (sizes.isCausal) {
            wait();
            isSeen = arith::CmpIOp::create(
                b, arith::CmpIPredicate::sge,
                extreme(ofQueries.positions, tiles.columns, /*isLeast=*/false),
                earliest);
            isCut = less(
                extreme(ofQueries.positions, tiles.columns, /*isLeast=*/true),
                latest);
          }
        }
        return where(isSeen, sums, [&] {
          bring(rowsOfHead(sizes.q, firstQuery, own, sizes.queries,
                           tiles.columns),
                come, tiles.columns, tiles.width);
          bring(rowsOfHead(op.getDResult(), firstQuery, own, sizes.queries,
                           tiles.columns),
                comeValues, tiles.columns, tiles.valueWidth);
          bringQueries(firstQuery, own, comeValues, tiles.columns);
          return emitPair(firstQuery, /*haveKeys=*/true, isCut, sums);
        });
      });
  ArrayRef<Value> all(sums);
  auto giveTo = [&](ArrayRef<Value> sums, Value out, int64_t width,
                    const SharedTile &place) {
    if (out)
      give(sums, {}, place, out,
           resultRows(out, sizes.keys, sizes.keyHeads, width, sample, first,
                      head, tiles.rows),
           chunk);
  };
  giveTo(all.take_front(valueSums), outs[2], sizes.valueWidth, stayValues);
  giveTo(all.drop_front(valueSums), outs[1], sizes.width, stay);
}

void Backward::emitQueries(Value block) {
  place(block, sizes.heads);
  allocate();
  Value keyHead = divide(head, sizes.shared());
  bring(rowsOfHead(sizes.q, first, head, sizes.queries, tiles.rows), stay,
        tiles.rows, tiles.width);
  bring(rowsOfHead(op.getDResult(), first, head, sizes.queries, tiles.rows),
        stayValues, tiles.rows, tiles.valueWidth);
  if (needsPositions())
    bringPositions(sizes.qPos, first, sizes.queries, ofQueries.positions,
                   tiles.rows);
  bringQueries(first, head, stayValues, tiles.rows);
  Value earliest, latest;
  if (sizes.isCausal) {
    earliest = extreme(ofQueries.positions, tiles.rows, /*isLeast=*/true);
    latest = extreme(ofQueries.positions, tiles.rows, /*isLeast=*/false);
  }
  queries.clear();
  for (int64_t r = 0; r < rows(); ++r)
    queries.push_back(queryAt(rowInBlock(r)));
  Numbers start(rows() * product->columnsOf(tiles.chunk), number(0));
  Numbers sums = loopWith(
      sizes.keys, tiles.columns, start,
      [&](Value firstKey, ValueRange before) -> Numbers {
        SmallVector<Value> sums(before);
        wait();
        Value isSeen, isCut;
        if (needsPositions()) {
          bringPositions(sizes.kPos, firstKey, sizes.keys, keyPositions,
                         tiles.columns);
          if (sizes.isCausal) {
            wait();
            isSeen = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, latest,
                                           extreme(keyPositions, tiles.columns,
                                                   /*isLeast=*/true));
            isCut = less(earliest, extreme(keyPositions, tiles.columns,
                                           /*isLeast=*/false));
          }
        }
        return where(isSeen, sums, [&] {
          bring(
              rowsOfHead(sizes.k, firstKey, keyHead, sizes.keys, tiles.columns),
              come, tiles.columns, tiles.width);
          bring(
              rowsOfHead(sizes.v, firstKey, keyHead, sizes.keys, tiles.columns),
              comeValues, tiles.columns, tiles.valueWidth);
          wait();
          return emitPair(firstKey, /*haveKeys=*/false, isCut, sums);
        });
      });
  give(sums, {}, stay, outs[0],
       resultRows(outs[0], sizes.queries, sizes.heads, sizes.width, sample,
                  first, head, tiles.rows),
       chunk);
}

int64_t codegen::emitBackwardBlock(ScalarBuilder &b, nn::AttentionGradOp op,
                                   const KernelChoices &choices,
                                   const DeviceTiles &tiles, Value block,
                                   const OperandMap &operands,
                                   ArrayRef<Value> outs) {
  Backward backward(b, op, choices, tiles, operands, outs);
  AttentionSizes sizes(op);
  int64_t keyBlocks = countKeyBlocks(sizes, tiles, outs);
  if (!outs[0]) {
    backward.emitKeys(block);
    return backward.getSharedBytes();
  }
  if (!keyBlocks) {
    backward.emitQueries(block);
    return backward.getSharedBytes();
  }
  // Those of keys, which go through the queries of several heads, come first.
  Value bound = arith::ConstantIndexOp::create(b, keyBlocks);
  Value hasKeys =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, block, bound);
  auto branch = scf::IfOp::create(b, hasKeys, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  backward.emitKeys(block);
  b.setInsertionPointToStart(branch.elseBlock());
  backward.emitQueries(arith::SubIOp::create(b, block, bound));
  return backward.getSharedBytes();
}
