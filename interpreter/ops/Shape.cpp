//===- Shape.cpp - Ops that move or reduce elements -----------------------===//

#include "interpreter/Kernels.h"
#include "interpreter/ops/Functions.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

LogicalResult runConstant(nn::ConstantOp op, const Args &, Results out) {
  TensorRef value = fromAttr(op.getValue());
  if (!value)
    return op.emitOpError("holds its elements outside the program");
  out[0] = *value;
  return success();
}

LogicalResult runReshape(nn::ReshapeOp op, const Args &in, Results out) {
  out[0].real = in[0].real;
  out[0].integer = in[0].integer;
  return success();
}

LogicalResult runTranspose(nn::TransposeOp op, const Args &in, Results out) {
  auto strides = rowMajorStrides(in[0].shape());
  SmallVector<int64_t> permuted;
  for (int64_t dim : op.getPermutation())
    permuted.push_back(strides[dim]);
  readStrided(in[0], 0, permuted, out[0]);
  return success();
}

LogicalResult runBroadcast(nn::BroadcastOp op, const Args &in, Results out) {
  auto strides = rowMajorStrides(in[0].shape());
  SmallVector<int64_t> repeated(out[0].rank(), 0);
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    repeated[dim] = strides[i];
  readStrided(in[0], 0, repeated, out[0]);
  return success();
}

/// Reduces the elements along the reduced dims by F; the result is 0 if there
/// are none.
template <typename OpT, typename F>
LogicalResult runReduce(OpT op, const Args &in, Results out) {
  auto kept = rowMajorStrides(out[0].shape());
  SmallVector<int64_t> strides;
  auto next = kept.begin();
  for (int64_t d = 0; d < in[0].rank(); ++d)
    strides.push_back(llvm::is_contained(op.getDims(), d) ? 0 : *next++);
  std::vector<bool> begun(out[0].size());
  forEachStrided(in[0].shape(), 0, strides, [&](int64_t i, int64_t offset) {
    auto join = [&](auto &to, const auto &from) {
      if (!from.empty())
        to[offset] = begun[offset] ? F()(to[offset], from[i]) : from[i];
    };
    join(out[0].real, in[0].real);
    join(out[0].integer, in[0].integer);
    begun[offset] = true;
  });
  return success();
}

/// Returns the base and strides of a box within a row-major tensor.
std::pair<int64_t, SmallVector<int64_t>> box(ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> starts,
                                             ArrayRef<int64_t> steps) {
  auto strides = rowMajorStrides(shape);
  int64_t base = 0;
  for (auto [d, stride] : llvm::enumerate(strides)) {
    base += starts[d] * stride;
    stride *= steps[d];
  }
  return {base, strides};
}

LogicalResult runSlice(nn::SliceOp op, const Args &in, Results out) {
  auto [base, strides] = box(in[0].shape(), op.getStarts(), op.getSteps());
  readStrided(in[0], base, strides, out[0]);
  return success();
}

LogicalResult runPad(nn::PadOp op, const Args &in, Results out) {
  auto [base, strides] = box(out[0].shape(), op.getStarts(), op.getSteps());
  writeStrided(in[0], base, strides, out[0]);
  return success();
}

LogicalResult runConcat(nn::ConcatOp op, const Args &in, Results out) {
  auto strides = rowMajorStrides(out[0].shape());
  int64_t dim = op.getDim(), start = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    writeStrided(in[i], start * strides[dim], strides, out[0]);
    start += in[i].dim(dim);
  }
  return success();
}

LogicalResult runSelect(nn::SelectOp op, const Args &in, Results out) {
  auto strides = rowMajorStrides(in[0].shape());
  int64_t dim = op.getDim(), base = op.getIndex() * strides[dim];
  strides.erase(strides.begin() + dim);
  readStrided(in[0], base, strides, out[0]);
  return success();
}

LogicalResult runInsert(nn::InsertOp op, const Args &in, Results out) {
  auto strides = rowMajorStrides(out[0].shape());
  int64_t dim = op.getDim(), base = op.getIndex() * strides[dim];
  strides.erase(strides.begin() + dim);
  writeStrided(in[0], base, strides, out[0]);
  return success();
}

} // namespace

void pcc::interp::addShapeKernels(KernelTable &table) {
  table.add(runConstant);
  table.add(runReshape);
  table.add(runTranspose);
  table.add(runBroadcast);
  table.add(runReduce<nn::ReduceOp, Add>);
  table.add(runReduce<nn::ReduceMaxOp, Max>);
  table.add(runReduce<nn::ReduceMinOp, Min>);
  table.add(runReduce<nn::ReduceProdOp, Mul>);
  table.add(runSlice);
  table.add(runPad);
  table.add(runConcat);
  table.add(runSelect);
  table.add(runInsert);
}
