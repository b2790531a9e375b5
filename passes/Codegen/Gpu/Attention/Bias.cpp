//===- Bias.cpp - What is added to the scores of a tile -------------------===//
//
// A bias is read where it lies, into the registers of the lane that has the
// score. At once a warp reads numbers of keys that follow each other, of
//
//                        rows are queries                rows are keys
//     by tensor cores    8 keys of 8 queries, a lane 2   8 keys of 4 queries
//     by FMAs            8 keys of 4 queries             4 keys of 8 queries
//
// Eight of f32 are a sector; of what is less the next access reads the rest.
//
// Of a bias that is one for all rows, as the mask of a sample's padding is, a
// block has its columns' numbers in shared memory, as it has their positions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Codegen/Gpu/Attention/Block.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Whether all pairs of keys, of which the first is even, begin at an even
/// element. The stride of a dim of 1 may be any.
static bool arePairs(const Operand &bias, ArrayRef<int64_t> shape) {
  bool isEven = shape[3] % 2 == 0 && bias.offset % 2 == 0;
  for (int64_t i = 0; i < 3; ++i)
    isEven &= shape[i] == 1 || bias.strides[i] % 2 == 0;
  return isEven;
}

BiasRows AttentionBlock::biasRows(Value sample, Value head, Value firstRow,
                                  bool haveKeys) {
  BiasRows rows;
  if (!sizes.bias)
    return rows;
  ScoreBias from = biasOf(sample, head);
  int64_t all = sizes.queries, ofRow = from.ofQuery;
  rows.buffer = from.buffer;
  rows.ofColumn = from.ofKey;
  rows.columns = sizes.keys;
  if (haveKeys) {
    std::swap(all, rows.columns);
    std::swap(ofRow, rows.ofColumn);
  }
  rows.isOfColumns = rows.ofColumn && !ofRow;
  if (rows.isOfColumns) {
    rows.bases.push_back(from.base);
    return rows;
  }
  if (!haveKeys && rows.ofColumn == 1 &&
      arePairs(operands.at(sizes.bias), nn::tensorType(sizes.bias).getShape()))
    rows.together = product->neighbours(RightForm::Rows);
  for (int64_t r = 0; r < product->rows(); ++r) {
    Value base = from.base;
    if (ofRow) {
      Value row = add(firstRow, rowInBlock(r));
      if (all % tiles.rows)
        row = min(row, all - 1);
      base = add(base, mul(row, ofRow));
    }
    rows.bases.push_back(base);
    if (!rows.ofColumn)
      rows.numbers.push_back(load(rows.buffer, base));
  }
  return rows;
}

void AttentionBlock::allocateBias() {
  if (sizes.bias)
    columnBias = allocateTile(tiles.columns, 1, b.getF32Type()).buffer;
}

void AttentionBlock::bringBias(const BiasRows &from, Value firstColumn) {
  if (!from.isOfColumns)
    return;
  forShare(tiles.columns, [&](Value i) {
    Value column = add(firstColumn, i);
    if (from.columns % tiles.columns)
      column = min(column, from.columns - 1);
    Value place = add(from.bases.front(), mul(column, from.ofColumn));
    memref::StoreOp::create(b, load(from.buffer, place), columnBias,
                            ValueRange{i});
  });
}

AttentionBlock::Numbers AttentionBlock::addBias(ArrayRef<Value> scores,
                                                const BiasRows &bias,
                                                Value firstColumn) {
  int64_t rows = product->rows(), count = scores.size() / rows;
  Value scale = number(sizes.scale);
  Numbers sums(scores);
  auto addTo = [&](int64_t r, int64_t c, Value x) {
    Value &sum = sums[r * count + c];
    sum = WarpProduct::addProduct(b, sum, scale, x);
  };
  for (int64_t c = 0; c < count; c += bias.together) {
    Value column = product->column(c, RightForm::Rows);
    if (bias.isOfColumns) {
      Value x = loadWordAt(columnBias, column);
      for (int64_t r = 0; r < rows; ++r)
        addTo(r, c, x);
      continue;
    }
    if (!bias.ofColumn) {
      for (int64_t r = 0; r < rows; ++r)
        addTo(r, c, bias.numbers[r]);
      continue;
    }
    column = add(firstColumn, column);
    if (bias.columns % tiles.columns)
      column = min(column, bias.columns - bias.together);
    Value place = mul(column, bias.ofColumn);
    for (int64_t r = 0; r < rows; ++r) {
      Value at = add(bias.bases[r], place);
      if (bias.together == 1) {
        addTo(r, c, load(bias.buffer, at));
        continue;
      }
      Value all = widen(loadPacked(bias.buffer, at, bias.together));
      for (int64_t i = 0; i < bias.together; ++i)
        addTo(r, c + i, vector::ExtractOp::create(b, all, i));
    }
  }
  return sums;
}
