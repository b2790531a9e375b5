//===- OutputRange.cpp - Bounds of a value's elements ---------------------===//

#include "passes/Training/OutputRange.h"
#include "analysis/Evaluate.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool OutputRange::isBounded() const {
  return std::isfinite(low) && std::isfinite(high);
}

namespace {

class RangeFinder {
public:
  OutputRange find(Value value);

private:
  OutputRange compute(Value value);
  OutputRange ofQuotient(DivOp op);
  OutputRange ofClip(Operation *op, Value lhs, Value rhs, bool isMax);

  llvm::DenseMap<Value, OutputRange> known;
};

} // namespace

static OutputRange unbounded() { return {-kInfinity, kInfinity}; }

/// The range from the least to the greatest of `numbers`; unbounded if one is
/// nan.
static OutputRange hull(ArrayRef<double> numbers, Operation *by) {
  if (llvm::any_of(numbers, [](double number) { return std::isnan(number); }))
    return unbounded();
  auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return {*low, *high, by};
}

/// The op that bounds a value computed from two operands.
static Operation *boundOf(const OutputRange &lhs, const OutputRange &rhs) {
  return lhs.by ? lhs.by : rhs.by;
}

OutputRange RangeFinder::find(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  OutputRange range = compute(value);
  known[value] = range;
  return range;
}

/// The range of a quotient. p / sum(p) with p >= 0 is in [0, 1]. The sum is
/// repeated along its own dims, not along permuted ones.
OutputRange RangeFinder::ofQuotient(DivOp op) {
  OutputRange x = find(op.getLhs());
  Value whole = op.getRhs();
  while (isa_and_nonnull<BroadcastOp, ReshapeOp>(whole.getDefiningOp()))
    whole = whole.getDefiningOp()->getOperand(0);
  auto sum = whole.getDefiningOp<ReduceOp>();
  if (sum && sum.getInput() == op.getLhs() && x.low >= 0)
    return {0, 1, op};
  OutputRange y = find(op.getRhs());
  if (y.low <= 0 && y.high >= 0)
    return unbounded();
  return hull({x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high},
              boundOf(x, y));
}

/// The range of a maximum or minimum. If no operand has a bounding op, `op` is
/// it.
OutputRange RangeFinder::ofClip(Operation *op, Value lhs, Value rhs,
                                bool isMax) {
  OutputRange x = find(lhs), y = find(rhs);
  Operation *by = boundOf(x, y);
  by = by ? by : op;
  if (isMax)
    return {std::max(x.low, y.low), std::max(x.high, y.high), by};
  return {std::min(x.low, y.low), std::min(x.high, y.high), by};
}

OutputRange RangeFinder::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() == 0 || value != op->getResult(0))
    return unbounded();
  if (isa<SoftmaxOp, MaskedSoftmaxOp, SigmoidOp>(op))
    return {0, 1, op};
  if (isa<TanhOp, ErfOp>(op))
    return {-1, 1, op};
  if (isa<ConstantOp>(op)) {
    std::optional<double> number = analysis::uniformNumber(value);
    return number ? OutputRange{*number, *number} : unbounded();
  }
  if (takesElements(op) || isa<ReduceMaxOp, ReduceMinOp>(op))
    return find(op->getOperand(0));
  if (auto cast = dyn_cast<CastOp>(op)) {
    Type from = tensorType(cast.getInput()).getElementType();
    if (from.isInteger(1))
      return {0, 1, op};
    return find(cast.getInput());
  }
  if (auto scale = dyn_cast<ScaleOp>(op)) {
    OutputRange x = find(scale.getInput());
    double factor = scale.getFactor().convertToDouble();
    return hull({x.low * factor, x.high * factor}, x.by);
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    OutputRange x = find(reduce.getInput());
    double count = double(tensorType(reduce.getInput()).getNumElements()) /
                   double(tensorType(value).getNumElements());
    return hull({x.low * count, x.high * count}, x.by);
  }
  if (isa<ExpOp>(op)) {
    OutputRange x = find(op->getOperand(0));
    return {std::exp(x.low), std::exp(x.high), x.by};
  }
  if (isa<LogOp>(op)) {
    OutputRange x = find(op->getOperand(0));
    return x.low < 0 ? unbounded()
                     : OutputRange{std::log(x.low), std::log(x.high), x.by};
  }
  if (isa<ReluOp>(op)) {
    OutputRange x = find(op->getOperand(0));
    return {std::max(0.0, x.low), std::max(0.0, x.high), x.by};
  }
  if (isa<SumOp, ConcatOp>(op)) {
    OutputRange all = find(op->getOperand(0));
    for (Value operand : llvm::drop_begin(op->getOperands())) {
      OutputRange x = find(operand);
      Operation *by = boundOf(all, x);
      all = isa<SumOp>(op) ? OutputRange{all.low + x.low, all.high + x.high}
                           : OutputRange{std::min(all.low, x.low),
                                         std::max(all.high, x.high)};
      all.by = by;
    }
    return all;
  }
  if (auto where = dyn_cast<WhereOp>(op)) {
    if (auto clip = where.getCondition().getDefiningOp<CompareOp>();
        clip && clip.getRelation() != Relation::Equal) {
      // a <= b ? b : a
      if (where.getLhs() == clip.getRhs() && where.getRhs() == clip.getLhs())
        return ofClip(op, clip.getLhs(), clip.getRhs(), /*isMax=*/true);
      if (where.getLhs() == clip.getLhs() && where.getRhs() == clip.getRhs())
        return ofClip(op, clip.getLhs(), clip.getRhs(), /*isMax=*/false);
    }
    OutputRange x = find(where.getLhs()), y = find(where.getRhs());
    return {std::min(x.low, y.low), std::max(x.high, y.high), boundOf(x, y)};
  }
  if (auto div = dyn_cast<DivOp>(op))
    return ofQuotient(div);
  if (isa<MaxOp, MinOp>(op))
    return ofClip(op, op->getOperand(0), op->getOperand(1), isa<MaxOp>(op));
  if (!isa<SubOp, MulOp>(op))
    return unbounded();
  OutputRange x = find(op->getOperand(0)), y = find(op->getOperand(1));
  Operation *by = boundOf(x, y);
  if (isa<SubOp>(op))
    return {x.low - y.high, x.high - y.low, by};
  return hull({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high},
              by);
}

OutputRange pcc::findRange(Value value) { return RangeFinder().find(value); }
