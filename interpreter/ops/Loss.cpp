//===- Loss.cpp - Cross entropy, whole and vocab parallel -----------------===//

#include "interpreter/Kernels.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

/// Returns how many columns of a rank's logits are classes instead of padding.
/// The first column is class `offset`, and there are `classes`.
int64_t validColumns(const Tensor &logits, int64_t offset, int64_t classes) {
  return std::clamp<int64_t>(classes - offset, 0, logits.columns());
}

LogicalResult runCrossEntropy(nn::CrossEntropyOp op, const Args &in,
                              Results out) {
  const Tensor &logits = in[op.getLogits()], &targets = in[op.getTargets()];
  int64_t n = logits.columns(), classes = op.getClasses();
  for (int64_t r = 0; r < logits.rows(); ++r) {
    const double *row = logits.real.data() + r * n;
    double most = *std::max_element(row, row + classes), total = 0;
    for (int64_t c = 0; c < classes; ++c)
      total += std::exp(row[c] - most);
    int64_t target = targets.integer[r];
    if (target >= classes)
      return op.emitOpError() << "target " << target << " of row " << r
                              << " is none of the " << classes << " classes";
    double lse = most + std::log(total);
    out[0].real[r] = target < 0 ? 0 : lse - row[target];
    out[1].real[r] = lse;
  }
  return success();
}

LogicalResult runCrossEntropyGrad(nn::CrossEntropyGradOp op, const Args &in,
                                  Results out) {
  const Tensor &dLoss = in[op.getDloss()], &logits = in[op.getLogits()],
               &targets = in[op.getTargets()], &lse = in[op.getLse()];
  ArrayRef<int64_t> rows = logits.shape().drop_back();
  if (failed(requireShape(op, "dloss", dLoss, rows)) ||
      failed(requireShape(op, "targets", targets, rows)))
    return failure();
  int64_t offset = in.scalarOr0(op.getOffset()), n = logits.columns();
  int64_t valid = validColumns(logits, offset, op.getClasses());
  for (int64_t r = 0; r < logits.rows(); ++r) {
    int64_t target = targets.integer[r];
    for (int64_t c = 0; target >= 0 && c < valid; ++c)
      out[0].real[r * n + c] =
          dLoss.real[r] * (std::exp(logits.real[r * n + c] - lse.real[r]) -
                           (c + offset == target));
  }
  return success();
}

LogicalResult runRowMax(nn::RowMaxOp op, const Args &in, Results out) {
  const Tensor &logits = in[op.getLogits()];
  if (failed(requireShape(op, "result", out[0], logits.shape().drop_back())))
    return failure();
  int64_t n = logits.columns();
  int64_t valid =
      validColumns(logits, in.scalarOr0(op.getOffset()), op.getClasses());
  for (int64_t r = 0; r < logits.rows(); ++r) {
    out[0].real[r] = -INFINITY;
    for (int64_t c = 0; c < valid; ++c)
      out[0].real[r] = std::max(out[0].real[r], logits.real[r * n + c]);
  }
  return success();
}

LogicalResult runStats(nn::CrossEntropyStatsOp op, const Args &in,
                       Results out) {
  const Tensor &logits = in[op.getLogits()], &targets = in[op.getTargets()],
               &most = in[op.getMax()];
  ArrayRef<int64_t> rowShape = logits.shape().drop_back();
  SmallVector<int64_t> shape = {2};
  shape.append(rowShape.begin(), rowShape.end());
  if (failed(requireShape(op, "targets", targets, rowShape)) ||
      failed(requireShape(op, "max", most, rowShape)) ||
      failed(requireShape(op, "result", out[0], shape)))
    return failure();
  int64_t offset = in.scalarOr0(op.getOffset()), n = logits.columns();
  int64_t valid = validColumns(logits, offset, op.getClasses());
  int64_t rows = logits.rows();
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < valid; ++c)
      out[0].real[r] += std::exp(logits.real[r * n + c] - most.real[r]);
    int64_t column = targets.integer[r] - offset;
    if (column >= 0 && column < valid)
      out[0].real[rows + r] = logits.real[r * n + column];
  }
  return success();
}

LogicalResult runLoss(nn::CrossEntropyLossOp op, const Args &in, Results out) {
  const Tensor &stats = in[op.getStats()], &most = in[op.getMax()],
               &targets = in[op.getTargets()];
  SmallVector<int64_t> shape = {2};
  shape.append(most.shape().begin(), most.shape().end());
  if (failed(requireShape(op, "stats", stats, shape)) ||
      failed(requireShape(op, "targets", targets, most.shape())))
    return failure();
  int64_t rows = most.size();
  for (int64_t r = 0; r < rows; ++r) {
    double lse = most.real[r] + std::log(stats.real[r]);
    out[0].real[r] = targets.integer[r] < 0 ? 0 : lse - stats.real[rows + r];
    out[1].real[r] = lse;
  }
  return success();
}

LogicalResult runValid(nn::ValidOp op, const Args &in, Results out) {
  const Tensor &targets = in[op.getTargets()];
  if (failed(requireShape(op, "result", out[0], targets.shape())))
    return failure();
  for (int64_t i = 0; i < targets.size(); ++i)
    out[0].real[i] = targets.integer[i] >= 0;
  return success();
}

} // namespace

void pcc::interp::addLossKernels(KernelTable &table) {
  table.add(runCrossEntropy);
  table.add(runCrossEntropyGrad);
  table.add(runRowMax);
  table.add(runStats);
  table.add(runLoss);
  table.add(runValid);
}
