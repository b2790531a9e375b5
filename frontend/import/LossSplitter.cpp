//===- LossSplitter.cpp - The terms of a loss -----------------------------===//

#include "frontend/import/LossSplitter.h"
#include "analysis/Axes.h"
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

Value LossSplitter::singleOf(Value value) const {
  while (!vectors.isNumber(value)) {
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

/// The reduction that `scale` turns into a mean, if both are from one node of
/// the file; null if the factor is a number in the file.
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
    : perSample(perSample), vectors(this->perSample, tail) {
  Term whole;
  whole.sum = loss;
  split(std::move(whole));
}

void LossSplitter::go(const Term &term, Operation *op, Value value,
                      double factor) {
  Term next = term;
  next.sum = value;
  next.factor *= factor;
  tail.insert(op);
  split(std::move(next));
}

/// Applies a factor that is a number in the model's text.
static void write(Term &term, Operation *op, double factor) {
  term.factor *= factor;
  term.written *= factor;
  term.writtenBy = op;
}

bool LossSplitter::takeNumber(Term &term, Value number, bool divides,
                              SmallVectorImpl<Operation *> &passed) {
  Operation *op = number.getDefiningOp();
  auto areNumbers = [&] {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return vectors.isNumber(operand);
    });
  };
  if (auto scale = dyn_cast_or_null<ScaleOp>(op)) {
    double factor = scale.getFactor().convertToDouble();
    factor = divides ? 1 / factor : factor;
    if (ReduceOp mean = meanOf(scale)) {
      term.factor *= factor;
      (divides ? term.meansOver : term.means).push_back(mean);
    } else {
      write(term, op, factor);
    }
    passed.push_back(op);
    return takeNumber(term, scale.getInput(), divides, passed);
  }
  bool isFloat = isa<FloatType>(tensorType(number).getElementType());
  if (keepsElements(op) && areNumbers())
    return takeNumber(term, op->getOperand(0), divides, passed);
  if (isFloat && isa_and_nonnull<MulOp, DivOp>(op) && areNumbers()) {
    Term both = term;
    SmallVector<Operation *> more(passed.begin(), passed.end());
    bool inverts = isa<DivOp>(op) != divides;
    if (takeNumber(both, op->getOperand(0), divides, more) &&
        takeNumber(both, op->getOperand(1), inverts, more)) {
      term = std::move(both);
      passed.assign(more.begin(), more.end());
      return true;
    }
    return false;
  }
  if (isFloat)
    if (auto constant = constantOf(number); constant && *constant != 0) {
      write(term, op, divides ? 1 / *constant : *constant);
      return true;
    }
  bool isSteady = !dependsOnSamples(number);
  if (!isSteady && dependsOnParams(number))
    return false;
  auto &steady = divides ? term.steadyOver : term.steadyTimes;
  auto &counted = divides ? term.over : term.times;
  (isSteady ? steady : counted).push_back(number);
  return true;
}

bool LossSplitter::take(Term &term, Value by, bool divides) {
  Value number = singleOf(by);
  SmallVector<Operation *> passed;
  if (!number || !takeNumber(term, number, divides, passed))
    return false;
  tail.insert(passed.begin(), passed.end());
  return true;
}

bool LossSplitter::splitProduct(const Term &term, Operation *op) {
  auto by = [&](unsigned i, bool divides) {
    Value value = op->getOperand(i), other = op->getOperand(1 - i);
    Term next = term;
    if (auto number = constantOf(value)) {
      write(next, op, divides ? 1 / *number : *number);
      return go(next, op, other), true;
    }
    // Trained factors stay in the sum, unless they are the same for every
    // batch.
    bool isWeighed = !dependsOnSamples(value) && dependsOnSamples(other);
    if ((!isWeighed && !dependsOnParams(other)) || !take(next, value, divides))
      return false;
    return go(next, op, other), true;
  };
  if (isa<DivOp>(op))
    return by(1, true);
  bool isFirst = dependsOnSamples(op->getOperand(1));
  return by(isFirst ? 0 : 1, false) || by(isFirst ? 1 : 0, false);
}

/// Whether elements of a value are sums or means over samples, as the columns
/// of `square.mean(0)`, or are computed from such by element.
static bool hasSums(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto reduce = dyn_cast_or_null<ReduceOp>(op))
    return runsOverBatch(reduce.getInput(), reduce.getDims()) == true;
  return (permutesElements(op) ||
          isa_and_nonnull<MulOp, DivOp, SumOp, SubOp, ScaleOp>(op)) &&
         llvm::any_of(op->getOperands(), hasSums);
}

bool LossSplitter::splitElements(const Term &term, Operation *op) {
  OpBuilder builder(op);
  auto one = [&](Value like) -> Value {
    RankedTensorType type = tensorType(like);
    return ConstantOp::create(
        builder, op->getLoc(), type,
        DenseElementsAttr::get(type,
                               builder.getFloatAttr(type.getElementType(), 1)));
  };
  auto product = [&](Value lhs, Value rhs) -> Value {
    return MulOp::create(builder, op->getLoc(), lhs.getType(), lhs, rhs);
  };
  // nll * (mask / count): divides by one number.
  if (isa<MulOp>(op))
    for (unsigned i : {0, 1}) {
      auto div = op->getOperand(i).getDefiningOp<DivOp>();
      Term next = term;
      if (!div || !take(next, div.getRhs(), /*divides=*/true))
        continue;
      return go(next, op, product(op->getOperand(1 - i), div.getLhs())), true;
    }
  if (!hasSums(op->getResult(0)))
    return false;
  if (isa<MulOp>(op)) {
    // weights * (sum * 1/n)  =>  1/n * (weights * sum)
    for (unsigned i : {0, 1}) {
      Value other = op->getOperand(1 - i);
      Operation *mean = op->getOperand(i).getDefiningOp();
      if (dependsOnSamples(other) || !mean || !hasSums(mean->getResult(0)))
        continue;
      tail.insert(op);
      if (auto scale = dyn_cast<ScaleOp>(mean)) {
        Term next = term;
        double factor = scale.getFactor().convertToDouble();
        if (ReduceOp reduce = meanOf(scale)) {
          next.factor *= factor;
          next.means.push_back(reduce);
        } else {
          write(next, mean, factor);
        }
        return go(next, mean, product(scale.getInput(), other)), true;
      }
      if (isa<SumOp, SubOp>(mean)) {
        for (auto [j, input] : llvm::enumerate(mean->getOperands()))
          go(term, mean, product(input, other),
             j > 0 && isa<SubOp>(mean) ? -1 : 1);
        return true;
      }
      if (isa<MulOp>(mean))
        for (unsigned j : {0, 1})
          if (Value steady = mean->getOperand(j); !dependsOnSamples(steady))
            return go(term, mean,
                      product(mean->getOperand(1 - j), product(steady, other))),
                   true;
      if (isa<DivOp>(mean) && !dependsOnSamples(mean->getOperand(1))) {
        Value weight = DivOp::create(builder, op->getLoc(), other.getType(),
                                     other, mean->getOperand(1));
        return go(term, mean, product(mean->getOperand(0), weight)), true;
      }
    }
    return false;
  }
  if (auto div = dyn_cast<DivOp>(op)) {
    if (dependsOnSamples(div.getRhs()))
      return false;
    Value weight = DivOp::create(builder, op->getLoc(), div.getType(),
                                 one(div.getRhs()), div.getRhs());
    return go(term, op, product(div.getLhs(), weight)), true;
  }
  if (!isa<SumOp, SubOp>(op))
    return false;
  for (auto [i, input] : llvm::enumerate(op->getOperands()))
    go(term, op, input, i > 0 && isa<SubOp>(op) ? -1 : 1);
  return true;
}

bool LossSplitter::splitVector(const Term &term, Operation *op) {
  OpBuilder builder(op);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    Value vector = reduce.getInput();
    if (!vectors.isVector(vector))
      return false;
    for (int64_t i = 0, n = tensorType(vector).getNumElements(); i < n; ++i)
      go(term, op, vectors.elementAt(builder, vector, i));
    return true;
  }
  // weights @ losses
  auto dot = dyn_cast<ContractOp>(op);
  if (!dot)
    return false;
  Value lhs = dot.getLhs(), rhs = dot.getRhs();
  int64_t count = tensorType(lhs).getNumElements();
  // Only one dim is longer than 1.
  auto isLong = [&](Value value) {
    return llvm::is_contained(tensorType(value).getShape(), count);
  };
  if (count < 2 || tensorType(rhs).getNumElements() != count || !isLong(lhs) ||
      !isLong(rhs) || (!vectors.isVector(lhs) && !vectors.isVector(rhs)) ||
      (dependsOnSamples(lhs) && !vectors.isVector(lhs)) ||
      (dependsOnSamples(rhs) && !vectors.isVector(rhs)))
    return false;
  for (int64_t i = 0; i < count; ++i) {
    Value x = vectors.elementAt(builder, lhs, i),
          y = vectors.elementAt(builder, rhs, i);
    go(term, op, MulOp::create(builder, op->getLoc(), x.getType(), x, y));
  }
  return true;
}

void LossSplitter::split(Term term) {
  Operation *op = term.sum.getDefiningOp();
  if (auto scale = dyn_cast_or_null<ScaleOp>(op)) {
    double factor = scale.getFactor().convertToDouble();
    ReduceOp mean = meanOf(scale);
    if (mean)
      term.factor *= factor;
    else
      write(term, op, factor);
    // A mean over heads is not a mean over samples.
    if (mean && !vectors.isVector(mean.getInput()))
      term.means.push_back(mean);
    return go(term, op, scale.getInput());
  }
  if (isa_and_nonnull<MulOp, DivOp>(op) && splitProduct(term, op))
    return;
  // Within a reduction, common factors of the added elements are taken out.
  if (term.isReduced && op && splitElements(term, op))
    return;
  if (!term.isReduced && op && vectors.isNumber(term.sum)) {
    if ((keepsElements(op) || isa<CastOp, ReduceOp>(op)) &&
        vectors.isNumber(op->getOperand(0)) &&
        isa<FloatType>(tensorType(op->getOperand(0)).getElementType()))
      return go(term, op, op->getOperand(0));
    if (splitVector(term, op))
      return;
    if (auto sum = dyn_cast<SumOp>(op)) {
      for (Value input : sum.getInputs())
        go(term, op, input);
      return;
    }
    if (isa<SubOp>(op)) {
      go(term, op, op->getOperand(0));
      return go(term, op, op->getOperand(1), -1);
    }
    if (isa<ReduceOp>(op)) {
      Operation *inner = op->getOperand(0).getDefiningOp();
      if (isa_and_nonnull<ScaleOp, MulOp, DivOp>(inner) ||
          (inner && hasSums(inner->getResult(0)))) {
        term.isReduced = true;
        return go(term, op, op->getOperand(0));
      }
    }
  }
  terms.push_back(std::move(term));
}
