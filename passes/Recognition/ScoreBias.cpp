//===- ScoreBias.cpp - Builds the bias of attention scores ----------------===//

#include "analysis/Runs.h"
#include "passes/Recognition/AttentionScores.h"
#include "passes/Recognition/Cores.h"
#include "passes/Recognition/Patterns.h"
#include <limits>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::recognition;
using namespace pcc::nn;

/// Known masks of at most this many elements become one constant; larger ones
/// are computed by the ops they come from.
static constexpr int64_t kLargestConstant = 1 << 16;

/// A constant with the scores' rank and element type; all extents are 1.
Value AttentionScores::number(PatternRewriter &rewriter, Location loc,
                              double value) const {
  RankedTensorType scores = tensorType(product->getResult(0));
  auto type = RankedTensorType::get(SmallVector<int64_t>(scores.getRank(), 1),
                                    scores.getElementType());
  return ConstantOp::create(
      rewriter, loc, type,
      DenseElementsAttr::get(
          type, rewriter.getFloatAttr(type.getElementType(), value)));
}

/// Broadcasts the values to one shape.
static void unify(PatternRewriter &rewriter, Location loc,
                  MutableArrayRef<Value> values) {
  SmallVector<int64_t> joint(tensorType(values.front()).getRank(), 1);
  for (Value value : values)
    for (auto [extent, own] : llvm::zip(joint, tensorType(value).getShape()))
      extent = std::max(extent, own);
  for (Value &value : values)
    value = repeat(rewriter, loc, value, joint);
}

static Value addUp(PatternRewriter &rewriter, Location loc,
                   MutableArrayRef<Value> values) {
  if (values.empty())
    return nullptr;
  unify(rewriter, loc, values);
  return values.size() == 1
             ? values.front()
             : SumOp::create(rewriter, loc, values.front().getType(), values);
}

/// Builds `kept` where `condition` equals `keepsWhere`, else `other`.
static Value choose(PatternRewriter &rewriter, Location loc, Value condition,
                    bool keepsWhere, Value kept, Value other) {
  SmallVector<Value> values = {buildCore(rewriter, loc, condition), kept,
                               other};
  unify(rewriter, loc, values);
  if (!keepsWhere)
    std::swap(values[1], values[2]);
  return WhereOp::create(rewriter, loc, values[1].getType(), values[0],
                         values[1], values[2]);
}

/// The sum of the known masks as a constant; null if there is none, or it is
/// too large.
Value AttentionScores::buildMasks(PatternRewriter &rewriter,
                                  Location loc) const {
  std::vector<Lines> lines;
  SmallVector<const Layer *> known;
  for (const Layer &layer : layers)
    if (layer.isKnown) {
      lines.emplace_back(layer.value);
      known.push_back(&layer);
    }
  if (known.empty())
    return nullptr;
  Shape shape(lines.front().shape());
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    if (llvm::none_of(lines, [&](const Lines &l) { return l.varies(d); }))
      shape[d] = 1;
  if (*countElements(shape) > kLargestConstant)
    return nullptr;
  Type element = tensorType(product->getResult(0)).getElementType();
  Tensor sum(element, shape);
  size_t n = 0;
  forEachLine(lines, [&](ArrayRef<int64_t> index) {
    std::vector<double> total(shape.back(), 0);
    for (auto [own, layer] : llvm::zip(lines, known)) {
      int64_t i = 0;
      for (const Run &run : own.line(index))
        for (int64_t begin = i; i < run.end; ++i) {
          double value = own.isFloat() ? run.first.f : run.first.i;
          value += run.slope * (i - begin);
          if (layer->isAdded)
            total[i] += roundTo(element, ofFloat(value * layer->factor)).f;
          else if ((value != 0) != layer->keepsWhere)
            total[i] -= std::numeric_limits<double>::infinity();
        }
    }
    for (double value : total)
      sum.elements()[n++] = roundTo(element, ofFloat(value));
    return true;
  });
  Tensor core = sum.compact().core();
  return ConstantOp::create(
      rewriter, loc, RankedTensorType::get(core.shape(), element), core.attr());
}

/// Builds 1 for queries that have a key, 0 for queries all of whose scores are
/// replaced. Has the product's dims; the last is 1.
Value AttentionScores::buildHasKey(PatternRewriter &rewriter,
                                   Location loc) const {
  Value one = number(rewriter, loc, 1), zero = number(rewriter, loc, 0);
  Value kept = one;
  for (const Layer &layer : llvm::reverse(layers))
    if (!layer.isAdded)
      kept = choose(rewriter, loc, layer.value, layer.keepsWhere, kept, zero);
  RankedTensorType type = tensorType(kept);
  SmallVector<int64_t> shape(type.getShape());
  int64_t keys = shape.size() - 1;
  Value any = ReduceMaxOp::create(
      rewriter, loc,
      RankedTensorType::get(ArrayRef(shape).drop_back(), type.getElementType()),
      kept, rewriter.getDenseI64ArrayAttr(keys));
  shape.back() = 1;
  return reshapeTo(rewriter, loc, any, shape);
}

/// Builds the terms that are added, from the outermost layer down. If
/// `replaces`, the first layer that replaces scores is the last: it contains
/// the terms below it. Otherwise known masks are left out if they need no bias,
/// and else become one constant where it is not too large.
SmallVector<Value> AttentionScores::buildLayers(PatternRewriter &rewriter,
                                                Location loc,
                                                ArrayRef<Layer> rest) const {
  SmallVector<Value> values, conditions;
  Value masks;
  bool isFlag = mask.kind != Mask::Other && !keepsFills;
  if (!replaces && !isFlag)
    masks = buildMasks(rewriter, loc);
  for (auto [i, layer] : llvm::enumerate(rest)) {
    if (!replaces && layer.isKnown && (masks || isFlag))
      continue;
    if (layer.isAdded) {
      Value value = buildCore(rewriter, loc, layer.value);
      if (layer.factor != 1)
        value = ScaleOp::create(rewriter, loc, value.getType(), value,
                                rewriter.getF64FloatAttr(layer.factor));
      values.push_back(value);
      continue;
    }
    if (!replaces) {
      double fill =
          layer.isKnown ? -std::numeric_limits<double>::infinity() : layer.fill;
      conditions.push_back(choose(rewriter, loc, layer.value, layer.keepsWhere,
                                  number(rewriter, loc, 0),
                                  number(rewriter, loc, fill)));
      continue;
    }
    SmallVector<Value> inner =
        buildLayers(rewriter, loc, rest.drop_front(i + 1));
    if (inner.empty())
      inner.push_back(number(rewriter, loc, 0));
    conditions.push_back(choose(rewriter, loc, layer.value, layer.keepsWhere,
                                addUp(rewriter, loc, inner),
                                number(rewriter, loc, layer.fill)));
    break;
  }
  llvm::append_range(values, conditions);
  if (masks)
    values.push_back(masks);
  return values;
}

/// Transposes `value`: dim i of the result is dim order[i].
static Value reorder(PatternRewriter &rewriter, Location loc, Value value,
                     ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return value;
  RankedTensorType type = tensorType(value);
  SmallVector<int64_t> shape;
  for (int64_t dim : order)
    shape.push_back(type.getShape()[dim]);
  return TransposeOp::create(
      rewriter, loc, RankedTensorType::get(shape, type.getElementType()), value,
      order);
}

Value AttentionScores::buildBias(PatternRewriter &rewriter, Location loc,
                                 ArrayRef<int64_t> order) {
  SmallVector<Value> values = buildLayers(rewriter, loc, layers);
  if (replaces)
    hasKey = buildHasKey(rewriter, loc);
  Value bias = addUp(rewriter, loc, values);
  return bias ? reorder(rewriter, loc, bias, order) : bias;
}

Value AttentionScores::zeroMaskedQueries(PatternRewriter &rewriter,
                                         Location loc, Value queries,
                                         ArrayRef<int64_t> order) const {
  if (!replaces)
    return queries;
  RankedTensorType type = tensorType(queries);
  Value factor = repeat(rewriter, loc, reorder(rewriter, loc, hasKey, order),
                        type.getShape());
  return MulOp::create(rewriter, loc, type, queries, factor);
}

Value AttentionScores::addSinks(PatternRewriter &rewriter, Location loc,
                                Value bias, Value sinks,
                                ArrayRef<int64_t> order, int64_t keys) const {
  int64_t count = tensorType(sinks).getShape().back();
  sinks = reorder(rewriter, loc, buildCore(rewriter, loc, sinks), order);
  Type element = tensorType(sinks).getElementType();
  // Broadcast both to shapes that differ only in the last dim.
  SmallVector<int64_t> shape(tensorType(sinks).getShape());
  if (bias)
    for (auto [extent, own] : llvm::zip(shape, tensorType(bias).getShape()))
      extent = std::max(extent, own);
  shape.back() = count;
  sinks = repeat(rewriter, loc, sinks, shape);
  shape.back() = keys;
  bias = repeat(rewriter, loc, bias ? bias : number(rewriter, loc, 0), shape);
  shape.back() += count;
  return ConcatOp::create(rewriter, loc, RankedTensorType::get(shape, element),
                          ValueRange{bias, sinks}, shape.size() - 1);
}
