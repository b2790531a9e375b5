//===- Scores.cpp - What lies under the softmax of an attention -----------===//

#include "frontend/Scores.h"
#include "frontend/Evaluate.h"
#include "frontend/Patterns.h"
#include "frontend/Runs.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Whether a product of queries and keys lies under `value`.
static bool hasProduct(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<ContractOp>(op))
    return true;
  if (!isa_and_present<ScaleOp, SumOp, WhereOp>(op))
    return false;
  return llvm::any_of(op->getOperands(), hasProduct);
}

/// Takes a term of the scores apart into what is known and what is not. A
/// parameter that is no mask is trained.
void Scores::add(Value value, double factor, MaskReader &reader) {
  Lines lines(value);
  if (lines.isKnown() && (!lines.isStored() || reader.isMask(value)))
    layers.push_back({value, /*isAdded=*/true, factor, /*isKnown=*/true});
  else if (auto sum = value.getDefiningOp<SumOp>())
    for (Value input : sum.getInputs())
      add(input, factor, reader);
  else
    layers.push_back({value, /*isAdded=*/true, factor, /*isKnown=*/false});
}

/// The number that a value is everywhere.
static std::optional<double> uniform(Value value) {
  std::optional<Tensor> tensor = evaluate(value);
  if (!tensor || !tensor->isFloat() || !tensor->isUniform())
    return std::nullopt;
  return tensor->at(int64_t(0)).f;
}

bool Scores::matchWhere(WhereOp op, Value &value) {
  std::optional<double> lhs = uniform(op.getLhs()), rhs = uniform(op.getRhs());
  if (!lhs == !rhs || !((lhs ? *lhs : *rhs) <= kRemovesKey))
    return false;
  bool keepsWhere = !lhs, isKnown = Lines(op.getCondition()).isKnown();
  layers.push_back({op.getCondition(), /*isAdded=*/false, scale, isKnown,
                    keepsWhere, (lhs ? *lhs : *rhs) * scale});
  value = keepsWhere ? op.getLhs() : op.getRhs();
  return true;
}

bool Scores::match(Value value, MaskReader &reader) {
  while (true) {
    if ((product = value.getDefiningOp<ContractOp>()))
      return true;
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

void Scores::readMasks(MaskReader &reader, int64_t query, bool hasSinks) {
  auto isNone = [&](const Layer &layer) {
    return layer.isKnown && reader.read(part(layer), query).kind == Mask::None;
  };
  llvm::erase_if(layers, isNone);
  SmallVector<MaskPart> known;
  bool isFinite = false, isOpen = false;
  for (const Layer &layer : layers) {
    if (layer.isKnown)
      known.push_back(part(layer));
    isFinite |= !layer.isAdded && std::isfinite(layer.fill);
    isOpen |= !layer.isAdded && !layer.isKnown;
  }
  mask = reader.read(known, query);
  replaces = !hasSinks && isFinite && (isOpen || !mask.leavesAll);
}

/// Repeats dims of extent 1.
static Value repeat(PatternRewriter &rewriter, Location loc, Value value,
                    ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(value);
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> kept, dims;
  for (auto [dim, own] : llvm::enumerate(type.getShape()))
    if (own == shape[dim]) {
      kept.push_back(own);
      dims.push_back(dim);
    }
  return BroadcastOp::create(
      rewriter, loc, RankedTensorType::get(shape, type.getElementType()),
      reshapeTo(rewriter, loc, value, kept), dims);
}

static bool isUniform(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// The extents of a value with 1 for dims along which it repeats itself.
static SmallVector<int64_t> coreShape(Value value) {
  ArrayRef<int64_t> whole = tensorType(value).getShape();
  SmallVector<int64_t> shape(whole.size(), 1);
  Operation *op = value.getDefiningOp();
  if (op && isUniform(op))
    return shape;
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
    SmallVector<int64_t> inner = coreShape(broadcast.getInput());
    for (auto [dim, extent] : llvm::zip(broadcast.getDims(), inner))
      shape[dim] = extent;
    return shape;
  }
  if (op && isElementwise(op)) {
    for (Value operand : op->getOperands())
      for (auto [extent, own] : llvm::zip(shape, coreShape(operand)))
        extent = std::max(extent, own);
    return shape;
  }
  if (auto slice = dyn_cast_or_null<SliceOp>(op)) {
    SmallVector<int64_t> inner = coreShape(slice.getInput());
    for (auto [extent, full, own] : llvm::zip(shape, whole, inner))
      extent = own == 1 ? 1 : full;
    return shape;
  }
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
    SmallVector<int64_t> inner = coreShape(transpose.getInput());
    for (auto [extent, from] : llvm::zip(shape, transpose.getPermutation()))
      extent = inner[from];
    return shape;
  }
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op)) {
    // Dims of extent 1 come and go; the others stay.
    auto isDim = [](int64_t extent) { return extent != 1; };
    ArrayRef<int64_t> from = tensorType(reshape.getInput()).getShape();
    if (llvm::equal(llvm::make_filter_range(from, isDim),
                    llvm::make_filter_range(whole, isDim))) {
      SmallVector<int64_t> inner = coreShape(reshape.getInput());
      size_t next = 0;
      for (auto [extent, full] : llvm::zip(shape, whole)) {
        if (full == 1)
          continue;
        while (from[next] == 1)
          ++next;
        extent = inner[next++];
      }
      return shape;
    }
  }
  return SmallVector<int64_t>(whole);
}

/// `value` in its core shape.
static Value buildCore(PatternRewriter &rewriter, Location loc, Value value) {
  SmallVector<int64_t> shape = coreShape(value);
  RankedTensorType type = tensorType(value);
  if (type.getShape() == ArrayRef<int64_t>(shape))
    return value;
  Operation *op = value.getDefiningOp();
  auto core = RankedTensorType::get(shape, type.getElementType());
  if (auto constant = dyn_cast<ConstantOp>(op))
    return ConstantOp::create(
        rewriter, loc, core,
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(core));
  if (auto slice = dyn_cast<SliceOp>(op)) {
    Value input = buildCore(rewriter, loc, slice.getInput());
    SmallVector<int64_t> starts(slice.getStarts()), steps(slice.getSteps());
    for (auto [start, step, extent] :
         llvm::zip(starts, steps, tensorType(input).getShape()))
      if (extent == 1)
        start = 0, step = 1;
    return SliceOp::create(rewriter, loc, core, input, starts, steps);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return TransposeOp::create(rewriter, loc, core,
                               buildCore(rewriter, loc, transpose.getInput()),
                               transpose.getPermutation());
  if (!isElementwise(op))
    return reshapeTo(rewriter, loc, buildCore(rewriter, loc, op->getOperand(0)),
                     shape);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        repeat(rewriter, loc, buildCore(rewriter, loc, operand), shape));
  Operation *made = rewriter.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(core);
  return made->getResult(0);
}

/// Known masks of at most so many elements become one constant; larger ones
/// are computed from what they follow from.
static constexpr int64_t kLargestConstant = 1 << 16;

/// A number as scores, each dim of which is 1.
Value Scores::number(PatternRewriter &rewriter, Location loc,
                     double value) const {
  RankedTensorType scores = tensorType(product->getResult(0));
  auto type = RankedTensorType::get(SmallVector<int64_t>(scores.getRank(), 1),
                                    scores.getElementType());
  return ConstantOp::create(
      rewriter, loc, type,
      DenseElementsAttr::get(
          type, rewriter.getFloatAttr(type.getElementType(), value)));
}

/// The values, repeated to one shape.
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

/// `kept` where a condition holds, or does not, else `other`.
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

/// The sum of the known masks as a constant; null if it is too large.
Value Scores::buildMasks(PatternRewriter &rewriter, Location loc) const {
  std::vector<Lines> lines;
  SmallVector<const Layer *> known;
  for (const Layer &layer : layers)
    if (layer.isKnown) {
      lines.emplace_back(layer.value);
      known.push_back(&layer);
    }
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

/// 1 for queries that have a key, 0 for those all of whose scores are
/// replaced; the product's dims, the last of them 1.
Value Scores::buildAlive(PatternRewriter &rewriter, Location loc) const {
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

/// What is added to queries without a key, so that what replaces their scores
/// is zero: only differences count, and the logarithm of a sum would be lost
/// beside the least float.
Value Scores::buildOffset(PatternRewriter &rewriter, Location loc) const {
  double highest = -std::numeric_limits<double>::infinity();
  for (const Layer &layer : layers)
    if (!layer.isAdded && std::isfinite(layer.fill))
      highest = std::max(highest, layer.fill);
  SmallVector<Value> parts = {alive, number(rewriter, loc, -1)};
  Value less = addUp(rewriter, loc, parts);
  return ScaleOp::create(rewriter, loc, less.getType(), less,
                         rewriter.getF64FloatAttr(highest));
}

/// What is added from the outermost layer down to the first that
/// replaces scores, and what is left of the others there.
SmallVector<Value> Scores::buildLayers(PatternRewriter &rewriter, Location loc,
                                       ArrayRef<Layer> rest) const {
  SmallVector<Value> values, conditions;
  Value masks;
  if (!replaces && mask.kind == Mask::Other)
    masks = buildMasks(rewriter, loc);
  for (auto [i, layer] : llvm::enumerate(rest)) {
    bool isDone =
        !replaces && layer.isKnown && (masks || mask.kind != Mask::Other);
    if (isDone)
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

/// `value` with dim i being its dim order[i].
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

Value Scores::buildBias(PatternRewriter &rewriter, Location loc,
                        ArrayRef<int64_t> order) {
  SmallVector<Value> values = buildLayers(rewriter, loc, layers);
  if (replaces) {
    alive = buildAlive(rewriter, loc);
    values.push_back(buildOffset(rewriter, loc));
  }
  Value bias = addUp(rewriter, loc, values);
  return bias ? reorder(rewriter, loc, bias, order) : bias;
}

Value Scores::gate(PatternRewriter &rewriter, Location loc, Value queries,
                   ArrayRef<int64_t> order) const {
  if (!replaces)
    return queries;
  RankedTensorType type = tensorType(queries);
  Value factor = repeat(rewriter, loc, reorder(rewriter, loc, alive, order),
                        type.getShape());
  return MulOp::create(rewriter, loc, type, queries, factor);
}

Value Scores::addSinks(PatternRewriter &rewriter, Location loc, Value bias,
                       Value sinks, ArrayRef<int64_t> order,
                       int64_t keys) const {
  int64_t count = tensorType(sinks).getShape().back();
  sinks = reorder(rewriter, loc, buildCore(rewriter, loc, sinks), order);
  Type element = tensorType(sinks).getElementType();
  // In shapes that differ in the last dim alone.
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
