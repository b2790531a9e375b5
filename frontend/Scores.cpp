//===- Scores.cpp - What lies under the softmax of an attention -----------===//

#include "frontend/Scores.h"
#include "frontend/Evaluate.h"
#include "frontend/Patterns.h"
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

static bool removes(const Tensor &fill) {
  return fill.isUniform() && fill.at(int64_t(0)).f <= kRemovesKey;
}

/// Whether a value that can be evaluated comes from a parameter.
static bool isStored(Value value) {
  Operation *op = value.getDefiningOp();
  return isa<ReadOp>(op) ||
         (op->getNumOperands() && isStored(op->getOperand(0)));
}

static bool isMask(const Tensor &tensor) {
  bool only = true;
  Tensor core = tensor.compact().core();
  forEachIndex(core.shape(), [&](ArrayRef<int64_t> index) {
    double value = core.at(index).f;
    only &= value == 0 || value <= kRemovesKey;
  });
  return only;
}

/// Takes a term of the scores apart into what is known and what is not. A
/// parameter that is no mask is trained.
void Scores::add(Value value, double factor) {
  std::optional<Tensor> mask = evaluate(value);
  if (mask && (isMask(*mask) || !isStored(value))) {
    added.push_back(
        Tensor::map(mask->element(), *mask, [&](ArrayRef<Scalar> in) {
          return ofFloat(in[0].f * factor);
        }));
  } else if (auto sum = value.getDefiningOp<SumOp>()) {
    for (Value input : sum.getInputs())
      add(input, factor);
  } else {
    terms.push_back({value, factor});
  }
}

bool Scores::matchWhere(WhereOp op, Value &value) {
  std::optional<Tensor> lhs = evaluate(op.getLhs()),
                        rhs = evaluate(op.getRhs());
  if (!lhs == !rhs || !removes(lhs ? *lhs : *rhs))
    return false;
  bool keepsWhere = !lhs;
  if (std::optional<Tensor> condition = evaluate(op.getCondition()))
    kept.push_back(
        Tensor::map(condition->element(), *condition, [&](ArrayRef<Scalar> in) {
          return ofInt((in[0].i != 0) == keepsWhere);
        }));
  else
    choices.push_back(
        {op.getCondition(), keepsWhere, (lhs ? *lhs : *rhs).at(int64_t(0)).f});
  value = keepsWhere ? op.getLhs() : op.getRhs();
  return true;
}

bool Scores::match(Value value) {
  while (true) {
    if ((product = value.getDefiningOp<ContractOp>()))
      return true;
    if (auto op = value.getDefiningOp<ScaleOp>()) {
      // Masks above this are scaled with the scores: as removing as before.
      scale *= op.getFactor().convertToDouble();
      value = op.getInput();
    } else if (auto op = value.getDefiningOp<SumOp>()) {
      Value scores;
      for (Value input : op.getInputs()) {
        if (!hasProduct(input)) {
          add(input, scale);
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

Mask Scores::mask(ArrayRef<int64_t> shape, int64_t query, int64_t key) const {
  // Per mask: 1 where a key is kept, 0 where it is removed, 2 if neither.
  SmallVector<Tensor> masks(kept);
  Type element = IntegerType::get(product->getContext(), 64);
  for (const Tensor &t : added)
    masks.push_back(Tensor::map(element, t, [](ArrayRef<Scalar> in) {
      return ofInt(in[0].f == 0 ? 1 : in[0].f <= kRemovesKey ? 0 : 2);
    }));
  if (masks.empty())
    return Mask::None;
  Tensor joint = Tensor::map(element, masks, [](ArrayRef<Scalar> in) {
    int64_t all = 1;
    for (Scalar s : in)
      all = s.i == 2 || all == 2 ? 2 : std::min(all, s.i);
    return ofInt(all);
  });
  Tensor core = joint.expand(shape).compact().core();
  // Along dims where nothing varies one index stands for all.
  Shape all(core.shape());
  all[query] = shape[query];
  all[key] = shape[key];
  Tensor rows = core.expand(all);
  bool none = true, causal = true;
  forEachIndex(all, [&](ArrayRef<int64_t> index) {
    int64_t keeps = rows.at(index).i;
    none &= keeps == 1;
    causal &= keeps == (index[key] <= index[query] ? 1 : 0);
  });
  return none ? Mask::None : causal ? Mask::Causal : Mask::Other;
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

static bool isElementwise(Operation *op) {
  return isa<WhereOp, SumOp, SubOp, MulOp, ScaleOp, CastOp>(op);
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

Value Scores::buildBias(PatternRewriter &rewriter, Location loc,
                        ArrayRef<int64_t> order, bool withMasks) const {
  Type element = tensorType(product->getResult(0)).getElementType();
  auto constant = [&](RankedTensorType type, double value) -> Value {
    return ConstantOp::create(
        rewriter, loc, type,
        DenseElementsAttr::get(type, rewriter.getFloatAttr(element, value)));
  };
  SmallVector<Value> values;
  for (const Term &term : terms) {
    Value value = buildCore(rewriter, loc, term.value);
    if (term.factor != 1)
      value = ScaleOp::create(rewriter, loc, value.getType(), value,
                              rewriter.getF64FloatAttr(term.factor));
    values.push_back(value);
  }
  for (const Choice &choice : choices) {
    Value condition = buildCore(rewriter, loc, choice.condition);
    auto type =
        RankedTensorType::get(tensorType(condition).getShape(), element);
    Value keeps = constant(type, 0), fill = constant(type, choice.fill);
    if (!choice.keepsWhere)
      std::swap(keeps, fill);
    values.push_back(
        WhereOp::create(rewriter, loc, type, condition, keeps, fill));
  }
  if (withMasks) {
    SmallVector<Tensor> masks(added);
    for (const Tensor &keeps : kept)
      masks.push_back(Tensor::map(element, keeps, [](ArrayRef<Scalar> in) {
        return ofFloat(in[0].i ? 0 : -std::numeric_limits<double>::infinity());
      }));
    Tensor sum = Tensor::map(element, masks, [](ArrayRef<Scalar> in) {
      double total = 0;
      for (Scalar s : in)
        total += s.f;
      return ofFloat(total);
    });
    Shape whole(tensorType(product->getResult(0)).getShape());
    Tensor core = sum.expand(whole).compact().core();
    values.push_back(ConstantOp::create(
        rewriter, loc, RankedTensorType::get(core.shape(), element),
        core.attr()));
  }
  if (values.empty())
    return nullptr;
  SmallVector<int64_t> joint(order.size(), 1);
  for (Value value : values)
    for (auto [extent, own] : llvm::zip(joint, tensorType(value).getShape()))
      extent = std::max(extent, own);
  for (Value &value : values)
    value = repeat(rewriter, loc, value, joint);
  Value bias = values.front();
  if (values.size() > 1)
    bias = SumOp::create(rewriter, loc, bias.getType(), values);
  SmallVector<int64_t> shape;
  for (int64_t dim : order)
    shape.push_back(joint[dim]);
  if (llvm::is_sorted(order))
    return bias;
  return TransposeOp::create(
      rewriter, loc, RankedTensorType::get(shape, element), bias, order);
}
