//===- Optimizer.cpp - Optimizer steps ------------------------------------===//

#include "interpreter/Kernels.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

LogicalResult runAdamW(nn::AdamWOp op, const Args &in, Results out) {
  const Tensor &param = in[op.getParam()], &grad = in[op.getGrad()],
               &first = in[op.getExpAvg()], &second = in[op.getExpAvgSq()];
  if (failed(requireShape(op, "grad", grad, param.shape())) ||
      failed(requireShape(op, "exp_avg", first, param.shape())))
    return failure();
  auto scalar = [&](Value value) { return in[value].real[0]; };
  double lr = scalar(op.getLr()), beta1 = scalar(op.getBeta1()),
         beta2 = scalar(op.getBeta2()), eps = scalar(op.getEps()),
         gradScale = scalar(op.getGradScale());
  double decay = op.getDecay() ? 1 - lr * scalar(op.getWeightDecay()) : 1;
  if (std::isnan(gradScale)) {
    out[0].real = param.real;
    out[1].real = first.real;
    out[2].real = second.real;
    return success();
  }
  int64_t step = in[op.getStep()].integer[0];
  double correct1 = 1 - std::pow(beta1, step);
  double correct2 = 1 - std::pow(beta2, step);
  for (int64_t i = 0; i < param.size(); ++i) {
    double g = grad.real[i] * gradScale;
    double m = beta1 * first.real[i] + (1 - beta1) * g;
    double v = beta2 * second.real[i] + (1 - beta2) * g * g;
    out[0].real[i] = param.real[i] * decay -
                     lr * (m / correct1) / (std::sqrt(v / correct2) + eps);
    out[1].real[i] = m;
    out[2].real[i] = v;
  }
  return success();
}

LogicalResult runSgd(nn::SgdOp op, const Args &in, Results out) {
  const Tensor &param = in[op.getParam()], &grad = in[op.getGrad()];
  if (failed(requireShape(op, "grad", grad, param.shape())))
    return failure();
  double lr = in[op.getLr()].real[0];
  double gradScale = in[op.getGradScale()].real[0];
  if (std::isnan(gradScale)) {
    out[0].real = param.real;
    return success();
  }
  double decay = op.getDecay() ? in[op.getWeightDecay()].real[0] : 0;
  for (int64_t i = 0; i < param.size(); ++i)
    out[0].real[i] =
        param.real[i] - lr * (grad.real[i] * gradScale + decay * param.real[i]);
  return success();
}

LogicalResult runSumOfSquares(nn::SumOfSquaresOp op, const Args &in,
                              Results out) {
  if (failed(requireShape(op, "result", out[0], {})))
    return failure();
  for (double value : in[0].real)
    out[0].real[0] += value * value;
  return success();
}

} // namespace

void pcc::interp::addOptimizerKernels(KernelTable &table) {
  table.add(runAdamW);
  table.add(runSgd);
  table.add(runSumOfSquares);
}
