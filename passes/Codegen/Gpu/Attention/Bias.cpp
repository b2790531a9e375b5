//===- Bias.cpp - The attention bias of a tile of scores ------------------===//
//
// Each lane loads the bias of its scores from global memory into registers. One
// access of a warp loads consecutive keys:
//
//                         rows are queries                rows are keys
//      by tensor cores    8 keys of 8 queries, a lane 2   8 keys of 4 queries
//      by FMAs            8 keys of 4 queries             4 keys of 8 queries
//
// Eight f32 are a sector. If an access has less than a sector, the next one
// reads the rest.
//
// A bias that is the same for all rows, like the padding mask of a sample, is
// loaded into shared memory once per tile of columns, like the positions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Codegen/Gpu/Attention/Block.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Whether each pair of keys with an even first key begins at an even element.
/// The stride of a dim of size 1 is irrelevant.
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

void AttentionBlock::loadTileBias(const BiasRows &from, Value firstColumn) {
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
  Value scale = number(sizes.softcap ? 1 : sizes.scale);
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
