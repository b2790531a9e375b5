//===- Image.cpp - Operators on [batch, channels, positions...] -----------===//

#include "frontend/binding/Arithmetic.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Moves blocks of channels to blocks of positions.
static LogicalResult buildDepthToSpace(Binder &b) {
  Shape x = b.shape(0);
  int64_t size = b.intAttr("blocksize", 0);
  if (x.size() != 4 || size < 1 || x[1] % (size * size))
    return b.error() << "needs [batch, channels, height, width], the channels "
                        "a multiple of the block";
  int64_t channels = x[1] / (size * size);
  Value value = b.value(0);
  if (b.stringAttr("mode", "DCR") == "CRD") {
    value = b.reshape(value, {x[0], channels, size, size, x[2], x[3]});
    value = b.transpose(value, {0, 1, 4, 2, 5, 3});
  } else {
    value = b.reshape(value, {x[0], size, size, channels, x[2], x[3]});
    value = b.transpose(value, {0, 3, 4, 1, 5, 2});
  }
  b.set(0, b.reshape(value, {x[0], channels, x[2] * size, x[3] * size}));
  return success();
}

static LogicalResult buildSpaceToDepth(Binder &b) {
  Shape x = b.shape(0);
  int64_t size = b.intAttr("blocksize", 0);
  if (x.size() != 4 || size < 1 || x[2] % size || x[3] % size)
    return b.error() << "needs [batch, channels, height, width], height and "
                        "width multiples of the block";
  int64_t height = x[2] / size, width = x[3] / size;
  Value value = b.reshape(b.value(0), {x[0], x[1], height, size, width, size});
  // In the result the channel varies slowest in CRD mode, fastest in DCR mode.
  bool channelsFirst = b.stringAttr("mode", "DCR") == "CRD";
  value =
      b.transpose(value, channelsFirst ? ArrayRef<int64_t>{0, 1, 3, 5, 2, 4}
                                       : ArrayRef<int64_t>{0, 3, 5, 1, 2, 4});
  b.set(0, b.reshape(value, {x[0], x[1] * size * size, height, width}));
  return success();
}

/// The operand as [batch, channels, positions]; null if it has fewer dims or no
/// floats.
static Value rowsOfChannels(Binder &b) {
  Shape x = b.shape(0);
  if (x.size() < 3 || !isa<FloatType>(b.element(0)))
    return nullptr;
  return b.reshape(b.value(0),
                   {x[0], x[1], product(ArrayRef<int64_t>(x).drop_front(2))});
}

/// Reduces over all positions. The first of equal maxima gets the gradient, as
/// in windows.
template <typename Reduction>
static LogicalResult buildGlobalPool(Binder &b) {
  Value x = rowsOfChannels(b);
  if (!x)
    return b.error() << "needs floats [batch, channels, positions...]";
  Arithmetic a(b);
  Value pooled;
  if constexpr (std::is_same_v<Reduction, ReduceOp>)
    pooled =
        b.scale(a.reduce<ReduceOp>(x, 2), 1.0 / tensorType(x).getDimSize(2));
  else
    pooled = a.reduceToFirst<Reduction>(x, 2);
  Shape kept = b.shape(0);
  std::fill(kept.begin() + 2, kept.end(), 1);
  b.set(0, b.reshape(pooled, kept));
  return success();
}

/// Normalizes each channel of each sample by its own mean and variance.
static LogicalResult buildInstanceNorm(Binder &b) {
  Value x = rowsOfChannels(b);
  if (!x || b.shape(1) != Shape({b.shape(0)[1]}) || b.shape(2) != b.shape(1))
    return b.error() << "needs floats [batch, channels, positions...] and a "
                        "scale and a bias for each channel";
  Shape rows(tensorType(x).getShape());
  Value one = b.constant(
      Tensor::splat(b.element(0), ArrayRef<int64_t>{rows[2]}, ofFloat(1)));
  auto statistics = b.typeOf({rows[0], rows[1]}, b.builder.getF32Type());
  Value norm =
      LayerNormOp::create(
          b.builder, b.loc, x.getType(), statistics, statistics, x, one,
          Value(), b.builder.getF64FloatAttr(b.floatAttr("epsilon", 1e-5f)))
          .getResult();
  Arithmetic a(b);
  auto perChannel = [&](unsigned i) {
    return a.spread(b.value(i), rows, {0, 2});
  };
  Value y = a.add(a.mul(norm, perChannel(1)), perChannel(2));
  b.set(0, b.reshape(y, b.shape(0)));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::imageOps() {
  constexpr int64_t any = kAnyOpset;
  static const OpEntry table[] = {
      {"DepthToSpace", 1, any, 1, nullptr, buildDepthToSpace,
       attributes(intAttr("blocksize").required(),
                  stringAttr("mode").only("DCR|CRD").since(11))},
      {"GlobalAveragePool", 1, any, 1, nullptr, buildGlobalPool<ReduceOp>},
      {"GlobalMaxPool", 1, any, 1, nullptr, buildGlobalPool<ReduceMaxOp>},
      {"InstanceNormalization", 6, any, 3, nullptr, buildInstanceNorm,
       attributes(floatAttr("epsilon"))},
      {"SpaceToDepth", 1, any, 1, nullptr, buildSpaceToDepth,
       attributes(intAttr("blocksize").required(),
                  stringAttr("mode").only("DCR|CRD").since(28))},
  };
  return table;
}
