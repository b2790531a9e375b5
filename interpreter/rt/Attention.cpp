//===- Attention.cpp - Attention of the library ---------------------------===//

#include "interpreter/rt/ArenaMachine.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

/// The operands and scores of an attention.
struct Rows {
  const Tensor &q, &k, &v;
  double scale;
  bool isCausal;
  int64_t queries = q.dim(1), keys = k.dim(1), heads = q.dim(2),
          keyHeads = k.dim(2), width = q.dim(3);

  /// The index of the first element of a query, and of a key.
  int64_t query(int64_t b, int64_t s, int64_t h) const {
    return ((b * queries + s) * heads + h) * width;
  }
  int64_t key(int64_t b, int64_t t, int64_t h) const {
    return ((b * keys + t) * keyHeads + h / (heads / keyHeads)) * width;
  }
  /// The number of keys that a query sees.
  int64_t seen(int64_t s) const {
    return isCausal ? std::min(s + 1, keys) : keys;
  }
  double dot(const double *a, const double *b) const {
    double sum = 0;
    for (int64_t i = 0; i < width; ++i)
      sum += a[i] * b[i];
    return sum;
  }
  double score(int64_t b, int64_t s, int64_t t, int64_t h) const {
    return dot(&q.real[query(b, s, h)], &k.real[key(b, t, h)]) * scale;
  }
  template <typename Visit>
  void forEachRow(Visit visit) const {
    for (int64_t b = 0; b < q.dim(0); ++b)
      for (int64_t s = 0; s < queries; ++s)
        for (int64_t h = 0; h < heads; ++h)
          visit(b, s, h);
  }
};

} // namespace

FailureOr<std::vector<Tensor>>
ArenaMachine::loadAll(int64_t rank, const Issued &issued, unsigned count) {
  std::vector<Tensor> values;
  for (unsigned i = 0; i < count; ++i) {
    FailureOr<Tensor> value =
        load(rank, issued, i, issued.places[i].tensorType());
    if (failed(value))
      return failure();
    values.push_back(std::move(*value));
  }
  return values;
}

LogicalResult ArenaMachine::attend(int64_t rank, const Issued &issued) {
  auto op = cast<rt::AttentionOp>(issued.op);
  FailureOr<std::vector<Tensor>> in = loadAll(rank, issued, 3);
  if (failed(in))
    return failure();
  Rows rows{(*in)[0], (*in)[1], (*in)[2], op.getScale().convertToDouble(),
            op.getCausal()};
  Tensor result(issued.places[3].tensorType()),
      stats(issued.places[4].tensorType());
  rows.forEachRow([&](int64_t b, int64_t s, int64_t h) {
    std::vector<double> weights(rows.seen(s));
    double most = -INFINITY, total = 0;
    for (int64_t t = 0; t < rows.seen(s); ++t)
      most = std::max(most, weights[t] = rows.score(b, s, t, h));
    for (double &weight : weights)
      total += weight = std::exp(weight - most);
    stats.real[(b * rows.queries + s) * rows.heads + h] =
        most + std::log(total);
    double *to = &result.real[rows.query(b, s, h)];
    for (int64_t t = 0; t < rows.seen(s); ++t)
      for (int64_t i = 0; i < rows.width; ++i)
        to[i] += weights[t] / total * rows.v.real[rows.key(b, t, h) + i];
  });
  store(ranks[rank], issued.places[3], std::move(result));
  store(ranks[rank], issued.places[4], std::move(stats));
  return success();
}

LogicalResult ArenaMachine::attendBackward(int64_t rank, const Issued &issued) {
  auto op = cast<rt::AttentionGradOp>(issued.op);
  FailureOr<std::vector<Tensor>> in = loadAll(rank, issued, 6);
  if (failed(in))
    return failure();
  const Tensor &dResult = (*in)[0], &result = (*in)[4], &stats = (*in)[5];
  Rows rows{(*in)[1], (*in)[2], (*in)[3], op.getScale().convertToDouble(),
            op.getCausal()};
  std::vector<Tensor> made;
  for (unsigned i = 6; i < 9; ++i)
    made.emplace_back(issued.places[i].tensorType());
  rows.forEachRow([&](int64_t b, int64_t s, int64_t h) {
    int64_t query = rows.query(b, s, h);
    const double *d = &dResult.real[query];
    double delta = rows.dot(d, &result.real[query]);
    double lse = stats.real[(b * rows.queries + s) * rows.heads + h];
    for (int64_t t = 0; t < rows.seen(s); ++t) {
      int64_t key = rows.key(b, t, h);
      double weight = std::exp(rows.score(b, s, t, h) - lse);
      double dScore =
          weight * (rows.dot(d, &rows.v.real[key]) - delta) * rows.scale;
      for (int64_t i = 0; i < rows.width; ++i) {
        made[0].real[query + i] += dScore * rows.k.real[key + i];
        made[1].real[key + i] += dScore * rows.q.real[query + i];
        made[2].real[key + i] += weight * d[i];
      }
    }
  });
  for (unsigned i = 6; i < 9; ++i)
    store(ranks[rank], issued.places[i], std::move(made[i - 6]));
  ranks[rank].arena.poison(issued.places[9].range());
  return success();
}
