//===- Attention.cpp - Attention and rotary embedding as operators --------===//
//
// Both are translated to the primitives that other exporters write for them;
// recognition then handles all of them alike.
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Binder.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Operand `i`, [b, h, s, d] or [b, s, h * d], as [b, h, s, d]; null for other
/// shapes.
static Value splitHeads(Binder &b, unsigned i, int64_t heads) {
  Shape shape = b.shape(i);
  if (shape.size() == 4)
    return b.value(i);
  if (shape.size() != 3 || heads < 1 || shape[2] % heads)
    return nullptr;
  Value split =
      b.reshape(b.value(i), {shape[0], shape[1], heads, shape[2] / heads});
  return b.transpose(split, {0, 2, 1, 3});
}

/// Restores a value [b, h, s, d] to the layout of operand `i`.
static Value mergeHeads(Binder &b, unsigned i, Value value) {
  if (b.rank(i) == 4)
    return value;
  Value rows = b.transpose(value, {0, 2, 1, 3});
  ArrayRef<int64_t> shape = tensorType(rows).getShape();
  return b.reshape(rows, {shape[0], shape[1], shape[2] * shape[3]});
}

/// Repeats every head `times` times; the copies are adjacent.
static Value repeatHeads(Binder &b, Value value, int64_t times) {
  if (times == 1)
    return value;
  Shape shape(tensorType(value).getShape()), apart = shape;
  apart.insert(apart.begin() + 2, times);
  Value repeated = BroadcastOp::create(
      b.builder, b.loc, b.typeOf(apart, tensorType(value).getElementType()),
      value, ArrayRef<int64_t>{0, 1, 3, 4});
  shape[1] *= times;
  return b.reshape(repeated, shape);
}

/// The scores where `keep` (bools of the same shape) holds, else -inf.
static Value maskScores(Binder &b, Value scores, Value keep) {
  Value removed = b.constant(Tensor::splat(
      tensorType(scores).getElementType(), tensorType(scores).getShape(),
      ofFloat(-std::numeric_limits<double>::infinity())));
  return WhereOp::create(b.builder, b.loc, scores.getType(), keep, scores,
                         removed);
}

/// Reports operands or results that only inference uses.
static LogicalResult checkIsForTraining(Binder &b) {
  if (b.has(4) || b.has(5)) {
    InFlightDiagnostic diag = b.error() << "reads a cache of past keys";
    diag.attachNote(b.loc)
        << "export the model without its cache: use_cache=False";
    return diag;
  }
  if (b.has(6)) {
    InFlightDiagnostic diag =
        b.error() << "nonpad_kv_seqlen, the number of valid keys of each "
                     "sample, is not supported";
    diag.attachNote(b.loc) << "pass these keys as a mask, attn_mask";
    return diag;
  }
  if (b.numOutputs() > 3 && b.translation.isRead(b.node.output(3)))
    return b.error() << "its result qk_matmul_output is not supported";
  return success();
}

/// The mask of keys that each query may attend to, [queries, keys]: key j for
/// query i if -left <= j - i <= right. A negative bound is absent. For left 1,
/// right 0:
///
///   1 0 0 0
///   1 1 0 0
///   0 1 1 0
static Tensor windowOf(Builder &builder, int64_t queries, int64_t keys,
                       int64_t left, int64_t right) {
  // Distances from key 0 of the last query to the last key of query 0.
  std::vector<Scalar> byDistance;
  for (int64_t distance = 1 - queries; distance < keys; ++distance)
    byDistance.push_back(ofInt((left < 0 || distance >= -left) &&
                               (right < 0 || distance <= right)));
  return Tensor::byDistance(builder.getI1Type(), queries, keys, byDistance);
}

static LogicalResult buildAttention(Binder &b) {
  if (failed(checkIsForTraining(b)))
    return failure();
  Value q = splitHeads(b, 0, b.intAttr("q_num_heads", 0));
  Value k = splitHeads(b, 1, b.intAttr("kv_num_heads", 0));
  Value v = splitHeads(b, 2, b.intAttr("kv_num_heads", 0));
  if (!q || !k || !v)
    return b.error() << "needs q, k and v as [batch, heads, seq, d] or "
                        "[batch, seq, heads * d]";
  b.set(1, k);
  b.set(2, v);
  Shape qs(tensorType(q).getShape()), ks(tensorType(k).getShape()),
      vs(tensorType(v).getShape());
  if (qs[0] != ks[0] || qs[0] != vs[0] || qs[3] != ks[3] || ks[1] != vs[1] ||
      ks[2] != vs[2] || qs[1] % ks[1])
    return b.error() << "the shapes of its operands do not fit";
  k = repeatHeads(b, k, qs[1] / ks[1]);
  v = repeatHeads(b, v, qs[1] / ks[1]);

  Shape shape = {qs[0], qs[1], qs[2], ks[2]};
  Value scores = b.contract("abmk,abnk->abmn", q, k, shape);
  scores = b.scale(scores, b.floatAttr("scale", 1 / std::sqrt(qs[3])));
  if (double cap = b.floatAttr("softcap", 0))
    scores = b.scale(b.unary<TanhOp>(b.scale(scores, 1 / cap)), cap);
  if (b.has(3)) {
    auto joint = broadcastShapes({b.shape(3), shape});
    if (!joint || *joint != shape)
      return b.error() << "its mask does not fit the scores";
    std::optional<Tensor> known = b.item(3).tensor;
    Value mask = known ? b.constant(known->expand(shape))
                       : b.broadcast(b.value(3), shape);
    scores = b.element(3).isInteger(1) ? maskScores(b, scores, mask)
                                       : b.sum({scores, mask});
  }
  int64_t left = b.intAttr("left_window_size", -1);
  int64_t right = b.intAttr("right_window_size", -1);
  if (left < -1 || right < -1)
    return b.error() << "its windows, " << left << " and " << right
                     << ", must be -1 or a number of keys";
  if (b.intAttr("is_causal", 0))
    right = 0;
  if (left >= 0 || right >= 0) {
    Tensor keep = windowOf(b.builder, shape[2], shape[3], left, right);
    scores = maskScores(b, scores, b.constant(keep.expand(shape)));
  }
  Value result = b.contract("abmn,abnk->abmk", b.unary<SoftmaxOp>(scores), v,
                            {qs[0], qs[1], qs[2], vs[3]});
  b.set(0, mergeHeads(b, 0, result));
  return success();
}

/// The cosines or sines in operand `cache` for each position, [b, 1, s, r/2],
/// for x of [b, h, s, d].
static FailureOr<Tensor> anglesOf(Binder &b, unsigned cache, int positions,
                                  ArrayRef<int64_t> x) {
  std::optional<Tensor> table = b.tensor(cache);
  if (!table)
    return b.error() << "its tables must be known at compile time";
  if (positions >= 0 && b.has(positions)) {
    std::optional<Tensor> ids = b.tensor(positions);
    if (!ids)
      return b.error() << "its positions must be known at compile time";
    // com.microsoft also accepts just the first position.
    bool isFirst = ids->size() == 1 && x[2] > 1;
    if (table->rank() != 2 ||
        (!isFirst && Shape(ids->shape()) != Shape({x[0], x[2]})))
      return b.error() << "needs a position for each element";
    Tensor rows(table->element(), {x[0], x[2], table->shape()[1]});
    size_t n = 0;
    bool inside = true;
    forEachIndex(rows.shape(), [&](ArrayRef<int64_t> index) {
      int64_t position = isFirst ? ids->at(int64_t(0)).i + index[1]
                                 : ids->at({index[0], index[1]}).i;
      inside &= position >= 0 && position < table->shape()[0];
      rows.elements()[n++] = table->at({inside ? position : 0, index[2]});
    });
    if (!inside)
      return b.error() << "a position is outside a table of "
                       << table->shape()[0] << " rows";
    table = rows;
  }
  // Exporters write one table for all samples, which the standard does not
  // allow.
  if (table->rank() == 3 && table->shape()[0] == 1)
    table = table->expand({x[0], table->shape()[1], table->shape()[2]});
  if (table->rank() != 3 || table->shape()[0] != x[0] ||
      table->shape()[1] != x[2])
    return b.error() << "its tables do not fit its input";
  return table->reshape({x[0], 1, x[2], table->shape()[2]});
}

/// Rotates operand 0 by the tables in operands `cos` and `sin`, indexed by
/// operand `positions`.
static LogicalResult rotate(Binder &b, unsigned cos, unsigned sin,
                            int positions) {
  Value x = splitHeads(b, 0, b.intAttr("num_heads", 0));
  if (!x)
    return b.error() << "needs [batch, heads, seq, d] or [batch, seq, heads * "
                        "d] with num_heads";
  Shape shape(tensorType(x).getShape());
  FailureOr<Tensor> c = anglesOf(b, cos, positions, shape);
  FailureOr<Tensor> s = anglesOf(b, sin, positions, shape);
  if (failed(c) || failed(s))
    return failure();
  int64_t width = shape[3], r = b.intAttr("rotary_embedding_dim", 0);
  r = r ? r : width;
  int64_t half = r / 2;
  if (r > width || r % 2 || c->shape()[3] != half || s->shape()[3] != half)
    return b.error() << "its tables do not fit its input";

  Value first = b.slice(x, 3, 0, r), turned;
  Shape rotated = shape;
  rotated[3] = half;
  if (b.intAttr("interleaved", 0)) {
    Value pairs = b.reshape(first, {shape[0], shape[1], shape[2], half, 2});
    auto type = b.typeOf(rotated, tensorType(x).getElementType());
    Value even = SelectOp::create(b.builder, b.loc, type, pairs, 4, 0);
    Value odd = SelectOp::create(b.builder, b.loc, type, pairs, 4, 1);
    Value cv = b.constant(c->expand(rotated));
    Value sv = b.constant(s->expand(rotated));
    Value real =
        b.binary<SubOp>(b.binary<MulOp>(even, cv), b.binary<MulOp>(odd, sv));
    Value imaginary =
        b.sum({b.binary<MulOp>(even, sv), b.binary<MulOp>(odd, cv)});
    Shape apart = rotated;
    apart.push_back(1);
    Value both =
        b.concat({b.reshape(real, apart), b.reshape(imaginary, apart)}, 4);
    rotated[3] = r;
    turned = b.reshape(both, rotated);
  } else {
    rotated[3] = r;
    auto twice = [&](const Tensor &t) {
      Tensor whole(t.element(), {shape[0], 1, shape[2], r});
      size_t n = 0;
      forEachIndex(whole.shape(), [&](ArrayRef<int64_t> index) {
        whole.elements()[n++] = t.at({index[0], 0, index[2], index[3] % half});
      });
      return b.constant(whole.expand(rotated));
    };
    Value swapped = b.concat({b.scale(b.slice(first, 3, half, half), -1),
                              b.slice(first, 3, 0, half)},
                             3);
    turned = b.sum({b.binary<MulOp>(first, twice(*c)),
                    b.binary<MulOp>(swapped, twice(*s))});
  }
  if (r < width)
    turned = b.concat({turned, b.slice(x, 3, r, width - r)}, 3);
  b.set(0, mergeHeads(b, 0, turned));
  return success();
}

static LogicalResult buildRotary(Binder &b) { return rotate(b, 1, 2, 3); }
static LogicalResult buildMicrosoftRotary(Binder &b) {
  return rotate(b, 2, 3, 1);
}

ArrayRef<OpEntry> pcc::frontend::attentionOps() {
  constexpr int64_t any = kAnyOpset;
  static const OpEntry table[] = {
      {"Attention", 23, any, between(3, 7), nullptr, buildAttention,
       attributes(flagAttr("is_causal"), intAttr("kv_num_heads"),
                  intAttr("q_num_heads"),
                  intAttr("qk_matmul_output_mode").only("0|1|2|3"),
                  floatAttr("scale"), floatAttr("softcap"),
                  intAttr("softmax_precision").only("1|11"),
                  intAttr("left_window_size").since(25),
                  intAttr("right_window_size").since(25))},
      {"RotaryEmbedding", 23, any, between(3, 4), nullptr, buildRotary,
       attributes(flagAttr("interleaved"), intAttr("num_heads"),
                  intAttr("rotary_embedding_dim"))},
      {"com.microsoft.RotaryEmbedding", 1, 1, 4, nullptr, buildMicrosoftRotary,
       attributes(flagAttr("interleaved"),
                  intAttr("is_packed_batching").only("0"), intAttr("num_heads"),
                  intAttr("rotary_embedding_dim"),
                  floatAttr("scale").only("1"))},
  };
  return table;
}
