//===- BatchNorm.cpp - BatchNormalization ---------------------------------===//
//
// PyTorch's batch norms are two functions: in training each channel is
// normalized by the mean and variance of the batch, in evaluation by their
// running averages. A file in training mode states it; a file in eval mode only
// shows that it was exported for inference. Training programs use the batch's
// statistics, as PyTorch does, unless --batch-norm running is given; a file in
// eval mode gets a warning. Running averages are not updated.
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Whether the node is in training mode.
static bool isTrainingMode(Binder &b) {
  if (b.opset >= 14)
    return b.intAttr("training_mode", 0);
  for (unsigned i = 1; i < b.numOutputs(); ++i)
    if (!b.node.output(i).empty())
      return true;
  return false;
}

static LogicalResult buildBatchNorm(Binder &b) {
  Shape shape = b.shape(0);
  if (shape.size() < 2 || !isa<FloatType>(b.element(0)) ||
      !b.intAttr("spatial", 1) || product(shape) == 0)
    return b.error() << "needs floats [batch, channels, positions...], and "
                        "statistics for each channel";
  for (unsigned i = 1; i < 5; ++i)
    if (b.shape(i) != Shape({shape[1]}))
      return b.error() << "needs a scale, a bias, a mean and a variance for "
                          "each of "
                       << shape[1] << " channels";
  SmallVector<int64_t> dims = {0};
  for (int64_t d = 2; d < static_cast<int64_t>(shape.size()); ++d)
    dims.push_back(d);
  int64_t count = product(shape) / shape[1];
  Arithmetic a(b);
  Type f32 = b.builder.getF32Type(), element = b.element(0);
  // Statistics of fp16 and bf16 are computed in f32.
  Type wide = element.getIntOrFloatBitWidth() < 32 ? f32 : element;
  Value x = a.cast(b.value(0), wide);
  auto perChannel = [&](unsigned i) { return a.cast(b.value(i), wide); };
  auto spread = [&](Value value) { return a.spread(value, shape, dims); };
  auto average = [&](Value value) {
    return a.mul(a.reduce<ReduceOp>(value, dims), 1.0 / count);
  };
  bool isTraining = isTrainingMode(b);
  bool byBatch = b.translation.normalizesByBatch(b.node, isTraining);
  if (byBatch && count == 1) {
    InFlightDiagnostic diag =
        b.error() << "normalizes one value per channel, which leaves "
                     "nothing but the bias; PyTorch does not train it either";
    diag.attachNote(b.loc) << "use a --micro-batch-size of 2 or more, or "
                              "--batch-norm running";
    return diag;
  }
  Value mean = byBatch ? average(x) : perChannel(3);
  Value centred = a.sub(x, spread(mean));
  Value variance = byBatch ? average(a.mul(centred, centred)) : perChannel(4);
  Value deviation = a.sqrt(a.add(variance, b.floatAttr("epsilon", 1e-5f)));
  Value factor = a.div(perChannel(1), deviation);
  Value y = a.add(a.mul(centred, spread(factor)), spread(perChannel(2)));
  b.set(0, a.cast(y, element));
  // The running averages. Old opsets also return the batch's, which are not
  // read.
  double momentum = b.floatAttr("momentum", 0.9f);
  for (unsigned i : {1u, 2u})
    if (isTraining && i < b.numOutputs() && !b.node.output(i).empty())
      b.set(i, a.cast(a.add(a.mul(perChannel(2 + i), momentum),
                            a.mul(i == 1 ? mean : variance, 1 - momentum)),
                      b.element(2 + i)));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::batchNormOps() {
  static const OpEntry table[] = {
      {"BatchNormalization", 7, kAnyOpset, 5, nullptr, buildBatchNorm,
       attributes(floatAttr("epsilon"), floatAttr("momentum"),
                  intAttr("spatial").only("1").until(8),
                  flagAttr("training_mode").since(14))},
  };
  return table;
}
