//===- FmaProduct.cpp - GEMMs of a warp by FMAs ---------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Gpu/Attention/Product.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Elements of an access.
static constexpr int64_t kQuad = 4;
/// Lanes that share a row.
static constexpr int64_t kFmaLanes = 8;

std::unique_ptr<WarpProduct> WarpProduct::create(ImplicitLocOpBuilder &b,
                                                 Type element, Value lane) {
  return element.isF32() ? makeFmaProduct(b, lane)
                         : makeMmaProduct(b, element, lane);
}

int64_t WarpProduct::neighbours(RightForm form) const {
  if (lanesOfRow() < kFmaLanes)
    return 2;
  return form == RightForm::Columns ? kQuad : 1;
}

Value WarpProduct::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value WarpProduct::add(Value x, Value y) {
  return arith::AddIOp::create(b, x, y);
}

Value WarpProduct::addProduct(ImplicitLocOpBuilder &b, Value x, Value y,
                              Value sum) {
  auto contract = arith::FastMathFlags::contract;
  return arith::AddFOp::create(b, arith::MulFOp::create(b, x, y, contract), sum,
                               contract);
}

Value WarpProduct::mul(Value x, int64_t factor) {
  return factor == 1 ? x : arith::MulIOp::create(b, x, index(factor));
}

Value WarpProduct::divide(Value x, int64_t by) {
  return arith::DivUIOp::create(b, x, index(by));
}

Value WarpProduct::remainder(Value x, int64_t by) {
  return arith::RemUIOp::create(b, x, index(by));
}

namespace {
class FmaProduct final : public WarpProduct {
public:
  FmaProduct(ImplicitLocOpBuilder &b, Value lane) : WarpProduct(b, lane, 4) {
    group = divide(lane, kFmaLanes);
    place = remainder(lane, kFmaLanes);
  }
  Value row(int64_t r) override { return add(group, r * kQuad); }
  Value column(int64_t c, RightForm form) override {
    if (form == RightForm::Rows)
      return add(place, c * kFmaLanes);
    int64_t block = c / kQuad;
    return add(mul(place, kQuad), block * kQuad * kFmaLanes + c % kQuad);
  }
  void multiply(MutableArrayRef<Value> sums, const LeftFactor &left,
                int64_t depth, const SharedTile &right, RightForm form,
                Value first) override;
  LeftFactor takeScores(ArrayRef<Value> scores,
                        const LeftFactor &stage) override;

private:
  /// Loads four elements of a tile.
  SmallVector<Value> load(const SharedTile &tile, Value at) {
    auto type = VectorType::get({kQuad}, b.getF32Type());
    Value all =
        vector::LoadOp::create(b, type, tile.buffer, ValueRange{at},
                               /*nontemporal=*/false, llvm::MaybeAlign(16));
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < kQuad; ++i)
      numbers.push_back(vector::ExtractOp::create(b, all, i));
    return numbers;
  }
  Value group, place;
};
} // namespace

/// Unrolls four steps of the inner dimension.
void FmaProduct::multiply(MutableArrayRef<Value> sums, const LeftFactor &left,
                          int64_t depth, const SharedTile &right,
                          RightForm form, Value first) {
  int64_t count = sums.size() / rows();
  SmallVector<Value> leftRows, rightColumns;
  for (int64_t r = 0; r < rows(); ++r)
    leftRows.push_back(at(left.tile, add(left.first, row(r)), index(0)));
  bool isByRows = form == RightForm::Rows;
  for (int64_t c = 0; c < count; c += isByRows ? 1 : kQuad) {
    Value place = column(c, form);
    if (first)
      place = add(place, first);
    rightColumns.push_back(isByRows ? at(right, place, index(0)) : place);
  }
  auto loop = scf::ForOp::create(b, index(0), index(depth), index(kQuad),
                                 SmallVector<Value>(sums));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  SmallVector<Value> now(loop.getRegionIterArgs());
  SmallVector<SmallVector<Value>> factors, others;
  for (Value start : leftRows)
    factors.push_back(load(left.tile, add(start, step)));
  // others[column][step]
  others.assign(count, SmallVector<Value>(kQuad));
  if (isByRows) {
    for (int64_t c = 0; c < count; ++c)
      others[c] = load(right, add(rightColumns[c], step));
  } else {
    for (int64_t k = 0; k < kQuad; ++k)
      for (int64_t c = 0; c < count; c += kQuad) {
        Value from = at(right, add(step, k), rightColumns[c / kQuad]);
        for (auto [i, number] : llvm::enumerate(load(right, from)))
          others[c + i][k] = number;
      }
  }
  for (int64_t k = 0; k < kQuad; ++k)
    for (int64_t r = 0; r < rows(); ++r)
      for (int64_t c = 0; c < count; ++c) {
        Value &sum = now[r * count + c];
        sum = addProduct(b, factors[r][k], others[c][k], sum);
      }
  scf::YieldOp::create(b, now);
  for (auto [sum, result] : llvm::zip(sums, loop.getResults()))
    sum = result;
}

/// Stages the scores in shared memory, with warp barriers before and after.
LeftFactor FmaProduct::takeScores(ArrayRef<Value> scores,
                                  const LeftFactor &stage) {
  auto wait = [&] {
    Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
    NVVM::SyncWarpOp::create(b, all);
  };
  int64_t count = scores.size() / rows();
  wait();
  for (int64_t r = 0; r < rows(); ++r)
    for (int64_t c = 0; c < count; ++c) {
      Value place =
          at(stage.tile, add(stage.first, row(r)), column(c, RightForm::Rows));
      memref::StoreOp::create(b, scores[r * count + c], stage.tile.buffer,
                              ValueRange{place});
    }
  wait();
  return stage;
}

std::unique_ptr<WarpProduct> codegen::makeFmaProduct(ImplicitLocOpBuilder &b,
                                                     Value lane) {
  return std::make_unique<FmaProduct>(b, lane);
}
