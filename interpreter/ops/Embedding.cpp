//===- Embedding.cpp - Table look-up --------------------------------------===//

#include "interpreter/Kernels.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

LogicalResult runEmbedding(nn::EmbeddingOp op, const Args &in, Results out) {
  const Tensor &ids = in[op.getIds()], &table = in[op.getTable()];
  int64_t offset = in.scalarOr0(op.getOffset());
  int64_t n = table.size() / table.dim(0);
  for (int64_t i = 0; i < ids.size(); ++i) {
    int64_t row = ids.integer[i] - offset;
    if (row < 0 || row >= table.dim(0))
      continue;
    auto copy = [&](const auto &from, auto &to) {
      if (!from.empty())
        std::copy_n(from.begin() + row * n, n, to.begin() + i * n);
    };
    copy(table.real, out[0].real);
    copy(table.integer, out[0].integer);
  }
  return success();
}

LogicalResult runEmbeddingGrad(nn::EmbeddingGradOp op, const Args &in,
                               Results out) {
  const Tensor &dy = in[op.getDy()], &ids = in[op.getIds()];
  if (out[0].rank() < 2)
    return op.emitOpError("table must be [rows, columns...]");
  SmallVector<int64_t> shape(ids.shape());
  llvm::append_range(shape, ArrayRef<int64_t>(out[0].shape()).drop_front());
  if (failed(requireShape(op, "dy", dy, shape)))
    return failure();
  int64_t offset = in.scalarOr0(op.getOffset());
  int64_t n = out[0].size() / out[0].dim(0);
  for (int64_t i = 0; i < ids.size(); ++i) {
    int64_t row = ids.integer[i] - offset;
    if (row >= 0 && row < out[0].dim(0))
      for (int64_t c = 0; c < n; ++c)
        out[0].real[row * n + c] += dy.real[i * n + c];
  }
  return success();
}

} // namespace

void pcc::interp::addEmbeddingKernels(KernelTable &table) {
  table.add(runEmbedding);
  table.add(runEmbeddingGrad);
}
