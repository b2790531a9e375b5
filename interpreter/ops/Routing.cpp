//===- Routing.cpp - Choice of elements of rows ---------------------------===//

#include "interpreter/Kernels.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

LogicalResult runTopK(nn::TopKOp op, const Args &in, Results out) {
  const Tensor &x = in[op.getInput()];
  int64_t extent = x.shape().back(), count = out[0].shape().back();
  std::vector<int64_t> order(extent);
  for (int64_t row = 0; row < x.size() / extent; ++row) {
    auto isBefore = [&](int64_t i, int64_t j) {
      double a = x.real[row * extent + i], b = x.real[row * extent + j];
      bool isEqual = a == b || (std::isnan(a) && std::isnan(b));
      return isEqual ? i < j : !std::isnan(b) && (std::isnan(a) || a > b);
    };
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, isBefore);
    std::copy_n(order.begin(), count, out[0].integer.begin() + row * count);
  }
  return success();
}

/// Calls `visit` with the index of each of the ids that is in its row of
/// `extent` elements, and with that element's index.
void forEachChosen(const Tensor &ids, int64_t offset, int64_t extent,
                   llvm::function_ref<void(int64_t, int64_t)> visit) {
  int64_t count = ids.shape().back();
  for (int64_t i = 0; i < ids.size(); ++i)
    if (int64_t at = ids.integer[i] - offset; at >= 0 && at < extent)
      visit(i, i / count * extent + at);
}

LogicalResult runPick(nn::PickOp op, const Args &in, Results out) {
  const Tensor &x = in[op.getInput()], &ids = in[op.getIds()];
  SmallVector<int64_t> shape(x.shape());
  shape.back() = ids.shape().back();
  if (failed(requireShape(op, "ids", ids, shape)))
    return failure();
  forEachChosen(ids, in.scalarOr0(op.getOffset()), x.shape().back(),
                [&](int64_t i, int64_t from) {
                  if (x.real.empty())
                    out[0].integer[i] = x.integer[from];
                  else
                    out[0].real[i] = x.real[from];
                });
  return success();
}

LogicalResult runSpread(nn::SpreadOp op, const Args &in, Results out) {
  const Tensor &x = in[op.getInput()], &ids = in[op.getIds()];
  SmallVector<int64_t> shape(out[0].shape());
  shape.back() = ids.shape().back();
  if (failed(requireShape(op, "ids", ids, shape)) ||
      failed(requireShape(op, "x", x, shape)))
    return failure();
  forEachChosen(ids, in.scalarOr0(op.getOffset()), out[0].shape().back(),
                [&](int64_t i, int64_t to) { out[0].real[to] += x.real[i]; });
  return success();
}

} // namespace

void pcc::interp::addRoutingKernels(KernelTable &table) {
  table.add(runTopK);
  table.add(runPick);
  table.add(runSpread);
}
