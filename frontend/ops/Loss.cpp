//===- Loss.cpp - Losses --------------------------------------------------===//
//
// Losses are formulas whose value is the one in the specification. Splitting
// the file's whole loss (OwnLoss.cpp) finds the sums over samples and their
// divisors.
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

namespace {
/// The operands and attributes that both operators have.
struct LossBuilder {
  explicit LossBuilder(Binder &b) : b(b), a(b) {}

  LogicalResult check();
  /// Moves the class dim of scores to the end: [n, ..., class].
  Value classesLast(Value scores);
  /// Sets the result from the loss of each target, with `counts` 1 for valid
  /// targets and 0 for ignored ones: the losses, their weighted sum, or that
  /// sum divided by the sum of weights.
  LogicalResult reduce(Value losses, Value counts);

  Binder &b;
  Arithmetic a;
  Shape rows;
  std::string reduction;
  /// The class of each target, of the operand's type; negative for ignored
  /// targets.
  Value targets;
};
} // namespace

LogicalResult LossBuilder::check() {
  Shape scores = b.shape(0);
  rows = b.shape(1);
  reduction = b.stringAttr("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return b.error() << "reduction '" << reduction << "' is not supported";
  if (scores.size() < 2 || !isa<FloatType>(b.element(0)) ||
      Arithmetic::without(scores, 1) != rows)
    return b.error() << "needs scores [n, class, ...] and a target for each";
  if (b.has(2) && b.shape(2) != Shape({scores[1]}))
    return b.error() << "needs a weight for each of " << scores[1]
                     << " classes";
  targets = b.value(1);
  int64_t ignored = b.intAttr("ignore_index", -1);
  // Negative targets are ignored in any case.
  if (ignored >= 0)
    targets = a.where(a.equal(targets, a.splat(targets, ignored)),
                      a.splat(targets, -1), targets);
  return success();
}

Value LossBuilder::classesLast(Value scores) {
  int64_t rank = tensorType(scores).getRank();
  SmallVector<int64_t> permutation = {0};
  for (int64_t d = 2; d < rank; ++d)
    permutation.push_back(d);
  permutation.push_back(1);
  return b.transpose(scores, permutation);
}

LogicalResult LossBuilder::reduce(Value losses, Value counts) {
  Type element = tensorType(losses).getElementType();
  if (b.has(2)) {
    // The weights of classes may be a constant or a tensor of the file.
    std::optional<Tensor> given = b.tensor(2);
    Value weights = given ? b.constant(*given) : b.value(2);
    Value valid = a.where(a.less(targets, a.splat(targets, 0)),
                          a.splat(targets, 0), targets);
    Value weight = a.cast(a.take(weights, valid, 0), element);
    losses = a.mul(losses, weight);
    counts = a.mul(weight, counts);
  }
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rows.size()));
  if (reduction != "none")
    losses = a.reduce<ReduceOp>(losses, dims);
  if (reduction == "mean")
    losses = a.div(losses, a.reduce<ReduceOp>(counts, dims));
  b.set(0, a.cast(losses, b.element(0)));
  return success();
}

/// Minus the log probability of each target; zero for ignored targets.
static LogicalResult buildNegativeLogLikelihood(Binder &b) {
  LossBuilder loss(b);
  if (failed(loss.check()))
    return failure();
  Arithmetic &a = loss.a;
  Value logs = loss.classesLast(b.value(0));
  int64_t classes = tensorType(logs).getRank() - 1;
  Value losses = b.scale(a.pick(logs, loss.targets, classes), -1);
  Value one = a.splat(losses, 1);
  Value counts = a.where(a.less(loss.targets, a.splat(loss.targets, 0)),
                         a.splat(losses, 0), one);
  return loss.reduce(losses, counts);
}

/// Sets the loss and, as second result, the log probabilities.
static LogicalResult buildCrossEntropy(Binder &b) {
  LossBuilder loss(b);
  if (failed(loss.check()))
    return failure();
  if (b.numOutputs() > 1 && !b.node.output(1).empty())
    b.set(1, loss.a.logSoftmax(b.value(0), 1));
  auto losses = b.typeOf(loss.rows, b.builder.getF32Type());
  auto entropy = CrossEntropyOp::create(
      b.builder, b.loc, losses, losses, loss.classesLast(b.value(0)),
      loss.targets, b.builder.getI64IntegerAttr(b.shape(0)[1]));
  Value valid = ValidOp::create(b.builder, b.loc, losses, loss.targets);
  return loss.reduce(entropy.getLoss(), valid);
}

ArrayRef<OpEntry> pcc::frontend::lossOps() {
  static const OpEntry table[] = {
      {"NegativeLogLikelihoodLoss", 12, kAnyOpset, between(2, 3), nullptr,
       buildNegativeLogLikelihood,
       attributes(intAttr("ignore_index"),
                  stringAttr("reduction").only("none|sum|mean"))},
      {"SoftmaxCrossEntropyLoss", 12, kAnyOpset, between(2, 3), nullptr,
       buildCrossEntropy,
       attributes(intAttr("ignore_index"),
                  stringAttr("reduction").only("none|sum|mean"))},
  };
  return table;
}
