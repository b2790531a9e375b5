//===- Optimizer.cpp - Optimizer steps ------------------------------------===//

#include "dialects/NN/Random.h"
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
  const Tensor *bits = in.find(op.getRounding());
  auto stored = [&](double value, int64_t i, int shift) -> double {
    if (!bits)
      return value;
    uint32_t random = static_cast<uint32_t>(bits->integer[i]);
    return nn::roundAtRandom(static_cast<float>(value), random >> shift);
  };
  for (int64_t i = 0; i < param.size(); ++i) {
    double g = grad.real[i] * gradScale;
    double m = beta1 * first.real[i] + (1 - beta1) * g;
    double v = beta2 * second.real[i] + (1 - beta2) * g * g;
    out[0].real[i] = param.real[i] * decay -
                     lr * (m / correct1) / (std::sqrt(v / correct2) + eps);
    out[1].real[i] = stored(m, i, 0);
    out[2].real[i] = stored(v, i, 16);
  }
  return success();
}

/// Returns the row-major index, in the whole tensor, of an element of a shard.
uint64_t indexInWhole(nn::MemberAttr member, ArrayRef<int64_t> origins,
                      int64_t local) {
  ArrayRef<int64_t> shape = member.getShape(), whole = member.getWhole();
  uint64_t index = 0, stride = 1;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    // What is left after the last element counts along the first dim.
    int64_t at = dim ? local % shape[dim] : local;
    local /= shape[dim];
    int64_t origin = member.getOrigin(dim);
    index += stride * (at + (origin < 0 ? 0 : origins[origin]));
    stride *= whole[dim];
  }
  return shape.empty() ? local : index;
}

LogicalResult runRoundingBits(nn::RoundingBitsOp op, const Args &in,
                              Results out) {
  SmallVector<int64_t> origins;
  for (Value origin : op.getOrigins())
    origins.push_back(in[origin].integer[0]);
  int64_t first = op.getPosition() ? origins[*op.getPosition()] : 0;
  SmallVector<nn::MemberAttr> members = op.getMemberList();
  size_t next = 0;
  uint32_t key = 0;
  for (int64_t i = 0, count = out[0].size(); i < count; ++i) {
    int64_t at = first + i;
    while (next < members.size() && members[next].getStart() <= at)
      key = nn::randomKey(
          in[op.getSeed()].integer[0], in[op.getStep()].integer[0],
          op.getId() + nn::kRoundingStream + members[next++].getId());
    nn::MemberAttr member = members[next - 1];
    out[0].integer[i] = static_cast<int32_t>(nn::roundingBits(
        key, indexInWhole(member, origins, at - member.getStart())));
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
  table.add(runRoundingBits);
  table.add(runSgd);
  table.add(runSumOfSquares);
}
