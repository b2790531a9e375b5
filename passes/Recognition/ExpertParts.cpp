//===- ExpertParts.cpp - Pieces of experts by primitives ------------------===//

#include "passes/Recognition/ExpertParts.h"
#include "analysis/Evaluate.h"
#include "passes/Recognition/DimParts.h"
#include <limits>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::recognition;
using namespace pcc::nn;

static ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

int64_t pcc::recognition::countOf(ArrayRef<int64_t> shape) {
  return ShapedType::getNumElements(shape);
}

Value pcc::recognition::withoutViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool isView = isa<ReshapeOp>(op);
    // A concatenation may have a single operand.
    if (isa<SelectOp, SliceOp, BroadcastOp, ReduceOp, ConcatOp>(op))
      isView = countOf(shapeOf(op->getOperand(0))) == countOf(shapeOf(value));
    if (!isView)
      return value;
    value = op->getOperand(0);
  }
  return value;
}

/// The constant that `value` repeats; null if it is none.
static SplatElementsAttr splatOf(Value value) {
  auto constant = withoutViews(value).getDefiningOp<ConstantOp>();
  return constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                  : SplatElementsAttr();
}

static std::optional<double> splatNumber(Value value) {
  SplatElementsAttr splat = splatOf(value);
  if (!splat || !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>().convertToDouble();
}

/// Whether `value` repeats this number, a float or an integer.
static bool isSplat(Value value, double number) {
  if (std::optional<double> found = splatNumber(value))
    return *found == number;
  SplatElementsAttr splat = splatOf(value);
  return splat && isa<IntegerType>(splat.getElementType()) &&
         splat.getSplatValue<APInt>().getSExtValue() ==
             static_cast<int64_t>(number);
}

/// Integers without views and casts to wider integers.
static Value withoutExtensions(Value value) {
  for (;;) {
    value = withoutViews(value);
    auto cast = value.getDefiningOp<CastOp>();
    auto from = cast ? dyn_cast<IntegerType>(
                           tensorType(cast.getInput()).getElementType())
                     : IntegerType();
    if (!from || from.getWidth() < 32)
      return value;
    value = cast.getInput();
  }
}

/// Ids without the selection that adds the number of experts to negative ones.
static Value withoutWrap(Value ids, int64_t experts) {
  for (;;) {
    ids = withoutExtensions(ids);
    auto wrap = ids.getDefiningOp<WhereOp>();
    auto isNegative =
        wrap ? wrap.getCondition().getDefiningOp<CompareOp>() : CompareOp();
    auto sum = wrap ? wrap.getLhs().getDefiningOp<SumOp>() : SumOp();
    if (!isNegative || isNegative.getRelation() != Relation::Less ||
        isNegative.getLhs() != wrap.getRhs() ||
        !isSplat(isNegative.getRhs(), 0) || !sum ||
        sum.getInputs().size() != 2 || sum.getInputs()[0] != wrap.getRhs() ||
        !isSplat(sum.getInputs()[1], experts))
      return ids;
    ids = wrap.getRhs();
  }
}

/// The result of top_k that ids are, of one of `experts`; null if none.
static TopKOp findTopK(Value ids, int64_t experts) {
  auto choice = withoutExtensions(ids).getDefiningOp<TopKOp>();
  return choice && shapeOf(choice.getInput()).back() == experts ? choice
                                                                : TopKOp();
}

/// Whether scores have -inf where `chosen`, a choice, is:
/// where(0 < spread(1, chosen), -inf, scores).
static bool exclude(Value scores, Value chosen, int64_t experts) {
  auto where = withoutViews(scores).getDefiningOp<WhereOp>();
  auto isChosen =
      where ? where.getCondition().getDefiningOp<CompareOp>() : CompareOp();
  if (!isChosen || isChosen.getRelation() != Relation::Less ||
      !isSplat(isChosen.getLhs(), 0) ||
      !isSplat(where.getLhs(), -std::numeric_limits<double>::infinity()))
    return false;
  auto mark = withoutViews(isChosen.getRhs()).getDefiningOp<SpreadOp>();
  return mark && isSplat(mark.getInput(), 1) &&
         withoutExtensions(withoutWrap(mark.getIds(), experts)) ==
             withoutExtensions(chosen);
}

/// Whether `ids` are choices of one of `experts`, different ones for each
/// token: a result of top_k, or two, of which the second excludes the first.
static bool areChoices(Value ids, int64_t experts) {
  ids = withoutExtensions(ids);
  auto joined = ids.getDefiningOp<ConcatOp>();
  if (!joined)
    return bool(findTopK(ids, experts));
  ValueRange parts = joined.getInputs();
  if (parts.size() != 2)
    return false;
  TopKOp first = findTopK(parts[0], experts),
         second = findTopK(parts[1], experts);
  return first && second && shapeOf(second.getIds()).back() == 1 &&
         exclude(second.getInput(), parts[0], experts);
}

/// The choices that ids are; null if they may be other numbers, or the same one
/// twice. Exporters widen ids to i64, and add the number of experts to negative
/// ones, of which there are none.
static Value findChoices(Value ids, int64_t experts) {
  ids = withoutExtensions(withoutWrap(ids, experts));
  return areChoices(ids, experts) ? ids : Value();
}

std::optional<ExpertLookup> pcc::recognition::findLookup(Value value) {
  auto lookup = withoutViews(value).getDefiningOp<EmbeddingOp>();
  if (!lookup || lookup.getOffset())
    return std::nullopt;
  Value table = lookup.getTable(), whole = withoutViews(table);
  int64_t experts = shapeOf(table)[0];
  if (tensorType(whole).getRank() > 1 && shapeOf(whole)[0] == experts)
    table = whole;
  Value ids = findChoices(lookup.getIds(), experts);
  if (!ids)
    return std::nullopt;
  return ExpertLookup{ids, table, experts};
}

namespace {
/// A contraction's labels with an extent above 1, by their role in a product of
/// one expert's matrix with a row.
struct ProductLabels {
  std::string pairs, summed, columns;

  /// False if the contraction is no such product.
  bool find(ContractOp op, StringRef matrix, StringRef row) {
    std::string matrixLabels = significant(op, matrix),
                rowLabels = significant(op, row),
                result = significant(op, op.getResultLabels());
    for (char label : rowLabels) {
      if (!StringRef(matrixLabels).contains(label))
        return false;
      (StringRef(result).contains(label) ? pairs : summed).push_back(label);
    }
    for (char label : matrixLabels)
      if (!StringRef(rowLabels).contains(label))
        columns.push_back(label);
    return summed.size() <= 1 && columns.size() <= 1 &&
           rowLabels == pairs + summed && result == pairs + columns &&
           (matrixLabels == pairs + summed + columns ||
            matrixLabels == pairs + columns + summed);
  }

private:
  static std::string significant(ContractOp op, StringRef labels) {
    std::string kept;
    for (char label : labels)
      if (op.getLabelSize(label) > 1)
        kept.push_back(label);
    return kept;
  }
};
} // namespace

static int64_t extentOf(ContractOp op, StringRef labels) {
  int64_t extent = 1;
  for (char label : labels)
    extent *= op.getLabelSize(label);
  return extent;
}

static std::optional<ExpertProduct> findPlainProduct(Value value,
                                                     int64_t pairs) {
  auto op = withoutViews(value).getDefiningOp<ContractOp>();
  if (!op)
    return std::nullopt;
  std::string labels[] = {op.getLhsLabels().str(), op.getRhsLabels().str()};
  Value operands[] = {withoutTransposes(op.getLhs(), labels[0]),
                      withoutTransposes(op.getRhs(), labels[1])};
  for (int side : {0, 1}) {
    std::optional<ExpertLookup> weights = findLookup(operands[side]);
    ProductLabels found;
    if (!weights || !found.find(op, labels[side], labels[1 - side]) ||
        extentOf(op, found.pairs) != pairs)
      continue;
    ExpertProduct product;
    product.weights = *weights;
    product.outputs = extentOf(op, found.columns);
    product.inputs = extentOf(op, found.summed);
    product.isTransposed =
        product.outputs > 1 && product.inputs > 1 &&
        labels[side].find(found.summed) < labels[side].find(found.columns);
    product.input = operands[1 - side];
    return product;
  }
  return std::nullopt;
}

std::optional<ExpertProduct> pcc::recognition::findProduct(Value value,
                                                           int64_t pairs) {
  value = withoutViews(value);
  auto sum = value.getDefiningOp<SumOp>();
  if (!sum)
    return findPlainProduct(value, pairs);
  if (sum.getInputs().size() != 2)
    return std::nullopt;
  for (int side : {0, 1}) {
    auto product = findPlainProduct(sum.getInputs()[side], pairs);
    auto bias = findLookup(sum.getInputs()[1 - side]);
    if (!product || !bias || bias->ids != product->weights.ids ||
        bias->experts != product->weights.experts)
      continue;
    product->bias = bias;
    return product;
  }
  return std::nullopt;
}

Value pcc::recognition::findRepeated(Value value, int64_t tokens,
                                     int64_t choices) {
  value = withoutViews(value);
  if (choices == 1)
    return value;
  if (auto lookup = value.getDefiningOp<EmbeddingOp>()) {
    std::optional<Tensor> ids = lookup.getIds().getDefiningOp<ConstantOp>()
                                    ? evaluate(lookup.getIds())
                                    : std::nullopt;
    if (lookup.getOffset() || !ids || shapeOf(lookup.getTable())[0] != tokens ||
        ids->size() != tokens * choices)
      return {};
    for (int64_t pair = 0; pair < ids->size(); ++pair)
      if (ids->at(pair).i != pair / choices)
        return {};
    return withoutViews(lookup.getTable());
  }
  auto repeat = value.getDefiningOp<BroadcastOp>();
  if (!repeat)
    return {};
  // Dims of tokens, then the new ones, then columns.
  int64_t before = 1, times = 1;
  bool isPast = false;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(value))) {
    if (extent == 1)
      continue;
    bool isOld =
        llvm::is_contained(repeat.getDims(), static_cast<int64_t>(dim));
    if (!isOld && isPast)
      return {};
    isPast = isOld && times > 1;
    if (!isOld)
      times *= extent;
    else if (!isPast)
      before *= extent;
  }
  return before == tokens && times == choices ? withoutViews(repeat.getInput())
                                              : Value();
}

Columns pcc::recognition::findColumns(Value value, int64_t pairs) {
  value = withoutViews(value);
  int64_t columns = countOf(shapeOf(value)) / pairs;
  Columns own{value, 0, 1, columns, columns};
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<SliceOp, SelectOp>(op))
    return own;
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  int64_t rank = shape.size(), all = countOf(shape) / pairs;
  Columns part{withoutViews(op->getOperand(0)), 0, 1, columns, all};
  auto around = [&](int64_t dim) {
    return std::pair(countOf(shape.take_front(dim)),
                     countOf(shape.drop_front(dim + 1)));
  };
  if (auto select = dyn_cast<SelectOp>(op)) {
    auto [before, after] = around(select.getDim());
    if (before == pairs)
      part.first = select.getIndex() * after;
    else if (before == pairs * columns && after == 1) {
      part.first = select.getIndex();
      part.step = shape[select.getDim()];
    } else {
      return own;
    }
    return part;
  }
  auto slice = cast<SliceOp>(op);
  std::optional<int64_t> sliced;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (shape[dim] != shapeOf(value)[dim]) {
      if (sliced)
        return own;
      sliced = dim;
    }
  if (!sliced || around(*sliced) != std::pair<int64_t, int64_t>(pairs, 1))
    return own;
  part.first = slice.getStarts()[*sliced];
  part.step = slice.getSteps()[*sliced];
  return part;
}

namespace {
/// A value after a bound on one side.
struct Bounded {
  Value value;
  double bound;
};
} // namespace

/// The minimum (or maximum) of a value and a constant. Exporters write an op or
/// a selection by comparison.
static std::optional<Bounded> findBound(Value value, bool isUpper) {
  value = withoutViews(value);
  Operation *op = value.getDefiningOp();
  if (isUpper ? isa_and_present<MinOp>(op) : isa_and_present<MaxOp>(op)) {
    for (int side : {0, 1})
      if (auto bound = splatNumber(op->getOperand(side)))
        return Bounded{op->getOperand(1 - side), *bound};
    return std::nullopt;
  }
  auto where = dyn_cast_if_present<WhereOp>(op);
  auto compare =
      where ? where.getCondition().getDefiningOp<CompareOp>() : CompareOp();
  if (!compare || (compare.getRelation() != Relation::Less &&
                   compare.getRelation() != Relation::LessOrEqual))
    return std::nullopt;
  // where(low <= high, a, b) is the minimum if a is low and b is high. Equal
  // constants may be two values.
  Value low = compare.getLhs(), high = compare.getRhs();
  auto same = [](Value a, Value b) {
    auto x = splatNumber(a), y = splatNumber(b);
    return a == b || (x && y && *x == *y);
  };
  if (!same(where.getLhs(), isUpper ? low : high) ||
      !same(where.getRhs(), isUpper ? high : low))
    return std::nullopt;
  if (auto bound = splatNumber(low))
    return Bounded{high, *bound};
  if (auto bound = splatNumber(high))
    return Bounded{low, *bound};
  return std::nullopt;
}

/// The activation without its gate.
static std::optional<ExpertActivation> findPlainActivation(Value value) {
  value = withoutViews(value);
  Operation *op = value.getDefiningOp();
  ExpertActivation found;
  if (isa_and_present<SiluOp>(op)) {
    found.kind = Activation::Silu;
  } else if (auto gelu = dyn_cast_if_present<GeluOp>(op)) {
    found.kind = gelu.getTanh() ? Activation::GeluTanh : Activation::Gelu;
  } else if (isa_and_present<ReluOp>(op)) {
    found.kind = Activation::Relu;
  } else if (auto mul = dyn_cast_if_present<MulOp>(op)) {
    Value lhs = withoutViews(mul.getLhs()), rhs = withoutViews(mul.getRhs());
    if (lhs == rhs && lhs.getDefiningOp<ReluOp>()) {
      found.kind = Activation::Relu2;
      found.gate = lhs.getDefiningOp()->getOperand(0);
      return found;
    }
    for (auto [x, s] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
      auto sigmoid = s.getDefiningOp<SigmoidOp>();
      if (!sigmoid)
        continue;
      Value inner = withoutViews(sigmoid.getInput());
      if (auto scale = inner.getDefiningOp<ScaleOp>()) {
        found.alpha = scale.getFactor().convertToDouble();
        inner = withoutViews(scale.getInput());
      }
      if (inner != x)
        continue;
      found.kind = Activation::Silu;
      found.gate = x;
      return found;
    }
    return std::nullopt;
  } else {
    return std::nullopt;
  }
  found.gate = op->getOperand(0);
  return found;
}

/// u[0] without its limit.
static void takeLimit(ExpertActivation &found) {
  auto bounded = findBound(found.gate, /*isUpper=*/true);
  if (bounded && bounded->bound > 0) {
    found.limit = bounded->bound;
    found.gate = bounded->value;
  }
}

/// Takes u[1] from the other factor of a gated MLP; false if its limits are not
/// those that nn.experts can have.
static bool takeUp(ExpertActivation &found, Value value) {
  value = withoutViews(value);
  if (auto sum = value.getDefiningOp<SumOp>();
      sum && sum.getInputs().size() == 2)
    for (int side : {0, 1})
      if (auto shift = splatNumber(sum.getInputs()[1 - side])) {
        found.shift = *shift;
        value = sum.getInputs()[side];
        break;
      }
  std::optional<double> least, most;
  for (int i = 0; i < 2; ++i) {
    auto upper = findBound(value, /*isUpper=*/true);
    auto lower = findBound(value, /*isUpper=*/false);
    if (upper && !most) {
      most = upper->bound;
      value = upper->value;
    } else if (lower && !least) {
      least = lower->bound;
      value = lower->value;
    }
  }
  found.up = value;
  return most == found.limit && (!most || (least && *least == -*most)) &&
         (most || !least);
}

std::optional<ExpertActivation> pcc::recognition::findActivation(Value value) {
  value = withoutViews(value);
  // The square of a relu is no gated relu.
  auto plain = findPlainActivation(value);
  bool isSquare = plain && plain->kind == Activation::Relu2;
  if (auto mul = isSquare ? MulOp() : value.getDefiningOp<MulOp>())
    for (int side : {0, 1}) {
      auto found = findPlainActivation(mul->getOperand(side));
      if (!found)
        continue;
      takeLimit(*found);
      if (takeUp(*found, mul->getOperand(1 - side)))
        return found;
    }
  if (plain)
    takeLimit(*plain);
  return plain;
}
