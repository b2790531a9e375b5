//===- AttentionScores.cpp - Operand of attention's softmax ---------------===//

#include "passes/Recognition/AttentionScores.h"
#include "analysis/Evaluate.h"
#include "analysis/Runs.h"
#include "passes/Recognition/Patterns.h"
#include <cmath>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::recognition;
using namespace pcc::nn;

/// Whether `value` is computed from a contraction by scales, sums and
/// selections.
static bool hasProduct(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<ContractOp>(op))
    return true;
  if (!isa_and_present<ScaleOp, SumOp, TanhOp, WhereOp>(op))
    return false;
  return llvm::any_of(op->getOperands(), hasProduct);
}

/// Splits a term of the scores into known and unknown layers. A parameter that
/// is not a mask is trained.
void AttentionScores::add(Value value, double factor, MaskReader &reader) {
  Lines lines(value);
  if (lines.isKnown() && (!lines.isStored() || reader.isMask(value)))
    layers.push_back({value, /*isAdded=*/true, factor, /*isKnown=*/true});
  else if (auto sum = value.getDefiningOp<SumOp>())
    for (Value input : sum.getInputs())
      add(input, factor, reader);
  else
    layers.push_back({value, /*isAdded=*/true, factor, /*isKnown=*/false});
}

bool AttentionScores::matchWhere(WhereOp op, Value &value) {
  std::optional<double> lhs = uniformNumber(op.getLhs()),
                        rhs = uniformNumber(op.getRhs());
  if (!lhs == !rhs || !((lhs ? *lhs : *rhs) <= kRemovesKey))
    return false;
  bool keepsWhere = !lhs, isKnown = Lines(op.getCondition()).isKnown();
  layers.push_back({op.getCondition(), /*isAdded=*/false, scale, isKnown,
                    keepsWhere, (lhs ? *lhs : *rhs) * scale});
  value = keepsWhere ? op.getLhs() : op.getRhs();
  return true;
}

/// Whether `op` is the tanh of a soft cap; `scale` is the factor of its result.
/// Nothing but a factor may be between it and the product.
bool AttentionScores::matchCap(TanhOp op) {
  if (!(scale > 0 && std::isfinite(scale)))
    return false;
  softcap = scale;
  Value value = op.getInput();
  while (auto factor = value.getDefiningOp<ScaleOp>()) {
    scale *= factor.getFactor().convertToDouble();
    value = factor.getInput();
  }
  product = value.getDefiningOp<ContractOp>();
  return bool(product);
}

bool AttentionScores::match(Value value, MaskReader &reader) {
  while (true) {
    if ((product = value.getDefiningOp<ContractOp>()))
      return true;
    if (auto op = value.getDefiningOp<TanhOp>())
      return matchCap(op);
    if (auto op = value.getDefiningOp<ScaleOp>()) {
      scale *= op.getFactor().convertToDouble();
      value = op.getInput();
    } else if (auto op = value.getDefiningOp<SumOp>()) {
      Value scores;
      for (Value input : op.getInputs()) {
        if (!hasProduct(input)) {
          add(input, scale, reader);
          continue;
        }
        if (scores)
          return false;
        scores = input;
      }
      if (!scores)
        return false;
      value = scores;
    } else if (auto op = value.getDefiningOp<WhereOp>()) {
      if (!matchWhere(op, value))
        return false;
    } else {
      return false;
    }
  }
}

/// Whether an added value that depends on the inputs may remove keys.
static bool mayRemove(Value value, DenseSet<Value> &seen) {
  if (!isa<FloatType>(tensorType(value).getElementType()) ||
      !seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto numbers = dyn_cast<DenseElementsAttr>(constant.getValue());
    return numbers &&
           llvm::any_of(numbers.getValues<APFloat>(),
                        [](const APFloat &number) {
                          return number.convertToDouble() <= kRemovesKey;
                        });
  }
  if (auto scaled = dyn_cast<ScaleOp>(op))
    if (std::abs(scaled.getFactor().convertToDouble()) >= -kRemovesKey)
      return true;
  bool passes = isElementwise(op) || movesElements(op);
  return passes && llvm::any_of(op->getOperands(), [&](Value input) {
           return mayRemove(input, seen);
         });
}

/// Whether a known mask removes keys by adding finite numbers.
static bool removesByFinite(Value value, double factor) {
  std::vector<Lines> lines;
  lines.emplace_back(value);
  bool found = false;
  forEachLine(lines, [&](ArrayRef<int64_t> index) {
    for (const Run &run : lines.front().line(index)) {
      double number = run.first.f * factor;
      found |= !run.slope && number <= kRemovesKey && std::isfinite(number);
    }
    return !found;
  });
  return found;
}

bool AttentionScores::readMasks(MaskReader &reader, int64_t query,
                                Sinks sinks) {
  auto isNone = [&](const Layer &layer) {
    return layer.isKnown && reader.read(part(layer), query).kind == Mask::None;
  };
  llvm::erase_if(layers, isNone);
  SmallVector<MaskPart> known;
  // Whether finite numbers are added to scores (`adds`) or replace them
  // (`fills`), and whether unknown masks may remove keys (`isOpen`).
  bool adds = false, fills = false, isOpen = false;
  for (const Layer &layer : layers) {
    if (layer.isKnown)
      known.push_back(part(layer));
    if (!layer.isAdded) {
      fills |= std::isfinite(layer.fill);
      isOpen |= !layer.isKnown;
      continue;
    }
    DenseSet<Value> seen;
    bool removes = layer.isKnown ? removesByFinite(layer.value, layer.factor)
                                 : mayRemove(layer.value, seen);
    adds |= removes;
    isOpen |= removes && !layer.isKnown;
  }
  mask = reader.read(known, query);
  // Windows compare positions, which sinks that are keys do not have.
  if (sinks == Sinks::Keys && (mask.window || mask.chunk)) {
    mask.kind = Mask::Other;
    mask.window = mask.chunk = 0;
  }
  bool hasSinks = sinks != Sinks::None;
  keepsFills = !hasSinks && (adds || fills) && (isOpen || !mask.leavesAll);
  replaces = keepsFills && fills;
  // Otherwise a query may attend to keys whose scores are added to together
  // with keys whose scores are replaced and have no gradient.
  return !replaces || !adds;
}
