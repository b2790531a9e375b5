//===- Attention.cpp - Rotary embedding and attention ---------------------===//

#include "dialects/NN/Random.h"
#include "dialects/NN/VisibleKeys.h"
#include "interpreter/Kernels.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

LogicalResult runRope(nn::RopeOp op, const Args &in, Results out) {
  const Tensor &x = in[op.getInput()], &positions = in[op.getPositions()];
  double theta = op.getTheta().convertToDouble();
  double sign = op.getInverse() ? -1 : 1;
  int64_t dim = op.getDim(), half = dim / 2, n = x.columns();
  int64_t heads = x.dim(2), length = x.dim(1);
  out[0].real = x.real;
  for (int64_t row = 0; row < x.rows(); ++row) {
    int64_t token = row / heads;
    double position =
        positions.integer[positions.rank() == 2 ? token : token % length];
    const double *from = x.real.data() + row * n;
    double *to = out[0].real.data() + row * n;
    for (int64_t i = 0; i < half; ++i) {
      double angle = position * std::pow(theta, -2.0 * i / dim);
      double c = std::cos(angle), s = sign * std::sin(angle);
      to[i] = from[i] * c - from[i + half] * s;
      to[i + half] = from[i + half] * c + from[i] * s;
    }
  }
  return success();
}

} // namespace

int64_t pcc::interp::biasIndex(const Tensor &bias, int64_t b, int64_t h,
                               int64_t s, int64_t t) {
  int64_t index = 0, dim = 0;
  for (int64_t i : {b, h, s, t}) {
    int64_t size = bias.dim(dim++);
    index = index * size + (size == 1 ? 0 : i);
  }
  return index;
}

namespace {

/// The sizes, scores and dropout that attention and its gradient share.
struct Heads {
  const Tensor &q, &k, &v, &qPos, &kPos;
  const Tensor *samples, *bias, *starts;
  int64_t batch, length, keys, heads, group, width, valueWidth;
  double scale, softcap, p;
  nn::VisibleKeys mask;
  uint32_t key = 0, threshold = 0;
  int64_t headOrigin;

  template <typename OpT>
  Heads(OpT op, const Args &in)
      : q(in[op.getQ()]), k(in[op.getK()]), v(in[op.getV()]),
        qPos(in[op.getQPos()]), kPos(in[op.getKPos()]),
        samples(in.find(op.getSamples())), bias(in.find(op.getBias())),
        starts(in.find(op.getStarts())), batch(q.dim(0)), length(q.dim(1)),
        keys(k.dim(1)), heads(q.dim(2)), group(heads / k.dim(2)),
        width(q.dim(3)), valueWidth(v.dim(3)),
        scale(op.getScale().convertToDouble()),
        softcap(op.getSoftcap().convertToDouble()),
        p(op.getP().convertToDouble()), mask(op),
        headOrigin(in.scalarOr0(op.getHeadOrigin())) {
    if (p > 0) {
      key = nn::randomKey(in.scalarOr0(op.getSeed()),
                          in.scalarOr0(op.getStep()), op.getId());
      threshold = nn::dropThreshold(p);
    }
  }

  /// Indices of the first element of a row of q or the result, and of k or v.
  int64_t query(int64_t b, int64_t s, int64_t h, int64_t n) const {
    return ((b * length + s) * heads + h) * n;
  }
  int64_t source(int64_t b, int64_t t, int64_t h, int64_t n) const {
    return ((b * keys + t) * (heads / group) + h / group) * n;
  }
  /// The scaled product of a pair, after the soft cap.
  double product(int64_t b, int64_t s, int64_t t, int64_t h) const {
    double sum = 0;
    for (int64_t i = 0; i < width; ++i)
      sum += q.real[query(b, s, h, width) + i] *
             k.real[source(b, t, h, width) + i];
    return softcap ? softcap * std::tanh(sum * scale / softcap) : sum * scale;
  }
  /// The derivative of a product by the products' sum.
  double slope(double product) const {
    double ratio = softcap ? product / softcap : 0;
    return scale * (1 - ratio * ratio);
  }
  /// The score of a pair, -inf where masked.
  double score(int64_t b, int64_t s, int64_t t, int64_t h) const {
    if (!mask.sees(qPos.integer[s], kPos.integer[t]) ||
        (starts && kPos.integer[t] < starts->integer[b * length + s]))
      return -INFINITY;
    return product(b, s, t, h) +
           (bias ? bias->real[biasIndex(*bias, b, h, s, t)] : 0);
  }
  /// The factor of a pair's probability by dropout.
  double kept(int64_t b, int64_t s, int64_t t, int64_t h) const {
    if (p == 0)
      return 1;
    uint32_t bits = nn::randomOfScore(key, samples->integer[b], h + headOrigin,
                                      qPos.integer[s], kPos.integer[t]);
    return bits < threshold ? 0 : 1 / (1 - p);
  }
  /// Calls visit(b, s, h) for every row of scores.
  template <typename Visit>
  void forEachRow(Visit visit) const {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t s = 0; s < length; ++s)
        for (int64_t h = 0; h < heads; ++h)
          visit(b, s, h);
  }
};

LogicalResult runAttention(nn::AttentionOp op, const Args &in, Results out) {
  Heads a(op, in);
  const Tensor *sinks = in.find(op.getSinks());
  std::vector<double> scores(a.keys);
  a.forEachRow([&](int64_t b, int64_t s, int64_t h) {
    double sink = sinks ? sinks->real[h] : -INFINITY, most = sink, total = 0;
    for (int64_t t = 0; t < a.keys; ++t)
      most = std::max(most, scores[t] = a.score(b, s, t, h));
    int64_t row = (b * a.length + s) * a.heads + h;
    out[1].real[row] = -INFINITY;
    if (most == -INFINITY) // no key to attend to: zeros
      return;
    total = std::exp(sink - most);
    for (int64_t t = 0; t < a.keys; ++t)
      total += scores[t] = std::exp(scores[t] - most);
    out[1].real[row] = (a.bias ? 0 : most) + std::log(total);
    if (a.bias)
      out[2].real[row] = most;
    double *to = out[0].real.data() + row * a.valueWidth;
    for (int64_t t = 0; t < a.keys; ++t) {
      if (scores[t] == 0)
        continue;
      double weight = scores[t] / total * a.kept(b, s, t, h);
      const double *from = a.v.real.data() + a.source(b, t, h, a.valueWidth);
      for (int64_t i = 0; i < a.valueWidth; ++i)
        to[i] += weight * from[i];
    }
  });
  return success();
}

LogicalResult requireAttentionGrad(nn::AttentionGradOp op, const Args &in,
                                   Results out) {
  const Tensor &q = in[op.getQ()], &k = in[op.getK()], &v = in[op.getV()];
  auto is = [&](StringRef what, const Tensor &value, ArrayRef<int64_t> shape) {
    return requireShape(op, what, value, shape);
  };
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || q.dim(2) % k.dim(2))
    return op.emitOpError("q, k and v do not belong together");
  SmallVector<int64_t> result = {q.dim(0), q.dim(1), q.dim(2), v.dim(3)};
  if (failed(is("k", k, {q.dim(0), k.dim(1), k.dim(2), q.dim(3)})) ||
      failed(is("v", v, {k.dim(0), k.dim(1), k.dim(2), v.dim(3)})) ||
      failed(is("d_result", in[op.getDResult()], result)) ||
      failed(is("result", in[op.getResult()], result)) ||
      failed(is("lse", in[op.getLse()], q.shape().drop_back())) ||
      (op.getMax() &&
       failed(is("max", in[op.getMax()], q.shape().drop_back()))) ||
      failed(is("query positions", in[op.getQPos()], {q.dim(1)})) ||
      failed(is("key positions", in[op.getKPos()], {k.dim(1)})) ||
      (op.getStarts() &&
       failed(is("starts", in[op.getStarts()], q.shape().take_front(2)))) ||
      failed(is("dq", out[0], q.shape())) ||
      failed(is("dk", out[1], k.shape())) ||
      failed(is("dv", out[2], v.shape())))
    return failure();
  if (op.getDbias()) {
    SmallVector<int64_t> shape(in[op.getBias()].shape());
    for (int64_t d : {2, 3})
      if (shape[d] == 1)
        shape[d] = out[3].dim(d);
    if (failed(is("dbias", out[3], shape)))
      return failure();
  }
  const Tensor *samples = in.find(op.getSamples());
  if (op.getP().convertToDouble() > 0 &&
      (!samples || !op.getSeed() || !op.getStep()))
    return op.emitOpError("needs samples, seed and step to drop out");
  return samples ? is("samples", *samples, {q.dim(0)}) : success();
}

/// With P the probabilities before dropout and m the factors of dropout:
/// dv = (P m)^T do, dS = P (m (do v^T) - rowsum(do o)), dq = scale dS k,
/// dk = scale dS^T q, and dbias is the sum of dS over the dims that it repeats.
/// With a soft cap, scale is multiplied by the derivative of the cap.
LogicalResult runAttentionGrad(nn::AttentionGradOp op, const Args &in,
                               Results out) {
  if (failed(requireAttentionGrad(op, in, out)))
    return failure();
  Heads a(op, in);
  const Tensor &dResult = in[op.getDResult()], &result = in[op.getResult()],
               &lse = in[op.getLse()], *max = in.find(op.getMax());
  std::vector<double> scores(a.keys);
  a.forEachRow([&](int64_t b, int64_t s, int64_t h) {
    int64_t row = (b * a.length + s) * a.heads + h;
    if (lse.real[row] == -INFINITY)
      return;
    for (int64_t t = 0; t < a.keys; ++t)
      scores[t] = a.score(b, s, t, h);
    double most = max ? max->real[row] : 0;
    const double *d = dResult.real.data() + row * a.valueWidth;
    const double *o = result.real.data() + row * a.valueWidth;
    double dot = 0;
    for (int64_t i = 0; i < a.valueWidth; ++i)
      dot += d[i] * o[i];
    for (int64_t t = 0; t < a.keys; ++t) {
      double weight = std::exp(scores[t] - most - lse.real[row]);
      if (weight == 0)
        continue;
      double kept = a.kept(b, s, t, h), dWeight = 0;
      int64_t value = a.source(b, t, h, a.valueWidth);
      for (int64_t i = 0; i < a.valueWidth; ++i) {
        dWeight += d[i] * a.v.real[value + i];
        out[2].real[value + i] += weight * kept * d[i];
      }
      double dBias = weight * (kept * dWeight - dot);
      if (op.getDbias())
        out[3].real[biasIndex(out[3], b, h, s, t)] += dBias;
      double dScore =
          dBias * (a.softcap ? a.slope(a.product(b, s, t, h)) : a.scale);
      int64_t source = a.source(b, t, h, a.width);
      int64_t query = a.query(b, s, h, a.width);
      for (int64_t i = 0; i < a.width; ++i) {
        out[0].real[query + i] += dScore * a.k.real[source + i];
        out[1].real[source + i] += dScore * a.q.real[query + i];
      }
    }
  });
  return success();
}

} // namespace

void pcc::interp::addAttentionKernels(KernelTable &table) {
  table.add(runRope);
  table.add(runAttention);
  table.add(runAttentionGrad);
}
