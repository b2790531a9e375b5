//===- Network.cpp - Layer norm, GELU and dropout -------------------------===//

#include "analysis/Axes.h"
#include "frontend/binding/Arithmetic.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Normalizes rows of all dims from the axis on. Statistics that the graph
/// reads are computed separately, so they have their own derivatives.
static LogicalResult buildLayerNorm(Binder &b) {
  Shape shape = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", -1), shape.size());
  if (!axis || !isa<FloatType>(b.element(0)))
    return b.error() << "has no such axis, or its elements are not floats";
  Shape lead(shape.begin(), shape.begin() + *axis);
  ArrayRef<int64_t> normed = ArrayRef<int64_t>(shape).drop_front(*axis);
  int64_t row = product(normed);
  auto perColumn = [&](unsigned i) -> Value {
    return b.reshape(b.value(i), {row});
  };
  for (unsigned i = 1; i < b.numInputs(); ++i)
    if (b.has(i) && b.shape(i) != Shape(normed))
      return b.error() << "needs " << row << " scales and as many biases";
  bool zeroBias = b.has(2) && b.uniform(2) == 0.0;
  Value bias = b.has(2) && !zeroBias ? perColumn(2) : Value();
  auto f32 = b.builder.getF32Type();
  auto statistics = b.typeOf(lead, f32);
  Shape flat = lead;
  flat.push_back(row);
  Value x = b.reshape(b.value(0), flat), scale = perColumn(1);
  double eps = b.floatAttr("epsilon", 1e-5f);
  Value y =
      LayerNormOp::create(b.builder, b.loc, x.getType(), statistics, statistics,
                          x, scale, bias, b.builder.getF64FloatAttr(eps))
          .getResult();
  b.set(0, b.reshape(y, shape));
  auto isUsed = [&](int i) {
    return i < b.node.output_size() && !b.node.output(i).empty();
  };
  if (!isUsed(1) && !isUsed(2))
    return success();
  Arithmetic a(b);
  int64_t last = lead.size();
  Shape kept = shape;
  std::fill(kept.begin() + *axis, kept.end(), 1);
  Value wide = a.cast(x, f32);
  auto average = [&](Value value) {
    return a.mul(a.reduce<ReduceOp>(value, last), 1.0 / row);
  };
  Value mean = average(wide);
  Value centred = a.sub(wide, a.spread(mean, flat, last));
  Value deviation = a.sqrt(a.add(average(a.mul(centred, centred)), eps));
  b.set(1, b.reshape(mean, kept));
  b.set(2, b.reshape(a.div(a.splat(deviation, 1), deviation), kept));
  return success();
}

static LogicalResult buildGelu(Binder &b) {
  Value x = b.value(0);
  bool tanh = b.stringAttr("approximate", "none") == "tanh";
  b.set(0, Value(GeluOp::create(b.builder, b.loc, x.getType(), x, tanh)));
  return success();
}

/// From opset 12 on the node's training_mode decides whether it drops elements;
/// it is false by default. Before, a Dropout node has no mode.
static LogicalResult importDropout(Binder &b) {
  std::optional<double> ratio = b.floatAttr("ratio", 0.5);
  std::optional<bool> training;
  if (b.opset >= 12) {
    if (b.has(1))
      ratio = b.uniform(1);
    std::optional<double> mode = b.has(2) ? b.uniform(2) : 0.0;
    if (!ratio || !mode)
      return b.error() << "ratio and training_mode must be constants";
    training = *mode != 0;
  }
  if (*ratio < 0 || *ratio >= 1)
    return b.error() << "drops with probability " << *ratio
                     << ", not in [0, 1)";
  if (*ratio == 0 || !b.translation.drops(b.node, training)) {
    b.set(0, b.item(0));
    // The mask keeps everything.
    b.set(1, Tensor::splat(b.builder.getI1Type(), b.shape(0), ofInt(1)));
    return success();
  }
  if (b.translation.isForward())
    return b.error() << "draws random numbers, which a forward-only program "
                        "does not";
  Value x = b.value(0);
  BatchAndSequence axes = findAxes(x);
  int64_t rank = b.rank(0);
  if (axes.batch < 0 || rank < 2) {
    InFlightDiagnostic diag =
        b.error() << "drops elements of a tensor in which the batch is not a "
                     "dim of its own";
    diag.attachNote(b.loc) << "train without dropout by --no-dropout";
    return diag;
  }
  Translation &t = b.translation;
  Value samples = t.argument(InputRole::Samples);
  // The query dim of attention probabilities; the last dim may also have the
  // sequence's extent.
  int64_t rows = rank - 2 == axes.batch ? rank - 1 : rank - 2;
  if (x.getDefiningOp<SoftmaxOp>() && axes.seq != rows)
    axes.seq = -1;
  Value positions;
  if (axes.seq >= 0) {
    positions = t.argument(InputRole::Positions);
  } else {
    axes.seq = rows;
    positions = b.constant(Tensor::ofInts(
        b.builder.getContext(),
        llvm::to_vector(llvm::seq<int64_t>(0, b.shape(0)[rows]))));
  }
  Value seed = t.argument(InputRole::Seed);
  Value step = t.argument(InputRole::Step);
  auto drop = [&](Value from) -> Value {
    return DropoutOp::create(b.builder, b.loc, from.getType(), from, samples,
                             positions, seed, step, Value(),
                             b.builder.getF64FloatAttr(*ratio),
                             b.builder.getI64IntegerAttr(t.nextRandomId()),
                             b.builder.getI64IntegerAttr(axes.batch),
                             b.builder.getI64IntegerAttr(axes.seq));
  };
  if (b.numOutputs() < 2 || !t.isRead(b.node.output(1))) {
    b.set(0, drop(x));
    return success();
  }
  // Dropping out ones gives the mask, which is then applied to x.
  Arithmetic a(b);
  Value zero = a.splat(x, 0), mask = a.less(zero, drop(a.splat(x, 1)));
  b.set(0, a.where(mask, b.scale(x, 1 / (1 - *ratio)), zero));
  b.set(1, mask);
  return success();
}

ArrayRef<OpEntry> pcc::frontend::networkOps() {
  static const OpEntry table[] = {
      {"Dropout", 7, kAnyOpset, between(1, 3), importDropout, importDropout,
       attributes(floatAttr("ratio").until(11), intAttr("seed").since(12))},
      {"Gelu", 20, kAnyOpset, 1, nullptr, buildGelu,
       attributes(stringAttr("approximate").only("none|tanh"))},
      {"LayerNormalization", 17, kAnyOpset, between(2, 3), nullptr,
       buildLayerNorm,
       attributes(intAttr("axis"), floatAttr("epsilon"),
                  intAttr("stash_type").only("1"))},
  };
  return table;
}
