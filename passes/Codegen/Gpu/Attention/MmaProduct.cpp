//===- MmaProduct.cpp - GEMMs of a warp by tensor cores -------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Gpu/Attention/Product.h"
#include "passes/Codegen/Gpu/Mma.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

namespace {
class MmaProduct final : public WarpProduct {
public:
  MmaProduct(ImplicitLocOpBuilder &b, Type element, Value lane)
      : WarpProduct(b, lane, 2), element(element) {
    group = divide(lane, 4);
    pair = mul(remainder(lane, 4), 2);
    // The row, and the matrix, whose address the lane passes to ldmatrix.
    inMatrix = remainder(lane, 8);
    matrix = divide(lane, 8);
  }
  Value row(int64_t r) override { return add(group, r * 8); }
  Value column(int64_t c, RightForm) override {
    return add(pair, c / 2 * kMmaColumns + c % 2);
  }
  void multiply(MutableArrayRef<Value> sums, const LeftFactor &left,
                int64_t depth, const SharedTile &right, RightForm form,
                Value first) override;
  LeftFactor takeScores(ArrayRef<Value> scores,
                        const LeftFactor &stage) override;

private:
  Type element; ///< of the operands
  Value group, pair, inMatrix, matrix;
};
} // namespace

void MmaProduct::multiply(MutableArrayRef<Value> sums, const LeftFactor &left,
                          int64_t depth, const SharedTile &right,
                          RightForm form, Value first) {
  int64_t count = sums.size() / rows();
  // The four matrices of the left operand: rows 0 to 7 and 8 to 15, of steps 0
  // to 7, then of steps 8 to 15.
  Value low = add(inMatrix, mul(remainder(matrix, 2), 8));
  Value high = mul(divide(matrix, 2), 8);
  Value leftAt;
  if (left.held.empty())
    leftAt = at(left.tile, add(left.first, low), high);
  // The four matrices of the right operand: for each of two blocks of columns,
  // the steps 0 to 7 and 8 to 15.
  bool isByRows = form == RightForm::Rows;
  Value column = add(high, isByRows ? inMatrix : index(0));
  if (first)
    column = add(column, first);
  Value step = isByRows ? mul(remainder(matrix, 2), 8) : low;
  Value rightAt = isByRows ? at(right, column, step) : at(right, step, column);
  for (int64_t k = 0; k < depth; k += kMmaDepth) {
    SmallVector<Value> a;
    if (left.held.empty())
      a = loadMatrices(b, left.tile.buffer, add(leftAt, k),
                       /*isTransposed=*/false);
    else
      a.assign(left.held.begin() + k / 4, left.held.begin() + k / 4 + 4);
    for (int64_t c = 0; c < count; c += 4) {
      // A lane has two columns of each block of eight.
      int64_t block = c / 2 * kMmaColumns;
      int64_t offset =
          isByRows ? block * right.stride + k : k * right.stride + block;
      auto factors =
          loadMatrices(b, right.buffer, add(rightAt, offset), !isByRows);
      for (int64_t half = 0; half < 2; ++half) {
        int64_t at = c + 2 * half;
        multiplyMatrices(b, element.isF16(), a,
                         ArrayRef<Value>(factors).slice(2 * half, 2),
                         {&sums[at], &sums[at + 1], &sums[count + at],
                          &sums[count + at + 1]});
      }
    }
  }
}

/// The accumulators are distributed over lanes like the left operand's
/// elements, so they are used directly from registers.
LeftFactor MmaProduct::takeScores(ArrayRef<Value> scores,
                                  const LeftFactor &stage) {
  LeftFactor left = stage;
  int64_t count = scores.size() / rows();
  auto narrow = [&](int64_t at) {
    auto two = VectorType::get({2}, b.getF32Type());
    Value wide = vector::FromElementsOp::create(
        b, two, ValueRange{scores[at], scores[at + 1]});
    Value rounded =
        arith::TruncFOp::create(b, VectorType::get({2}, element), wide);
    return packFactor(b, rounded);
  };
  for (int64_t c = 0; c < count; c += 4)
    for (int64_t at : {c, count + c, c + 2, count + c + 2})
      left.held.push_back(narrow(at));
  return left;
}

std::unique_ptr<WarpProduct> codegen::makeMmaProduct(ImplicitLocOpBuilder &b,
                                                     Type element, Value lane) {
  return std::make_unique<MmaProduct>(b, element, lane);
}
