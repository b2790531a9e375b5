//===- DerivativesFused.cpp - Derivatives of fused ops and reductions -----===//

#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Rules/DerivativeBuilder.h"
#include <numeric>

using namespace mlir;
using namespace pcc::nn;

SmallVector<Value> SoftmaxOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {
      SoftmaxGradOp::create(builder, getLoc(), getType(), d[0], getResult())};
}

SmallVector<Value> LayerNormOp::buildVJP(OpBuilder &builder, ValueRange d) {
  SmallVector<Value> cotangents = {
      LayerNormGradOp::create(builder, getLoc(), getInput().getType(), d[0],
                              getInput(), getScale(), getMean(), getRstd()),
      LayerNormGradScaleOp::create(builder, getLoc(), getScale().getType(),
                                   d[0], getInput(), getMean(), getRstd())};
  if (Value bias = getBias()) {
    int64_t last = tensorType(d[0]).getRank() - 1;
    cotangents.push_back(Make{builder, getLoc()}.reduce(
        d[0], otherDims(last + 1, {last}), tensorType(bias)));
  }
  return cotangents;
}

SmallVector<Value> RmsNormOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {RmsNormGradOp::create(builder, getLoc(), getInput().getType(), d[0],
                                getInput(), getScale(), getRstd()),
          RmsNormGradScaleOp::create(builder, getLoc(), getScale().getType(),
                                     d[0], getInput(), getRstd())};
}

/// The transpose of a rotation is its inverse.
SmallVector<Value> RopeOp::buildVJP(OpBuilder &builder, ValueRange d) {
  UnitAttr inverse = getInverse() ? UnitAttr() : builder.getUnitAttr();
  return padded(*this, {RopeOp::create(builder, getLoc(), getInput().getType(),
                                       d[0], getPositions(), getThetaAttr(),
                                       getDimAttr(), inverse)});
}

/// The cotangent of the sinks. A sink has the probability p = exp(sink - max -
/// lse) and a value of zero, so its score's cotangent is -p * sum(do * o), of
/// each sample and query.
static Value sinksVJP(AttentionOp op, OpBuilder &builder, Value d) {
  Make make{builder, op.getLoc()};
  RankedTensorType rows = tensorType(op.getLse());
  auto wide = [&](Value x) -> Value {
    RankedTensorType type = tensorType(x).clone(rows.getElementType());
    return x.getType() == type ? x
                               : CastOp::create(builder, op.getLoc(), type, x);
  };
  Value dot = make.reduce(make.mul(wide(d), wide(op.getResult())), {3}, rows);
  Value score = BroadcastOp::create(builder, op.getLoc(), rows,
                                    wide(op.getSinks()), ArrayRef<int64_t>{2});
  if (op.getMax())
    score = make.sub(score, op.getMax());
  Value p =
      ExpOp::create(builder, op.getLoc(), rows, make.sub(score, op.getLse()));
  return make.reduce(make.scale(make.mul(p, dot), -1), {0, 1},
                     tensorType(op.getSinks()));
}

SmallVector<Value> AttentionOp::buildVJP(OpBuilder &builder, ValueRange d) {
  auto grad = AttentionGradOp::create(
      builder, getLoc(), getQ().getType(), getK().getType(), getV().getType(),
      getBias() ? getBias().getType() : Type(), d[0], getQ(), getK(), getV(),
      getResult(), getLse(), getMax(), getQPos(), getKPos(), getBias(),
      getSamples(), getSeed(), getStep(), getHeadOrigin(), getStarts(),
      getScaleAttr(), getCausalAttr(), getWindowAttr(), getChunkAttr(),
      getSoftcapAttr(), getPAttr(), getIdAttr());
  SmallVector<Value> all = {grad.getDq(), grad.getDk(), grad.getDv(), Value(),
                            Value()};
  if (getBias())
    all.push_back(grad.getDbias());
  if (getSinks())
    all.push_back(sinksVJP(*this, builder, d[0]));
  return padded(*this, all);
}

SmallVector<Value> ExpertsOp::buildVJP(OpBuilder &builder, ValueRange d) {
  SmallVector<Type> weights = llvm::to_vector(getW1().getTypes());
  llvm::append_range(weights, getB1().getTypes());
  weights.push_back(getW2().getType());
  auto grad = ExpertsGradOp::create(
      builder, getLoc(), getX().getType(), getGates().getType(), weights, d[0],
      getX(), getIds(), getGates(), getW1(), getB1(), getW2(), getOffset(),
      getActivationAttr(), getAlphaAttr(), getLimitAttr(), getShiftAttr(),
      getCapacityAttr(), getRowsAttr());
  SmallVector<Value> all = {grad.getDx(), Value(), grad.getDgates()};
  llvm::append_range(all, grad.getDweights());
  return padded(*this, all);
}

/// The ids of a lookup, with the padding row replaced by -1, which is no row.
static Value idsWithGradient(EmbeddingOp op, OpBuilder &builder) {
  auto row = op->getAttrOfType<IntegerAttr>(kPaddingRowAttr);
  if (!row)
    return op.getIds();
  RankedTensorType type = tensorType(op.getIds());
  auto constant = [&](int64_t id) -> Value {
    Attribute value = builder.getIntegerAttr(type.getElementType(), id);
    return ConstantOp::create(builder, op.getLoc(), type,
                              DenseElementsAttr::get(type, value));
  };
  Value isPadding =
      CompareOp::create(builder, op.getLoc(), CompareOp::getResultType(type),
                        Relation::Equal, op.getIds(), constant(row.getInt()));
  return WhereOp::create(builder, op.getLoc(), type, isPadding, constant(-1),
                         op.getIds());
}

SmallVector<Value> EmbeddingOp::buildVJP(OpBuilder &builder, ValueRange d) {
  if (!isa<FloatType>(getType().getElementType()))
    return padded(*this, {});
  Value table =
      EmbeddingGradOp::create(builder, getLoc(), getTable().getType(), d[0],
                              idsWithGradient(*this, builder), getOffset());
  return padded(*this, {Value(), table});
}

/// Each row of dy was added to a row of the result, and gets that row's
/// cotangent.
SmallVector<Value> EmbeddingGradOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return padded(*this,
                {EmbeddingOp::create(builder, getLoc(), getDy().getType(),
                                     getIds(), d[0], getOffset())});
}

SmallVector<Value> PickOp::buildVJP(OpBuilder &builder, ValueRange d) {
  if (!isa<FloatType>(getType().getElementType()))
    return padded(*this, {});
  return padded(*this,
                {SpreadOp::create(builder, getLoc(), getInput().getType(), d[0],
                                  getIds(), getOffset())});
}

/// Each value was added to an element, and gets that element's cotangent.
SmallVector<Value> SpreadOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return padded(*this, {PickOp::create(builder, getLoc(), getInput().getType(),
                                       d[0], getIds(), getOffset())});
}

SmallVector<Value> CrossEntropyOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return padded(*this, {CrossEntropyGradOp::create(
                           builder, getLoc(), getLogits().getType(), d[0],
                           getLogits(), getTargets(), getLse(),
                           /*offset=*/Value(), getClassesAttr())});
}

/// The row-major indices of the elements along the reduced dims.
template <typename Op>
static Value placesOf(Op op, OpBuilder &builder) {
  RankedTensorType type = tensorType(op.getInput());
  SmallVector<int64_t> extents;
  for (int64_t dim : op.getDims())
    extents.push_back(type.getDimSize(dim));
  auto box = RankedTensorType::get(extents, builder.getI64Type());
  SmallVector<int64_t> numbers(box.getNumElements());
  std::iota(numbers.begin(), numbers.end(), 0);
  Value places =
      ConstantOp::create(builder, op.getLoc(), box,
                         DenseElementsAttr::get(box, ArrayRef(numbers)));
  return BroadcastOp::create(builder, op.getLoc(),
                             type.clone(builder.getI64Type()), places,
                             op.getDims());
}

/// The elements that equal the result share its cotangent; with `nn.first_best`
/// the first of them gets all of it.
template <typename Op>
static SmallVector<Value> bestVJP(Op op, OpBuilder &builder, Value d) {
  RankedTensorType type = tensorType(op.getInput());
  if (!isa<FloatType>(type.getElementType()))
    return {Value()};
  Make make{builder, op.getLoc()};
  auto kept = otherDims(type.getRank(), op.getDims());
  auto spread = [&](Value value) -> Value {
    return BroadcastOp::create(builder, op.getLoc(),
                               type.clone(tensorType(value).getElementType()),
                               value, kept);
  };
  auto equal = [&](Value value, Value other) -> Value {
    return CompareOp::create(builder, op.getLoc(),
                             CompareOp::getResultType(type), Relation::Equal,
                             value, other);
  };
  Value isBest = equal(op.getInput(), spread(op.getResult()));
  if (op->hasAttr(kFirstBestAttr)) {
    Value places = placesOf(op, builder);
    auto indices = tensorType(places);
    Attribute most = builder.getI64IntegerAttr(type.getNumElements());
    Value none = ConstantOp::create(builder, op.getLoc(), indices,
                                    DenseElementsAttr::get(indices, most));
    Value found =
        WhereOp::create(builder, op.getLoc(), indices, isBest, places, none);
    Value first = ReduceMinOp::create(builder, op.getLoc(),
                                      op.getType().clone(builder.getI64Type()),
                                      found, op.getDims());
    return {WhereOp::create(builder, op.getLoc(), type,
                            equal(places, spread(first)), spread(d),
                            make.splat(type, 0))};
  }
  Value share = CastOp::create(builder, op.getLoc(), type, isBest);
  Value count =
      ReduceOp::create(builder, op.getLoc(), op.getType(), share, op.getDims());
  return {make.mul(share, spread(make.div(d, count)))};
}
SmallVector<Value> ReduceMaxOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return bestVJP(*this, builder, d[0]);
}
SmallVector<Value> ReduceMinOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return bestVJP(*this, builder, d[0]);
}

/// d times the product of the other elements, which is zero if any of them is.
SmallVector<Value> ReduceProdOp::buildVJP(OpBuilder &builder, ValueRange d) {
  RankedTensorType type = tensorType(getInput());
  if (!isa<FloatType>(type.getElementType()))
    return {Value()};
  Make make{builder, getLoc()};
  auto kept = otherDims(type.getRank(), getDims());
  auto spread = [&](Value value) -> Value {
    return BroadcastOp::create(builder, getLoc(), type, value, kept);
  };
  auto compare = [&](Value value, Value other) -> Value {
    return CompareOp::create(builder, getLoc(), CompareOp::getResultType(type),
                             Relation::Equal, value, other);
  };
  Value zero = make.splat(type, 0), isZero = compare(getInput(), zero);
  Value factors = WhereOp::create(builder, getLoc(), type, isZero,
                                  make.splat(type, 1), getInput());
  Value zeros = CastOp::create(builder, getLoc(), type, isZero);
  Value product =
      ReduceProdOp::create(builder, getLoc(), getType(), factors, getDims());
  Value count =
      ReduceOp::create(builder, getLoc(), getType(), zeros, getDims());
  Value noOther = compare(make.sub(spread(count), zeros), zero);
  Value others = WhereOp::create(builder, getLoc(), type, noOther,
                                 make.div(spread(product), factors), zero);
  return {make.mul(spread(d[0]), others)};
}
