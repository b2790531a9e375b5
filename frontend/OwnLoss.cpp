//===- OwnLoss.cpp - The loss that a file ends in -------------------------===//
//
// A file's loss is one formula, written for the batch of one call. To train by
// it on microbatches, its value on the whole global batch must follow from
// parts, so it is taken apart from its end: sums, differences, constant
// factors and divisions by what depends on the inputs alone are undone,
//
//   ce = sum(m * nll) / sum(m);  z = mean(lse^2);  loss = ce + 1e-4 * z
//   =>  1 * sum(m * nll) / sum(m)  +  1e-4 / (batch * seq) * sum(lse^2)
//
// Each term's sum is a sum over samples if nothing before it joins samples;
// whether that is so is seen later, when the model is recognised. How a
// constant factor changes with the batch shows the same file read for twice the
// batch: half of it is a mean, the same is a sum.
//
//===----------------------------------------------------------------------===//

#include "frontend/OwnLoss.h"
#include "dialects/NN/Location.h"
#include "frontend/Evaluate.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// factor * sum / (product of `over`) * (product of `times`).
struct Term {
  Value sum;
  double factor = 1;
  SmallVector<Value> over, times;
  /// `sum` is to be added up: what a reduction is left of when factors are
  /// taken out of what it adds.
  bool isReduced = false;
};

class Splitter {
public:
  explicit Splitter(Value loss) {
    Term whole;
    whole.sum = loss;
    split(std::move(whole));
  }

  SmallVector<Term> terms;
  /// The ops between the terms and the loss.
  llvm::SmallPtrSet<Operation *, 16> tail;

private:
  void split(Term term);
};

} // namespace

bool pcc::frontend::dependsOnParams(Value value) {
  SmallVector<Value> work{value};
  llvm::SmallDenseSet<Value> seen{value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op)
      continue;
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto param = SymbolTable::lookupNearestSymbolFrom<ParamOp>(
          read, read.getSymbolAttr());
      if (param && !param.getFrozen())
        return true;
    }
    for (Value operand : op->getOperands())
      if (seen.insert(operand).second)
        work.push_back(operand);
  }
  return false;
}

/// The number that a value is one of, or many: constant, or computed from the
/// inputs alone.
static Value numberOf(Value value) {
  while (tensorType(value).getNumElements() != 1) {
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return nullptr;
    value = broadcast.getInput();
  }
  return value;
}

static std::optional<double> constantOf(Value value) {
  if (frontend::dependsOnParams(value))
    return std::nullopt;
  return frontend::uniformNumber(value);
}

void Splitter::split(Term term) {
  Operation *op = term.sum.getDefiningOp();
  auto go = [&](Value value, double factor = 1) {
    Term next = term;
    next.sum = value;
    next.factor *= factor;
    tail.insert(op);
    split(std::move(next));
  };
  if (isa_and_nonnull<ScaleOp>(op))
    return go(op->getOperand(0),
              cast<ScaleOp>(op).getFactor().convertToDouble());
  auto timesOrOver = [&](Value value, bool divides) {
    Value other = op->getOperand(0);
    if (!divides && value == other)
      other = op->getOperand(1);
    if (auto number = constantOf(value))
      return go(other, divides ? 1 / *number : *number), true;
    Value scalar = numberOf(value);
    if (!scalar || frontend::dependsOnParams(scalar) ||
        !frontend::dependsOnParams(other))
      return false;
    (divides ? term.over : term.times).push_back(scalar);
    return go(other), true;
  };
  if (isa_and_nonnull<DivOp>(op) && timesOrOver(op->getOperand(1), true))
    return;
  if (isa_and_nonnull<MulOp>(op))
    for (Value operand : op->getOperands())
      if (timesOrOver(operand, false))
        return;
  // nll * (mask / count): the division is by one number.
  if (term.isReduced && isa_and_nonnull<MulOp>(op))
    for (unsigned i : {0, 1}) {
      auto div = op->getOperand(i).getDefiningOp<DivOp>();
      Value scalar = div ? numberOf(div.getRhs()) : Value();
      if (!scalar || frontend::dependsOnParams(scalar))
        continue;
      term.over.push_back(scalar);
      OpBuilder builder(op);
      return go(MulOp::create(builder, op->getLoc(), div.getType(),
                              op->getOperand(1 - i), div.getLhs()));
    }
  // Within a reduction only factors of all that it adds are undone.
  if (!term.isReduced && op && tensorType(term.sum).getNumElements() == 1) {
    if (isa<ReshapeOp, CastOp, BroadcastOp>(op) &&
        tensorType(op->getOperand(0)).getNumElements() == 1 &&
        isa<FloatType>(tensorType(op->getOperand(0)).getElementType()))
      return go(op->getOperand(0));
    if (auto sum = dyn_cast<SumOp>(op)) {
      for (Value input : sum.getInputs())
        go(input);
      return;
    }
    if (isa<SubOp>(op)) {
      go(op->getOperand(0));
      return go(op->getOperand(1), -1);
    }
    if (isa<ReduceOp>(op) && isa_and_nonnull<ScaleOp, MulOp, DivOp>(
                                 op->getOperand(0).getDefiningOp())) {
      term.isReduced = true;
      return go(op->getOperand(0));
    }
  }
  terms.push_back(std::move(term));
}

/// Ops that come and go with dims of extent 1.
static bool isLayout(Operation &op) {
  return isa<ReshapeOp, BroadcastOp, TransposeOp>(op);
}

/// A uniform constant's element.
static Attribute numberIn(ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  return elements && elements.isSplat() ? elements.getSplatValue<Attribute>()
                                        : Attribute();
}

/// Where two functions that differ in their batch compute different things but
/// for `tail`; null if nowhere.
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

/// The product of numbers, as tensor<f32>; null for none.
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

/// A number that is added to a loss has no part in its gradient: most likely it
/// had one before the model was exported.
static void warnOfConstants(ArrayRef<Term> terms) {
  for (const Term &term : terms) {
    std::optional<double> number = constantOf(term.sum);
    if (!number || *number == 0)
      continue;
    Location loc = term.sum.getLoc();
    InFlightDiagnostic diag =
        emitWarning(loc) << "the loss has a term that is the number "
                         << *number * term.factor << ", which trains nothing";
    diag.attachNote(loc)
        << "if the model computes it from parameters, the exporter has folded "
           "it: export without optimizations (optimize=False) or with "
           "pcc-export";
  }
}

void pcc::frontend::splitLoss(func::FuncOp forward, func::FuncOp twice) {
  Operation *terminator = forward.getBody().front().getTerminator();
  Splitter splitter(terminator->getOperand(0));
  warnOfConstants(splitter.terms);
  // Why a term's value for many samples does not follow from the file's text.
  SmallVector<std::string> unclear(splitter.terms.size());
  SmallVector<bool> means(splitter.terms.size());
  if (twice) {
    Splitter other(twice.getBody().front().getTerminator()->getOperand(0));
    Operation *at = findDifference(forward, twice, splitter.tail);
    std::string why = at ? "'" + sourceNode(at->getLoc()).str() +
                               "' is another computation for another batch size"
                         : "";
    if (!at && other.terms.size() != splitter.terms.size())
      why = "it is another formula for another batch size";
    for (size_t i = 0; i < unclear.size(); ++i) {
      unclear[i] = why;
      if (!why.empty())
        continue;
      double ratio = other.terms[i].factor / splitter.terms[i].factor;
      means[i] = std::abs(ratio - 0.5) < 1e-4;
      if (!means[i] && std::abs(ratio - 1) > 1e-4)
        unclear[i] = "its factor changes with the batch size, by " +
                     std::to_string(ratio) + " for twice the batch";
    }
  } else {
    // What is divided by a number of the batch's is no mean besides.
    for (auto [why, term] : llvm::zip(unclear, splitter.terms))
      if (term.over.empty())
        why = "the file fixes its batch, so that a mean over samples cannot be "
              "told from a sum";
  }

  OpBuilder builder(terminator);
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  SmallVector<Value> results;
  SmallVector<Attribute> attrs;
  for (auto [term, mean, why] : llvm::zip(splitter.terms, means, unclear)) {
    Location loc = term.sum.getLoc();
    Value sum = term.sum;
    if (term.isReduced && tensorType(sum).getNumElements() != 1)
      sum = ReduceOp::create(
          builder, loc,
          RankedTensorType::get({}, tensorType(sum).getElementType()), sum,
          llvm::to_vector(llvm::seq<int64_t>(0, tensorType(sum).getRank())));
    results.push_back(multiply(builder, loc, sum));
    Value over = multiply(builder, loc, term.over),
          times = multiply(builder, loc, term.times);
    if (times) {
      if (!over)
        over = ConstantOp::create(builder, loc, scalar,
                                  DenseElementsAttr::get(scalar, 1.0f));
      over = DivOp::create(builder, loc, scalar, over, times);
    }
    NamedAttrList attr;
    attr.set("factor", builder.getF64FloatAttr(term.factor));
    if (over) {
      results.push_back(over);
      attr.set("divided", builder.getUnitAttr());
    }
    if (mean)
      attr.set("mean", builder.getUnitAttr());
    if (!why.empty())
      attr.set("unclear", builder.getStringAttr(why));
    attrs.push_back(attr.getDictionary(builder.getContext()));
  }
  terminator->setOperands(results);
  forward->setAttr(kHasLossAttr, builder.getArrayAttr(attrs));
  forward.setFunctionType(builder.getFunctionType(
      forward.getArgumentTypes(), ValueRange(results).getTypes()));
  forward.removeResAttrsAttr();
}
