//===- LossSplitter.cpp - A loss in terms ---------------------------------===//

#include "frontend/import/LossSplitter.h"
#include "analysis/Dependence.h"
#include "analysis/Evaluate.h"
#include "frontend/import/OwnLoss.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

bool pcc::frontend::dependsOnParams(Value value) {
  return dependsOn(value, [](Value source) {
    ParamOp param = paramOf(source);
    return param && !param.getFrozen();
  });
}

bool LossSplitter::isNumber(Value value) const {
  return tensorType(value).getNumElements() == 1 && !perSample.contains(value);
}

Value LossSplitter::singleOf(Value value) const {
  while (!isNumber(value)) {
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return nullptr;
    value = broadcast.getInput();
  }
  return value;
}

std::optional<double> pcc::frontend::constantOf(Value value) {
  if (dependsOnParams(value))
    return std::nullopt;
  return uniformNumber(value);
}

/// The reduction of which `scale` makes a mean, as one node of the file; null
/// for a number that the file has.
static ReduceOp meanOf(ScaleOp scale) {
  auto reduce = scale.getInput().getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getLoc() != scale.getLoc())
    return nullptr;
  double count = tensorType(reduce.getInput()).getNumElements() /
                 tensorType(reduce.getResult()).getNumElements();
  bool isMean =
      std::abs(scale.getFactor().convertToDouble() * count - 1) < 1e-9;
  return isMean ? reduce : ReduceOp();
}

LossSplitter::LossSplitter(Value loss, const llvm::DenseSet<Value> &perSample)
    : perSample(perSample) {
  Term whole;
  whole.sum = loss;
  split(std::move(whole));
}

/// Divides by a number that the inputs make, whose own factors are the term's.
bool LossSplitter::divide(Term &term, Value by) {
  Value scalar = singleOf(by);
  if (!scalar || dependsOnParams(scalar))
    return false;
  while (Operation *op = scalar.getDefiningOp()) {
    auto scale = dyn_cast<ScaleOp>(op);
    if (!scale && !isa<ReshapeOp>(op))
      break;
    if (scale) {
      double factor = scale.getFactor().convertToDouble();
      term.factor /= factor;
      if (ReduceOp mean = meanOf(scale)) {
        term.meansOver.push_back(mean);
      } else {
        term.written /= factor;
        term.writtenBy = op;
      }
      tail.insert(op);
    }
    scalar = op->getOperand(0);
  }
  term.over.push_back(scalar);
  return true;
}

void LossSplitter::split(Term term) {
  Operation *op = term.sum.getDefiningOp();
  auto go = [&](Value value, double factor = 1) {
    Term next = term;
    next.sum = value;
    next.factor *= factor;
    tail.insert(op);
    split(std::move(next));
  };
  auto write = [&](double factor) {
    term.written *= factor;
    term.writtenBy = op;
    return factor;
  };
  if (auto scale = dyn_cast_or_null<ScaleOp>(op)) {
    double factor = scale.getFactor().convertToDouble();
    if (ReduceOp mean = meanOf(scale))
      term.means.push_back(mean);
    else
      write(factor);
    return go(scale.getInput(), factor);
  }
  auto timesOrOver = [&](Value value, bool divides) {
    Value other = op->getOperand(0);
    if (!divides && value == other)
      other = op->getOperand(1);
    if (auto number = constantOf(value))
      return go(other, write(divides ? 1 / *number : *number)), true;
    if (!dependsOnParams(other))
      return false;
    if (divides)
      return divide(term, value) && (go(other), true);
    Value scalar = singleOf(value);
    if (!scalar || dependsOnParams(scalar))
      return false;
    term.times.push_back(scalar);
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
      if (!div || !divide(term, div.getRhs()))
        continue;
      OpBuilder builder(op);
      return go(MulOp::create(builder, op->getLoc(), div.getType(),
                              op->getOperand(1 - i), div.getLhs()));
    }
  // Within a reduction only factors of all that it adds are undone.
  if (!term.isReduced && op && isNumber(term.sum)) {
    if (isa<ReshapeOp, CastOp, BroadcastOp>(op) &&
        isNumber(op->getOperand(0)) &&
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
