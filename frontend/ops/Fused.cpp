//===- Fused.cpp - Norms and activations that exporters fuse --------------===//
//
// Operators of opsets 23 and 24, and operators of domain com.microsoft that
// ONNX Runtime's optimizer fuses from their primitives.
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Binder.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The type of a norm's statistics, one f32 per row of `x`.
static RankedTensorType rowsOf(Binder &b, Value x) {
  return b.typeOf(tensorType(x).getShape().drop_back(), b.builder.getF32Type());
}

/// Checks that operand `i` is absent or a vector as long as the rows of x.
static LogicalResult checkVector(Binder &b, Value x, unsigned i) {
  int64_t width = tensorType(x).getShape().back();
  if (b.has(i) && b.shape(i) != Shape({width}))
    return b.error() << "operand " << i << " needs " << width << " elements";
  return success();
}

/// Checks that no result is read other than the first and the `kept` one.
static LogicalResult checkResults(Binder &b, int kept = 0) {
  for (int i = 1; i < b.node.output_size(); ++i)
    if (i != kept && b.translation.isRead(b.node.output(i)))
      return b.error() << "its result '" << b.node.output(i)
                       << "', a statistic of rows, is not supported";
  return success();
}

static FailureOr<Value> rmsNorm(Binder &b, Value x, unsigned scale) {
  int64_t rank = tensorType(x).getRank();
  if (rank < 1 || normalizeAxis(b.intAttr("axis", -1), rank) != rank - 1)
    return b.error() << "only norms over the last dim are supported";
  if (failed(checkVector(b, x, scale)))
    return failure();
  return RmsNormOp::create(
             b.builder, b.loc, x.getType(), rowsOf(b, x), x, b.value(scale),
             b.builder.getF64FloatAttr(b.floatAttr("epsilon", 1e-5f)))
      .getResult();
}

static LogicalResult buildRmsNorm(Binder &b) {
  FailureOr<Value> norm = rmsNorm(b, b.value(0), 1);
  if (failed(norm) || failed(checkResults(b)))
    return failure();
  b.set(0, *norm);
  return success();
}

/// input + skip + bias, where operand `bias` is the bias.
static FailureOr<Value> skipSum(Binder &b, unsigned bias) {
  Shape shape = b.shape(0);
  auto fits = broadcastShapes({shape, b.shape(1)});
  if (!fits || *fits != shape)
    return b.error() << "the shapes of its operands do not fit";
  SmallVector<Value> summands = {b.value(0), b.broadcast(b.value(1), shape)};
  if (failed(checkVector(b, summands[0], bias)))
    return failure();
  if (b.has(bias))
    summands.push_back(b.broadcast(b.value(bias), shape));
  return b.sum(summands);
}

static LogicalResult buildSkipRmsNorm(Binder &b) {
  FailureOr<Value> sum = skipSum(b, 3);
  if (failed(sum) || failed(checkResults(b, 3)))
    return failure();
  FailureOr<Value> norm = rmsNorm(b, *sum, 2);
  if (failed(norm))
    return failure();
  b.set(0, *norm);
  b.set(3, *sum);
  return success();
}

static LogicalResult buildSkipLayerNorm(Binder &b) {
  FailureOr<Value> sum = skipSum(b, 4);
  if (failed(sum) || failed(checkVector(b, *sum, 2)) ||
      failed(checkVector(b, *sum, 3)) || failed(checkResults(b, 3)))
    return failure();
  RankedTensorType rows = rowsOf(b, *sum);
  b.set(0, LayerNormOp::create(
               b.builder, b.loc, sum->getType(), rows, rows, *sum, b.value(2),
               b.has(3) ? b.value(3) : Value(),
               b.builder.getF64FloatAttr(b.floatAttr("epsilon", 1e-12f)))
               .getResult());
  b.set(3, *sum);
  return success();
}

/// gelu(x + bias), with an optional bias.
template <bool Tanh>
static LogicalResult buildBiasGelu(Binder &b) {
  Value x = b.value(0);
  if (failed(checkVector(b, x, 1)))
    return failure();
  if (b.has(1))
    x = b.sum({x, b.broadcast(b.value(1), b.shape(0))});
  b.set(0, Value(GeluOp::create(b.builder, b.loc, x.getType(), x, Tanh)));
  return success();
}

/// x * sigmoid(alpha * x).
static LogicalResult buildSwish(Binder &b, double otherwise) {
  Value x = b.value(0);
  double alpha = b.floatAttr("alpha", otherwise);
  if (alpha == 1)
    b.set(0, b.unary<SiluOp>(x));
  else
    b.set(0, b.binary<MulOp>(x, b.unary<SigmoidOp>(b.scale(x, alpha))));
  return success();
}
static LogicalResult buildOnnxSwish(Binder &b) { return buildSwish(b, 1.0); }
static LogicalResult buildQuickGelu(Binder &b) { return buildSwish(b, 1.702); }

ArrayRef<OpEntry> pcc::frontend::fusedOps() {
  constexpr int64_t any = kAnyOpset;
  static const OpEntry table[] = {
      {"RMSNormalization", 23, any, 2, nullptr, buildRmsNorm,
       attributes(intAttr("axis"), floatAttr("epsilon"),
                  intAttr("stash_type").only("1"))},
      // ONNX Runtime's optimizer writes this operator into ONNX's domain.
      {"SimplifiedLayerNormalization", 1, any, 2, nullptr, buildRmsNorm,
       attributes(intAttr("axis"), floatAttr("epsilon"),
                  intAttr("stash_type").only("1"))},
      {"Swish", 24, any, 1, nullptr, buildOnnxSwish,
       attributes(floatAttr("alpha"))},
      {"com.microsoft.BiasGelu", 1, 1, 2, nullptr, buildBiasGelu<false>},
      {"com.microsoft.FastGelu", 1, 1, between(1, 2), nullptr,
       buildBiasGelu<true>},
      {"com.microsoft.Gelu", 1, 1, 1, nullptr, buildBiasGelu<false>},
      {"com.microsoft.QuickGelu", 1, 1, 1, nullptr, buildQuickGelu,
       attributes(floatAttr("alpha"))},
      {"com.microsoft.SimplifiedLayerNormalization", 1, 1, 2, nullptr,
       buildRmsNorm,
       attributes(intAttr("axis"), floatAttr("epsilon"),
                  intAttr("stash_type").only("1"))},
      {"com.microsoft.SkipLayerNormalization", 1, 1, between(3, 5), nullptr,
       buildSkipLayerNorm, attributes(floatAttr("epsilon"))},
      {"com.microsoft.SkipSimplifiedLayerNormalization", 1, 1, between(3, 4),
       nullptr, buildSkipRmsNorm, attributes(floatAttr("epsilon"))},
  };
  return table;
}
