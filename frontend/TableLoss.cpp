//===- TableLoss.cpp - Losses ---------------------------------------------===//
//
// As a file says them, losses are formulas whose value is the number that the
// specification gives. A program that trains by one gets a sum and a count
// instead, from which the update makes one mean over all ranks.
//
//===----------------------------------------------------------------------===//

#include "frontend/Arithmetic.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The loss of log probabilities [n, class, ...] and targets [n, ...]: minus
/// the target's, times the class's weight, zero for ignored targets; as they
/// are, their sum, or their sum by that of the weights.
static LogicalResult setLoss(Binder &b, Value logProbabilities) {
  Arithmetic a(b);
  Shape shape(tensorType(logProbabilities).getShape()), rows = b.shape(1);
  int64_t classes = shape[1], count = product(rows), rank = shape.size();
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

/// As the file says it: a number and, as second result, the log probabilities.
static LogicalResult buildPlainCrossEntropy(Binder &b) {
  if (failed(checkLoss(b)))
    return failure();
  Value logs = Arithmetic(b).logSoftmax(b.value(0), 1);
  b.set(1, logs);
  return setLoss(b, logs);
}

/// The mean over the targets that count becomes the sum and their number: the
/// division is left to the update, which sees all targets of a step.
static LogicalResult buildCrossEntropy(Binder &b) {
  if (b.translation.isForward())
    return buildPlainCrossEntropy(b);
  if (b.has(2))
    return b.error() << "weights of classes are not supported";
  std::string reduction = b.stringAttr("reduction", "mean");
  if (reduction != "mean")
    return b.error() << "only the mean over the targets is supported, not "
                        "reduction '"
                     << reduction << "'";
  if (b.find("ignore_index") && b.intAttr("ignore_index", 0) >= 0)
    return b.error() << "ignore_index must be negative";
  if (b.numOutputs() > 1 && !b.node.output(1).empty())
    return b.error() << "its second result cannot be used";
  int64_t rank = b.rank(0);
  if (rank < 2 || b.rank(1) != rank - 1 || !isa<FloatType>(b.element(0)))
    return b.error() << "needs scores [n, class, ...] and a target for each";
  // nn has the classes last.
  SmallVector<int64_t> permutation = {0}, all;
  for (int64_t d = 2; d < rank; ++d)
    permutation.push_back(d);
  permutation.push_back(1);
  for (int64_t d = 0; d + 1 < rank; ++d)
    all.push_back(d);
  Value logits = b.transpose(b.value(0), permutation);
  Value targets = b.value(1);
  Shape rows = b.shape(1);
  auto f32 = b.builder.getF32Type();
  auto losses = b.typeOf(rows, f32), scalar = b.typeOf({}, f32);
  auto loss =
      CrossEntropyOp::create(b.builder, b.loc, losses, losses, logits, targets,
                             b.builder.getI64IntegerAttr(b.shape(0)[1]));
  Value valid = ValidOp::create(b.builder, b.loc, losses, targets);
  Value sum = ReduceOp::create(b.builder, b.loc, scalar, loss.getLoss(), all);
  Value count = ReduceOp::create(b.builder, b.loc, scalar, valid, all);
  b.translation.setLoss(sum, count);
  b.set(0, sum);
  return success();
}

ArrayRef<OpEntry> pcc::frontend::lossOps() {
  static const OpEntry table[] = {
      {"NegativeLogLikelihoodLoss", 12, kAnyOpset, 2, nullptr,
       buildNegativeLogLikelihood},
      {"SoftmaxCrossEntropyLoss", 12, kAnyOpset, 2, nullptr, buildCrossEntropy},
  };
  return table;
}
