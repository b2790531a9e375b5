//===- BackwardBias.cpp - Blocks of dbias on a GPU ------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Gpu/Attention/Backward.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// The bias has all queries and keys. Its batch and head dims may be 1; dbias
/// is then summed over the samples and heads, samples in the outer loop.
void Backward::emitBias(Value block) {
  ArrayRef<int64_t> shape = nn::tensorType(sizes.bias).getShape();
  Value ownHead = remainder(block, shape[1]);
  Value rest = divide(block, shape[1]);
  Value ownSample = remainder(rest, shape[0]);
  rest = divide(rest, shape[0]);
  int64_t keyTiles = llvm::divideCeil(sizes.keys, tiles.columns);
  Value firstKey = mul(remainder(rest, keyTiles), tiles.columns);
  first = mul(divide(rest, keyTiles), tiles.rows);
  chunk = {};
  allocate();
  Value isSeen, isCut;
  if (needsPositions()) {
    loadPositions(sizes.qPos, first, sizes.queries, ofQueries.positions,
                  tiles.rows);
    loadKeys(firstKey, tiles.columns);
  }
  if (sizes.isCausal) {
    wait();
    PositionRange range = rangeOf(ofQueries.positions, tiles.rows),
                  ofKeys = rangeOf(keyPositions, tiles.columns);
    isSeen = buildMaySee(b, sizes.mask, range, ofKeys);
    // Documents differ by sample: without a condition, masks are applied.
    if (!sizes.starts)
      isCut = buildMayHide(b, sizes.mask, range, ofKeys);
  }
  int64_t samples = sizes.batch / shape[0], heads = sizes.heads / shape[1];
  Numbers start(rows() * product->columnsOf(tiles.columns), number(0));
  auto addPair = [&](Value iteration, ValueRange sums) -> Numbers {
    sample = samples > 1 ? divide(iteration, heads) : ownSample;
    head = heads > 1 ? remainder(iteration, heads) : ownHead;
    Value keyHead = divide(head, sizes.shared());
    if (sizes.p > 0)
      randomStart = randomKey(sample);
    // Other threads may still use the previous tiles.
    wait();
    if (sizes.starts)
      loadStarts(sample, first, ofQueries.starts, tiles.rows);
    Numbers results =
        prefetchRows(resultsOf(first, head, tiles.rows), tiles.rows);
    loadTile(rowsOfHead(sizes.q, first, head, sizes.queries, tiles.rows),
             resident, tiles.rows, tiles.width);
    loadTile(
        rowsOfHead(op.getDResult(), first, head, sizes.queries, tiles.rows),
        residentValues, tiles.rows, tiles.valueWidth);
    loadTile(rowsOfHead(sizes.k, firstKey, keyHead, sizes.keys, tiles.columns),
             streamed, tiles.columns, tiles.width);
    loadTile(rowsOfHead(sizes.v, firstKey, keyHead, sizes.keys, tiles.columns),
             streamedValues, tiles.columns, tiles.valueWidth);
    BiasRows bias = biasRows(sample, head, first, /*haveKeys=*/false);
    loadTileBias(bias, firstKey);
    loadQueries(first, head, residentValues, results, tiles.rows);
    queries.clear();
    for (int64_t r = 0; r < rows(); ++r)
      queries.push_back(queryAt(rowInBlock(r)));
    auto [p, d] =
        emitScores({firstKey, /*haveKeys=*/false, isCut, bias, /*factor=*/1,
                    /*isOfBias=*/true});
    Numbers next;
    for (auto [sum, x] : llvm::zip_equal(sums, d))
      next.push_back(addf(sum, x));
    return next;
  };
  Numbers sums = where(isSeen, start, [&] {
    return loopWith(samples * heads, 1, start, addPair);
  });
  // The heads of dbias precede its rows.
  Operand out = outs[3];
  std::swap(out.strides[1], out.strides[2]);
  storeResult(sums, {}, tiles.usesTensorCores() ? resident : stage,
              resultRows(out, sizes.queries, sizes.keys, ownSample, first,
                         ownHead, tiles.rows),
              firstKey, RightForm::Rows);
}
