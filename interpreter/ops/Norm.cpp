//===- Norm.cpp - Softmax and norms along the last dim --------------------===//

#include "interpreter/Kernels.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

/// Checks the shapes of the tensors of a norm or its gradient that have a value
/// per column or per row of `input`. Entries of `perColumn` may be null.
LogicalResult requireNorm(Operation *op, const Tensor &input,
                          ArrayRef<const Tensor *> perColumn,
                          ArrayRef<const Tensor *> perRow) {
  if (input.rank() == 0)
    return op->emitOpError("normalizes rows of at least one dim");
  for (const Tensor *value : perColumn)
    if (value && failed(requireShape(op, "a value per column", *value,
                                     input.shape().take_back())))
      return failure();
  for (const Tensor *value : perRow)
    if (failed(requireShape(op, "a value per row", *value,
                            input.shape().drop_back())))
      return failure();
  return success();
}

LogicalResult runSoftmax(nn::SoftmaxOp op, const Args &in, Results out) {
  int64_t n = in[0].columns();
  for (int64_t r = 0; r < in[0].rows(); ++r) {
    const double *x = in[0].real.data() + r * n;
    double *y = out[0].real.data() + r * n;
    double most = *std::max_element(x, x + n), total = 0;
    for (int64_t i = 0; i < n; ++i)
      total += y[i] = std::exp(x[i] - most);
    for (int64_t i = 0; i < n; ++i)
      y[i] /= total;
  }
  return success();
}

LogicalResult runSoftmaxGrad(nn::SoftmaxGradOp op, const Args &in,
                             Results out) {
  const Tensor &dy = in[op.getDy()], &y = in[op.getY()];
  int64_t n = y.columns();
  for (int64_t r = 0; r < y.rows(); ++r) {
    double dot = 0;
    for (int64_t i = r * n; i < (r + 1) * n; ++i)
      dot += y.real[i] * dy.real[i];
    for (int64_t i = r * n; i < (r + 1) * n; ++i)
      out[0].real[i] = y.real[i] * (dy.real[i] - dot);
  }
  return success();
}

LogicalResult runLayerNorm(nn::LayerNormOp op, const Args &in, Results out) {
  const Tensor &x = in[op.getInput()], &scale = in[op.getScale()];
  const Tensor *bias = in.find(op.getBias());
  double eps = op.getEps().convertToDouble();
  int64_t n = x.columns();
  for (int64_t r = 0; r < x.rows(); ++r) {
    const double *row = x.real.data() + r * n;
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < n; ++i)
      mean += row[i] / n;
    for (int64_t i = 0; i < n; ++i)
      variance += (row[i] - mean) * (row[i] - mean) / n;
    double rstd = 1 / std::sqrt(variance + eps);
    for (int64_t i = 0; i < n; ++i)
      out[0].real[r * n + i] =
          (row[i] - mean) * rstd * scale.real[i] + (bias ? bias->real[i] : 0);
    out[1].real[r] = mean;
    out[2].real[r] = rstd;
  }
  return success();
}

LogicalResult runLayerNormGrad(nn::LayerNormGradOp op, const Args &in,
                               Results out) {
  const Tensor &dy = in[op.getDy()], &x = in[op.getInput()],
               &scale = in[op.getScale()], &mean = in[op.getMean()],
               &rstd = in[op.getRstd()];
  if (failed(requireNorm(op, x, {&scale}, {&mean, &rstd})))
    return failure();
  int64_t n = x.columns();
  for (int64_t r = 0; r < x.rows(); ++r) {
    auto hat = [&](int64_t i) {
      return (x.real[r * n + i] - mean.real[r]) * rstd.real[r];
    };
    auto d = [&](int64_t i) { return dy.real[r * n + i] * scale.real[i]; };
    double meanD = 0, meanDHat = 0;
    for (int64_t i = 0; i < n; ++i) {
      meanD += d(i) / n;
      meanDHat += d(i) * hat(i) / n;
    }
    for (int64_t i = 0; i < n; ++i)
      out[0].real[r * n + i] =
          rstd.real[r] * (d(i) - meanD - hat(i) * meanDHat);
  }
  return success();
}

LogicalResult runLayerNormGradScale(nn::LayerNormGradScaleOp op, const Args &in,
                                    Results out) {
  const Tensor &dy = in[op.getDy()], &x = in[op.getInput()],
               &mean = in[op.getMean()], &rstd = in[op.getRstd()];
  if (failed(requireNorm(op, x, {&out[0]}, {&mean, &rstd})))
    return failure();
  int64_t n = x.columns();
  for (int64_t i = 0; i < x.size(); ++i)
    out[0].real[i % n] +=
        dy.real[i] * (x.real[i] - mean.real[i / n]) * rstd.real[i / n];
  return success();
}

LogicalResult runRmsNorm(nn::RmsNormOp op, const Args &in, Results out) {
  const Tensor &x = in[op.getInput()], &scale = in[op.getScale()];
  double eps = op.getEps().convertToDouble();
  int64_t n = x.columns();
  for (int64_t r = 0; r < x.rows(); ++r) {
    const double *row = x.real.data() + r * n;
    double square = 0;
    for (int64_t i = 0; i < n; ++i)
      square += row[i] * row[i] / n;
    double rstd = 1 / std::sqrt(square + eps);
    for (int64_t i = 0; i < n; ++i)
      out[0].real[r * n + i] = row[i] * rstd * scale.real[i];
    out[1].real[r] = rstd;
  }
  return success();
}

LogicalResult runRmsNormGrad(nn::RmsNormGradOp op, const Args &in,
                             Results out) {
  const Tensor &dy = in[op.getDy()], &x = in[op.getInput()],
               &scale = in[op.getScale()], &rstd = in[op.getRstd()];
  if (failed(requireNorm(op, x, {&scale}, {&rstd})))
    return failure();
  int64_t n = x.columns();
  for (int64_t r = 0; r < x.rows(); ++r) {
    auto hat = [&](int64_t i) { return x.real[r * n + i] * rstd.real[r]; };
    auto d = [&](int64_t i) { return dy.real[r * n + i] * scale.real[i]; };
    double meanDHat = 0;
    for (int64_t i = 0; i < n; ++i)
      meanDHat += d(i) * hat(i) / n;
    for (int64_t i = 0; i < n; ++i)
      out[0].real[r * n + i] = rstd.real[r] * (d(i) - hat(i) * meanDHat);
  }
  return success();
}

LogicalResult runRmsNormGradScale(nn::RmsNormGradScaleOp op, const Args &in,
                                  Results out) {
  const Tensor &dy = in[op.getDy()], &x = in[op.getInput()],
               &rstd = in[op.getRstd()];
  if (failed(requireNorm(op, x, {&out[0]}, {&rstd})))
    return failure();
  int64_t n = x.columns();
  for (int64_t i = 0; i < x.size(); ++i)
    out[0].real[i % n] += dy.real[i] * x.real[i] * rstd.real[i / n];
  return success();
}

} // namespace

void pcc::interp::addNormKernels(KernelTable &table) {
  table.add(runSoftmax);
  table.add(runSoftmaxGrad);
  table.add(runLayerNorm);
  table.add(runLayerNormGrad);
  table.add(runLayerNormGradScale);
  table.add(runRmsNorm);
  table.add(runRmsNormGrad);
  table.add(runRmsNormGradScale);
}
