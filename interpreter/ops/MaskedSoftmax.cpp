//===- MaskedSoftmax.cpp - Softmax of attention scores --------------------===//

#include "dialects/NN/Random.h"
#include "dialects/NN/VisibleKeys.h"
#include "interpreter/Kernels.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

/// Iterates over rows of scores [b, h, s, t]: the masked, scaled scores of a
/// row, and the factors of its probabilities by dropout.
struct ScoreRows {
  const Tensor &scores, &qPos, &kPos;
  const Tensor *samples, *bias, *starts, *sinks = nullptr;
  int64_t batch, heads, length, keys, headOrigin;
  double scale, p;
  nn::VisibleKeys mask;
  uint32_t key = 0, threshold = 0;
  std::vector<double> score, kept;

  template <typename OpT>
  ScoreRows(OpT op, const Args &in)
      : scores(in[op.getScores()]), qPos(in[op.getQPos()]),
        kPos(in[op.getKPos()]), samples(in.find(op.getSamples())),
        bias(in.find(op.getBias())), starts(in.find(op.getStarts())),
        batch(scores.dim(0)), heads(scores.dim(1)), length(scores.dim(2)),
        keys(scores.dim(3)), headOrigin(in.scalarOr0(op.getHeadOrigin())),
        scale(op.getScale().convertToDouble()), p(op.getP().convertToDouble()),
        mask(op), score(keys), kept(keys, 1) {
    if constexpr (std::is_same_v<OpT, nn::MaskedSoftmaxOp>)
      sinks = in.find(op.getSinks());
    if (p > 0) {
      key = nn::randomKey(in.scalarOr0(op.getSeed()),
                          in.scalarOr0(op.getStep()), op.getId());
      threshold = nn::dropThreshold(p);
    }
  }

  int64_t rows() const { return batch * heads * length; }

  void load(int64_t row) {
    int64_t s = row % length, h = row / length % heads;
    int64_t b = row / length / heads;
    for (int64_t t = 0; t < keys; ++t) {
      bool isSeen =
          mask.sees(qPos.integer[s], kPos.integer[t]) &&
          (!starts || kPos.integer[t] >= starts->integer[b * length + s]);
      score[t] = isSeen ? scores.real[row * keys + t] * scale : -INFINITY;
      if (bias)
        score[t] += bias->real[biasIndex(*bias, b, h, s, t)];
      if (p == 0)
        continue;
      uint32_t bits =
          nn::randomOfScore(key, samples->integer[b], h + headOrigin,
                            qPos.integer[s], kPos.integer[t]);
      kept[t] = bits < threshold ? 0 : 1 / (1 - p);
    }
  }
  /// The score of a row's sink; -inf without one.
  double sink(int64_t row) const {
    return sinks ? sinks->real[row / length % heads] : -INFINITY;
  }
};

LogicalResult runMaskedSoftmax(nn::MaskedSoftmaxOp op, const Args &in,
                               Results out) {
  ScoreRows rows(op, in);
  for (int64_t row = 0; row < rows.rows(); ++row) {
    rows.load(row);
    double sink = rows.sink(row), total = 0;
    double most = std::max(*llvm::max_element(rows.score), sink);
    out[1].real[row] = -INFINITY;
    if (most == -INFINITY) // no key to attend to: zeros
      continue;
    total = std::exp(sink - most);
    for (double score : rows.score)
      total += std::exp(score - most);
    out[1].real[row] = (rows.bias ? 0 : most) + std::log(total);
    if (rows.bias)
      out[2].real[row] = most;
    for (int64_t t = 0; t < rows.keys; ++t)
      out[0].real[row * rows.keys + t] =
          std::exp(rows.score[t] - most) / total * rows.kept[t];
  }
  return success();
}

/// Computes P (m dP' - rowsum(P m dP')) * scale, with m the factors of dropout.
LogicalResult runMaskedSoftmaxGrad(nn::MaskedSoftmaxGradOp op, const Args &in,
                                   Results out) {
  ScoreRows rows(op, in);
  const Tensor &dProbs = in[op.getDProbs()], &lse = in[op.getLse()],
               *max = in.find(op.getMax());
  for (int64_t row = 0; row < rows.rows(); ++row) {
    if (lse.real[row] == -INFINITY)
      continue;
    rows.load(row);
    double most = max ? max->real[row] : 0;
    double *probs = out[0].real.data() + row * rows.keys;
    const double *d = dProbs.real.data() + row * rows.keys;
    double dot = 0;
    for (int64_t t = 0; t < rows.keys; ++t) {
      rows.score[t] = std::exp(rows.score[t] - most - lse.real[row]);
      probs[t] = rows.score[t] * rows.kept[t];
      dot += probs[t] * d[t];
    }
    for (int64_t t = 0; t < rows.keys; ++t) {
      double weight = rows.score[t];
      out[1].real[row * rows.keys + t] =
          weight * (rows.kept[t] * d[t] - dot) * rows.scale;
    }
  }
  return success();
}

} // namespace

void pcc::interp::addMaskedSoftmaxKernels(KernelTable &table) {
  table.add(runMaskedSoftmax);
  table.add(runMaskedSoftmaxGrad);
}
