//===- Operands.cpp - Operands in memory ----------------------------------===//

#include "passes/Codegen/Kernels/Attention/Operands.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

static SmallVector<int64_t, 5> rowMajor(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 5> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// Computes the strides of the same elements in another shape. Adjacent dims
/// that are contiguous form a run; each run must be a product of new dims. The
/// stride of a dim of extent 1 is arbitrary.
static bool reshape(Strided &view, ArrayRef<int64_t> from,
                    ArrayRef<int64_t> to) {
  SmallVector<std::pair<int64_t, int64_t>> runs; // size, stride; last first
  for (int64_t i = from.size() - 1; i >= 0; --i) {
    if (from[i] == 1)
      continue;
    if (!runs.empty() &&
        view.strides[i] == runs.back().second * runs.back().first)
      runs.back().first *= from[i];
    else
      runs.push_back({from[i], view.strides[i]});
  }
  SmallVector<int64_t, 5> strides(to.size(), 1);
  int64_t j = to.size();
  for (auto [size, stride] : runs) {
    for (; size > 1 && j > 0 && size % to[j - 1] == 0; size /= to[--j]) {
      strides[j - 1] = stride;
      stride *= to[j - 1];
    }
    if (size != 1)
      return false;
  }
  view.strides = strides;
  return true;
}

std::optional<Strided> codegen::findStrided(Value value,
                                            ArrayRef<Value> roots) {
  auto shape = nn::tensorType(value).getShape();
  Operation *op = value.getDefiningOp();
  if (llvm::is_contained(roots, value) || isa_and_nonnull<nn::ConstantOp>(op))
    return Strided{value, 0, rowMajor(shape)};
  if (!op || !isa<nn::ReshapeOp, nn::TransposeOp, nn::SelectOp, nn::SliceOp,
                  nn::BroadcastOp>(op))
    return std::nullopt;
  auto view = findStrided(op->getOperand(0), roots);
  if (!view)
    return std::nullopt;
  auto from = nn::tensorType(op->getOperand(0)).getShape();
  if (isa<nn::ReshapeOp>(op)) {
    if (!reshape(*view, from, shape))
      return std::nullopt;
  } else if (auto transpose = dyn_cast<nn::TransposeOp>(op)) {
    Strided moved = *view;
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      view->strides[i] = moved.strides[dim];
  } else if (auto select = dyn_cast<nn::SelectOp>(op)) {
    view->offset += view->strides[select.getDim()] * select.getIndex();
    view->strides.erase(view->strides.begin() + select.getDim());
  } else if (auto slice = dyn_cast<nn::SliceOp>(op)) {
    for (auto [i, start] : llvm::enumerate(slice.getStarts())) {
      view->offset += view->strides[i] * start;
      view->strides[i] *= slice.getSteps()[i];
    }
  } else if (auto broadcast = dyn_cast<nn::BroadcastOp>(op)) {
    SmallVector<int64_t, 5> strides(shape.size(), 0);
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
      strides[dim] = view->strides[i];
    view->strides = strides;
  }
  return view;
}
