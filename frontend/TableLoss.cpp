//===- TableLoss.cpp - Losses as the file says them -----------------------===//
//
// Formulas whose value is the number that the specification gives. A program
// that trains by a loss gets a sum and a count instead, from which the update
// makes one mean over all ranks: see TableNetwork.cpp.
//
//===----------------------------------------------------------------------===//

#include "frontend/Arithmetic.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Before opset 13 the default axis is 1, and the dims from it on are one.
static LogicalResult buildLogSoftmax(Binder &b) {
  Shape shape = b.shape(0), work = shape;
  auto axis =
      normalizeAxis(b.intAttr("axis", b.opset < 13 ? 1 : -1), shape.size());
  if (!axis || !isa<FloatType>(b.element(0)))
    return b.error() << "has no such axis, or takes no such elements";
  int64_t dim = *axis;
  if (b.opset < 13) {
    work = {1, 1};
    for (auto [d, extent] : llvm::enumerate(shape))
      work[static_cast<int64_t>(d) >= dim] *= extent;
    dim = 1;
  }
  Arithmetic a(b);
  Value x = b.reshape(b.value(0), work);
  b.set(0, b.reshape(a.logSoftmax(x, dim), shape));
  return success();
}

/// The loss of log probabilities [n, class, ...] and targets [n, ...]: minus
/// the target's, times the class's weight, zero for ignored targets; as they
/// are, their sum, or their sum by that of the weights.
static LogicalResult setLoss(Binder &b, Value logProbabilities) {
  Arithmetic a(b);
  Shape shape(tensorType(logProbabilities).getShape()), rows = b.shape(1);
  int64_t classes = shape[1], count = 1, rank = shape.size();
  for (int64_t extent : rows)
    count *= extent;
  std::string reduction = b.stringAttr("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return b.error() << "reduction '" << reduction << "' is not supported";
  // [n, ..., class], one element of each row.
  SmallVector<int64_t> classesLast = {0}, all;
  for (int64_t d = 2; d < rank; ++d)
    classesLast.push_back(d);
  classesLast.push_back(1);
  Value flat =
      b.reshape(b.transpose(logProbabilities, classesLast), {count * classes});
  Type i64 = b.builder.getI64Type();
  Value target = b.reshape(a.cast(b.value(1), i64), {count});
  Value zero = a.splat(target, 0), ignored;
  if (b.find("ignore_index")) {
    ignored = a.equal(target, a.splat(target, b.intAttr("ignore_index", 0)));
    target = a.where(ignored, zero, target);
  }
  Value first = a.mul(a.iota({count}, 0, i64), classes);
  Value picked = a.take(flat, a.add(first, target), 0);
  Value weight = a.splat(picked, 1);
  if (b.has(2)) {
    if (b.shape(2) != Shape({classes}))
      return b.error() << "needs a weight for each of " << classes
                       << " classes";
    weight = a.take(b.value(2), target, 0);
  }
  if (ignored)
    weight = a.where(ignored, a.splat(weight, 0), weight);
  Value loss = b.scale(a.mul(picked, weight), -1);
  if (reduction == "none") {
    b.set(0, b.reshape(loss, rows));
    return success();
  }
  Value total = a.reduce<ReduceOp>(loss, 0);
  if (reduction == "mean")
    total = a.div(total, a.reduce<ReduceOp>(weight, 0));
  b.set(0, total);
  return success();
}

static LogicalResult checkLoss(Binder &b) {
  Shape scores = b.shape(0), targets = b.shape(1);
  if (scores.size() >= 2 && isa<FloatType>(b.element(0)) &&
      Arithmetic::without(scores, 1) == targets)
    return success();
  return b.error() << "needs scores [n, class, ...] and a target for each";
}

static LogicalResult buildNegativeLogLikelihood(Binder &b) {
  if (failed(checkLoss(b)))
    return failure();
  return setLoss(b, b.value(0));
}

LogicalResult pcc::frontend::buildPlainCrossEntropy(Binder &b) {
  if (failed(checkLoss(b)))
    return failure();
  Value logs = Arithmetic(b).logSoftmax(b.value(0), 1);
  b.set(1, logs);
  return setLoss(b, logs);
}

ArrayRef<OpEntry> pcc::frontend::lossOps() {
  static const OpEntry table[] = {
      {"LogSoftmax", 1, kAnyOpset, 1, nullptr, buildLogSoftmax},
      {"NegativeLogLikelihoodLoss", 12, kAnyOpset, 2, nullptr,
       buildNegativeLogLikelihood},
  };
  return table;
}
