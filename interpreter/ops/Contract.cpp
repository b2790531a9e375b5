//===- Contract.cpp - Contractions of labelled dims -----------------------===//

#include "interpreter/Kernels.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

/// Returns the elements of `value` with its dims reordered from `labels` to
/// `wanted`.
std::vector<double> permuted(const Tensor &value, StringRef labels,
                             StringRef wanted) {
  auto strides = rowMajorStrides(value.shape());
  SmallVector<int64_t> shape, order;
  for (char label : wanted) {
    shape.push_back(value.dim(labels.find(label)));
    order.push_back(strides[labels.find(label)]);
  }
  std::vector<double> elements(value.size());
  forEachStrided(shape, 0, order, [&](int64_t i, int64_t offset) {
    elements[i] = value.real[offset];
  });
  return elements;
}

/// Reorders everything to [batch, m, k] x [batch, k, n] -> [batch, m, n], so
/// that the innermost loop runs over contiguous elements.
LogicalResult runContract(nn::ContractOp op, const Args &in, Results out) {
  StringRef lhs = op.getLhsLabels(), rhs = op.getRhsLabels(),
            result = op.getResultLabels();
  std::string batch, m, n, k;
  int64_t nBatch = 1, nM = 1, nN = 1, nK = 1;
  for (char label : lhs) {
    bool inRhs = rhs.contains(label), inResult = result.contains(label);
    (inRhs ? (inResult ? batch : k) : m) += label;
    (inRhs ? (inResult ? nBatch : nK) : nM) *= op.getLabelSize(label);
  }
  for (char label : rhs)
    if (!lhs.contains(label)) {
      n += label;
      nN *= op.getLabelSize(label);
    }
  std::vector<double> a = permuted(in[op.getLhs()], lhs, batch + m + k);
  std::vector<double> b = permuted(in[op.getRhs()], rhs, batch + k + n);
  std::vector<double> c(nBatch * nM * nN);
  for (int64_t row = 0; row < nBatch * nM; ++row) {
    double *__restrict to = c.data() + row * nN;
    const double *matrix = b.data() + row / nM * nK * nN;
    for (int64_t i = 0; i < nK; ++i) {
      double scale = a[row * nK + i];
      const double *__restrict from = matrix + i * nN;
      for (int64_t j = 0; j < nN; ++j)
        to[j] += scale * from[j];
    }
  }
  std::string order = batch + m + n;
  auto strides = rowMajorStrides(out[0].shape());
  SmallVector<int64_t> shape, to;
  for (char label : order) {
    shape.push_back(op.getLabelSize(label));
    to.push_back(strides[result.find(label)]);
  }
  forEachStrided(shape, 0, to, [&](int64_t i, int64_t offset) {
    out[0].real[offset] = c[i];
  });
  return success();
}

} // namespace

void pcc::interp::addContractKernels(KernelTable &table) {
  table.add(runContract);
}
