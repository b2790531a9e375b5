//===- Attention.cpp - Attention by its definition, in f32 ----------------===//
//
// The result of a GPU's library, head by head: scores are computed in f32 from
// widened operands, and results are rounded once.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/emulated/Arena.h"
#include "runtime/support/DType.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace pcc;

namespace {

/// A head's rows in f32, read from and written to bf16/fp16 memory.
class Rows {
public:
  Rows(const pcc_attention_desc &d, int64_t rows)
      : d(d), size(d.size), numbers(rows * d.size) {}

  float *row(int64_t i) { return numbers.data() + i * size; }
  /// Reads a head of a sample; strides are those of samples, rows and heads.
  void read(const void *from, const int64_t (&strides)[3], int64_t sample,
            int64_t head) {
    for (int64_t i = 0; i * size < count(); ++i)
      widen(row(i), place(from, strides, sample, i, head), d.dtype, size);
  }
  void write(void *to, const int64_t (&strides)[3], int64_t sample,
             int64_t head) {
    for (int64_t i = 0; i * size < count(); ++i)
      narrow(const_cast<char *>(place(to, strides, sample, i, head)), d.dtype,
             row(i), size);
  }

private:
  int64_t count() const { return static_cast<int64_t>(numbers.size()); }
  const char *place(const void *base, const int64_t (&strides)[3],
                    int64_t sample, int64_t i, int64_t head) const {
    return static_cast<const char *>(base) +
           (sample * strides[0] + i * strides[1] + head * strides[2]) *
               sizeOf(d.dtype);
  }

  const pcc_attention_desc &d;
  int64_t size;
  std::vector<float> numbers;
};

/// The strides of a contiguous tensor: samples, rows and heads.
struct Dense {
  Dense(const pcc_attention_desc &d, int64_t rows, int64_t heads)
      : strides{rows * heads * d.size, heads * d.size, d.size} {}
  int64_t strides[3];
};

} // namespace

static float dot(const float *a, const float *b, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

static void addTimes(float *to, float factor, const float *from, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    to[i] += factor * from[i];
}

/// The number of keys that a query sees.
static int64_t seenBy(const pcc_attention_desc &d, int64_t query) {
  return d.is_causal ? std::min(query + 1, d.keys) : d.keys;
}

static void attend(const pcc_attention_desc &d, const void *q, const void *k,
                   const void *v, void *o, float *stats, int64_t sample,
                   int64_t head) {
  int64_t keyHead = head / (d.heads / d.key_heads);
  Rows queries(d, d.queries), keys(d, d.keys), values(d, d.keys),
      results(d, d.queries);
  queries.read(q, d.q_strides, sample, head);
  keys.read(k, d.k_strides, sample, keyHead);
  values.read(v, d.v_strides, sample, keyHead);
  std::vector<float> weights(d.keys);
  for (int64_t i = 0; i < d.queries; ++i) {
    int64_t seen = seenBy(d, i);
    float most = -std::numeric_limits<float>::infinity(), total = 0;
    for (int64_t j = 0; j < seen; ++j)
      most = std::max(most, weights[j] = d.scale * dot(queries.row(i),
                                                       keys.row(j), d.size));
    for (int64_t j = 0; j < seen; ++j)
      total += weights[j] = std::exp(weights[j] - most);
    stats[(sample * d.heads + head) * d.queries + i] = most + std::log(total);
    for (int64_t j = 0; j < seen; ++j)
      addTimes(results.row(i), weights[j] / total, values.row(j), d.size);
  }
  results.write(o, Dense(d, d.queries, d.heads).strides, sample, head);
}

namespace {
struct Backward {
  const void *dO, *q, *k, *v, *o;
  const float *stats;
  void *dQ, *dK, *dV;
};
} // namespace

/// The backward pass of a key head and all query heads that share it.
static void attendBackward(const pcc_attention_desc &d, const Backward &at,
                           int64_t sample, int64_t keyHead) {
  int64_t shared = d.heads / d.key_heads;
  Dense dense(d, d.queries, d.heads);
  Rows keys(d, d.keys), values(d, d.keys), dK(d, d.keys), dV(d, d.keys);
  keys.read(at.k, d.k_strides, sample, keyHead);
  values.read(at.v, d.v_strides, sample, keyHead);
  for (int64_t head = keyHead * shared; head < (keyHead + 1) * shared; ++head) {
    Rows queries(d, d.queries), results(d, d.queries), dO(d, d.queries),
        dQ(d, d.queries);
    queries.read(at.q, d.q_strides, sample, head);
    results.read(at.o, dense.strides, sample, head);
    dO.read(at.dO, dense.strides, sample, head);
    for (int64_t i = 0; i < d.queries; ++i) {
      float delta = dot(dO.row(i), results.row(i), d.size);
      float lse = at.stats[(sample * d.heads + head) * d.queries + i];
      for (int64_t j = 0; j < seenBy(d, i); ++j) {
        float score = d.scale * dot(queries.row(i), keys.row(j), d.size);
        float weight = std::exp(score - lse);
        float dScore =
            d.scale * weight * (dot(dO.row(i), values.row(j), d.size) - delta);
        addTimes(dV.row(j), weight, dO.row(i), d.size);
        addTimes(dK.row(j), dScore, queries.row(i), d.size);
        addTimes(dQ.row(i), dScore, keys.row(j), d.size);
      }
    }
    dQ.write(at.dQ, d.dq_strides, sample, head);
  }
  dK.write(at.dK, d.dk_strides, sample, keyHead);
  dV.write(at.dV, d.dv_strides, sample, keyHead);
}

/// Calls body(sample, head) for every head of every sample, in parallel.
template <typename Body>
static void forEachHead(const pcc_attention_desc &d, int64_t heads, Body body) {
  backend::parallelFor(d.batch * heads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      body(i / heads, i % heads);
  });
}

void pcc_attention(pcc_context *, const pcc_attention_desc *desc, const void *q,
                   const void *k, const void *v, void *o, float *stats) {
  q = reach(q), k = reach(k), v = reach(v);
  void *result = reach(o);
  auto *rows = reinterpret_cast<float *>(reach(stats));
  device().enqueue("attention", "", [=] {
    forEachHead(*desc, desc->heads, [&](int64_t sample, int64_t head) {
      attend(*desc, q, k, v, result, rows, sample, head);
    });
  });
}

void pcc_attention_grad(pcc_context *, const pcc_attention_desc *desc,
                        const void *dO, const void *q, const void *k,
                        const void *v, const void *o, const float *stats,
                        void *dq, void *dk, void *dv, void *) {
  Backward at = {reach(dO), reach(q),  reach(k),
                 reach(v),  reach(o),  reinterpret_cast<float *>(reach(stats)),
                 reach(dq), reach(dk), reach(dv)};
  device().enqueue("attention backward", "", [=] {
    forEachHead(*desc, desc->key_heads, [&](int64_t sample, int64_t head) {
      attendBackward(*desc, at, sample, head);
    });
  });
}
