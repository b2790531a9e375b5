//===- OwnLoss.cpp - The loss that a file computes ------------------------===//
//
// A file's loss is one formula, written for the batch of one call. To train by
// it on microbatches, its value on the whole global batch must follow from
// partial sums. So it is split, starting from its end: sums, differences,
// constant factors and divisions by values that depend only on the inputs are
// undone,
//
//   ce = sum(m * nll) / sum(m);  z = mean(lse^2);  loss = ce + 1e-4 * z
//   =>  1 * sum(m * nll) / sum(m)  +  1e-4 / (batch * seq) * sum(lse^2)
//
// A value that depends on no sample, such as a learned weight or an input that
// is the same for all samples, is a factor of the sum:
//
//   exp(-s) * mean(nll) + s
//   =>  1 / (batch * seq) * (exp(-s) * sum(nll))  +  1 * s
//
// Each term's sum is a sum over samples if no op before it combines samples;
// that is checked later, when the model is recognized. Importing the same file
// for twice the batch shows how a constant factor changes: a factor that halves
// is a mean's, an equal one a sum's. For a file with a fixed batch the
// operators decide (FixedBatch.cpp).
//
//===----------------------------------------------------------------------===//

#include "frontend/import/OwnLoss.h"
#include "analysis/Dependence.h"
#include "dialects/NN/Location.h"
#include "dialects/NN/Roles.h"
#include "frontend/import/FixedBatch.h"
#include "frontend/import/LossSplitter.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Ops that appear or vanish with dims of extent 1.
static bool isLayout(Operation &op) { return keepsElements(&op); }

/// The element of a uniform constant.
static Attribute numberIn(ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  return elements && elements.isSplat() ? elements.getSplatValue<Attribute>()
                                        : Attribute();
}

/// The first op at which two functions for different batches compute different
/// things; null if there is none. The numbers in ops of `tail` are not
/// compared.
static Operation *
findDifference(func::FuncOp one, func::FuncOp two,
               const llvm::SmallPtrSetImpl<Operation *> &tail) {
  auto ops = [](func::FuncOp function) {
    SmallVector<Operation *> all;
    for (Operation &op : function.getBody().front())
      if (!isLayout(op))
        all.push_back(&op);
    return all;
  };
  SmallVector<Operation *> others = ops(two);
  for (auto [i, op] : llvm::enumerate(ops(one))) {
    if (i >= others.size() || op->getName() != others[i]->getName() ||
        op->getNumOperands() != others[i]->getNumOperands())
      return op;
    if (tail.contains(op))
      continue;
    if (auto scale = dyn_cast<ScaleOp>(op))
      if (scale.getFactorAttr() != cast<ScaleOp>(others[i]).getFactorAttr())
        return op;
    if (auto constant = dyn_cast<ConstantOp>(op))
      if (numberIn(constant) != numberIn(cast<ConstantOp>(others[i])))
        return op;
  }
  return nullptr;
}

/// Finds the values of a function for one sample that have an element per
/// sample, by comparison with the same function for `some` samples, where they
/// have more elements. For example the count of labels
///
/// %n = reduce %mask [1] : [1, seq] -> [1]
///
/// is then not a number that all samples are divided by. Returns the first op
/// at which the functions compute different things, null if there is none: a
/// node that takes one sample, x[:1], does not exist in the function for one.
static Operation *findPerSample(func::FuncOp one, func::FuncOp some,
                                llvm::DenseSet<Value> &perSample) {
  // A mean over one element has no division.
  auto isMovedAlong = [](Operation &op) {
    return isLayout(op) || isa<ScaleOp>(op);
  };
  Block &others = some.getBody().front();
  auto next = others.begin();
  auto skip = [&] {
    while (next != others.end() && isMovedAlong(*next))
      ++next;
  };
  for (BlockArgument argument : one.getArguments())
    if (argument.getType() !=
        some.getArgument(argument.getArgNumber()).getType())
      perSample.insert(argument);
  for (Operation &op : one.getBody().front()) {
    if (isMovedAlong(op)) {
      if (perSample.contains(op.getOperand(0)))
        perSample.insert(op.getResult(0));
      continue;
    }
    skip();
    if (next == others.end() || op.getName() != next->getName() ||
        op.getNumOperands() != next->getNumOperands() ||
        op.getNumResults() != next->getNumResults())
      return &op;
    for (auto [result, other] : llvm::zip(op.getResults(), next->getResults()))
      if (tensorType(result).getNumElements() !=
          tensorType(other).getNumElements())
        perSample.insert(result);
    ++next;
  }
  return nullptr;
}

/// The product of numbers, as tensor<f32>; null if there are none.
static Value multiply(OpBuilder &builder, Location loc, ValueRange values) {
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  Value product;
  for (Value value : values) {
    if (tensorType(value).getRank())
      value = ReshapeOp::create(
          builder, loc,
          RankedTensorType::get({}, tensorType(value).getElementType()), value);
    if (value.getType() != scalar)
      value = CastOp::create(builder, loc, scalar, value);
    product =
        product ? MulOp::create(builder, loc, scalar, product, value) : value;
  }
  return product;
}

/// Warns of a term that is a constant. It has no gradient, but most likely had
/// one before the export. Whole numbers are the model's own, as the 1 in 1 -
/// ratio.
static void warnOfConstants(ArrayRef<Term> terms) {
  for (const Term &term : terms) {
    std::optional<double> number = constantOf(term.sum);
    if (!term.steadyTimes.empty() || !term.steadyOver.empty())
      continue;
    double value = number ? *number * term.factor : 0;
    if (value == std::round(value))
      continue;
    Location loc = term.sum.getLoc();
    InFlightDiagnostic diag = emitWarning(loc)
                              << "the loss has a term that is the number "
                              << value << ", which trains nothing";
    diag.attachNote(loc)
        << "if the model computes it from parameters, the exporter has folded "
           "it: export without optimizations (optimize=False) or with "
           "pcc-export";
  }
}

/// The product of `times` divided by the product of `over`; null for 1.
static Value divide(OpBuilder &builder, Location loc, ValueRange times,
                    ValueRange over) {
  Value product = multiply(builder, loc, times),
        divisor = multiply(builder, loc, over);
  if (!divisor)
    return product;
  RankedTensorType scalar = tensorType(divisor);
  if (!product)
    product = ConstantOp::create(builder, loc, scalar,
                                 DenseElementsAttr::get(scalar, 1.0f));
  return DivOp::create(builder, loc, scalar, product, divisor);
}

/// The shared input that a sum over samples is divided by. Nothing if there is
/// none, or if the term is also divided by a count of samples.
static std::optional<StringRef> sharedDivisor(func::FuncOp forward,
                                              const Term &term) {
  if (!term.over.empty() || !term.times.empty() || !dependsOnSamples(term.sum))
    return std::nullopt;
  for (BlockArgument input : forward.getArguments())
    for (Value divisor : term.steadyOver)
      if (dependsOn(divisor, [&](Value source) { return source == input; }))
        return inputName(forward, input.getArgNumber());
  return std::nullopt;
}

/// The loss of a function before splitLoss().
static Value lossOf(func::FuncOp forward) {
  return forward.getBody().front().getTerminator()->getOperand(0);
}

void pcc::frontend::splitLoss(func::FuncOp forward, func::FuncOp some,
                              func::FuncOp twice) {
  Operation *terminator = forward.getBody().front().getTerminator();
  llvm::DenseSet<Value> perSample;
  Operation *ofOne = twice && some != forward
                         ? findPerSample(forward, some, perSample)
                         : nullptr;
  LossSplitter splitter(lossOf(forward), perSample);
  warnOfConstants(splitter.terms);
  SmallVector<FixedBatchTerm> found(splitter.terms.size());
  if (twice) {
    // Each function is split only once: splitting changes it.
    std::optional<LossSplitter> other;
    if (some != forward)
      other.emplace(lossOf(some));
    const LossSplitter &less = other ? *other : splitter;
    LossSplitter more(lossOf(twice));
    Operation *at = ofOne ? ofOne : findDifference(some, twice, less.tail);
    std::string why = at ? "'" + sourceNode(at->getLoc()).str() +
                               "' is another computation for another batch size"
                         : "";
    if (!at && (less.terms.size() != splitter.terms.size() ||
                more.terms.size() != splitter.terms.size()))
      why = "it is another formula for another batch size";
    for (size_t i = 0; i < found.size(); ++i) {
      found[i].unclear = why;
      if (!why.empty())
        continue;
      double ratio = more.terms[i].factor / less.terms[i].factor;
      double means = std::round(-std::log2(ratio));
      if (std::abs(ratio * std::exp2(means) - 1) < 1e-4 && std::abs(means) < 4)
        found[i].means = static_cast<int>(means);
      else
        found[i].unclear = "its factor changes with the batch size, by " +
                           std::to_string(ratio) + " for twice the batch";
    }
  } else {
    for (auto [one, term] : llvm::zip(found, splitter.terms))
      one = readFixedBatch(forward, term);
  }

  OpBuilder builder(terminator);
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  SmallVector<Value> results;
  SmallVector<Attribute> attrs;
  for (auto [term, reading] : llvm::zip(splitter.terms, found)) {
    Location loc = term.sum.getLoc();
    Value sum = term.sum;
    if (term.isReduced && tensorType(sum).getRank())
      sum = ReduceOp::create(
          builder, loc,
          RankedTensorType::get({}, tensorType(sum).getElementType()), sum,
          llvm::to_vector(llvm::seq<int64_t>(0, tensorType(sum).getRank())));
    sum = multiply(builder, loc, sum);
    // A sum over samples stays one when it is multiplied.
    if (Value steady = divide(builder, loc, term.steadyTimes, term.steadyOver))
      sum = MulOp::create(builder, loc, scalar, sum, steady);
    results.push_back(sum);
    Value over = divide(builder, loc, term.over, term.times);
    NamedAttrList attr;
    attr.set("factor", builder.getF64FloatAttr(term.factor));
    if (over) {
      results.push_back(over);
      attr.set("divided", builder.getUnitAttr());
    }
    if (reading.means == 1)
      attr.set("mean", builder.getUnitAttr());
    else if (reading.means)
      attr.set("mean", builder.getI64IntegerAttr(reading.means));
    if (!reading.unclear.empty())
      attr.set("unclear", builder.getStringAttr(reading.unclear));
    if (!reading.assumed.empty())
      attr.set("assumed", builder.getStringAttr(reading.assumed));
    else if (auto input = sharedDivisor(forward, term); input && !reading.means)
      attr.set("total", builder.getStringAttr(*input));
    attrs.push_back(attr.getDictionary(builder.getContext()));
  }
  terminator->setOperands(results);
  forward->setAttr(kHasLossAttr, builder.getArrayAttr(attrs));
  forward.setFunctionType(builder.getFunctionType(
      forward.getArgumentTypes(), ValueRange(results).getTypes()));
  forward.removeResAttrsAttr();
}
