//===- Derivatives.cpp - Vector-Jacobian products of nn ops ---------------===//
//
// Each buildVJP takes d, the cotangent of the op's first result, and builds
// the cotangents of its operands, each of its operand's type. Where a formula
// needs something of the forward pass it uses the op's own operands and
// results: they become residuals by being used. The further results of norms,
// attention and cross_entropy are statistics kept for that purpose; nothing
// differentiates through them.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/NN.h"

using namespace mlir;
using namespace pcc::nn;

namespace {

/// Builds ops at one place with one location.
struct Make {
  OpBuilder &builder;
  Location loc;

  Value scale(Value x, double factor) {
    return ScaleOp::create(builder, loc, x.getType(), x,
                           builder.getF64FloatAttr(factor));
  }
  Value mul(Value x, Value y) {
    return MulOp::create(builder, loc, x.getType(), x, y);
  }
  Value div(Value x, Value y) {
    return DivOp::create(builder, loc, x.getType(), x, y);
  }
  Value sub(Value x, Value y) {
    return SubOp::create(builder, loc, x.getType(), x, y);
  }
  Value reluGrad(Value dy, Value x) {
    return ReluGradOp::create(builder, loc, x.getType(), dy, x);
  }
  Value contract(const Twine &spec, Value lhs, Value rhs, Type type) {
    return ContractOp::create(builder, loc, type, builder.getStringAttr(spec),
                              lhs, rhs);
  }
  /// Sums over `dims`, then casts to the element type of `type`.
  Value reduce(Value x, ArrayRef<int64_t> dims, RankedTensorType type) {
    auto sums =
        RankedTensorType::get(type.getShape(), tensorType(x).getElementType());
    Value sum = ReduceOp::create(builder, loc, sums, x, dims);
    if (sums == type)
      return sum;
    return CastOp::create(builder, loc, type, sum);
  }
};

/// The dims 0 .. rank-1 that are not in `dims`, ascending.
SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> others;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      others.push_back(dim);
  return others;
}

/// No gradient for any operand but the first ones.
SmallVector<Value> padded(Operation *op, SmallVector<Value> cotangents) {
  cotangents.resize(op->getNumOperands());
  return cotangents;
}

} // namespace

/// Every label stays in the two places where it is not the one that moved, so
/// the products of the derivative are contractions by the same labels. The
/// result's labels are the operand's own: a weight's gradient has its layout.
SmallVector<Value> ContractOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  StringRef lhs = getLhsLabels(), rhs = getRhsLabels(),
            result = getResultLabels();
  return {make.contract(result + "," + rhs + "->" + lhs, d[0], getRhs(),
                        getLhs().getType()),
          make.contract(lhs + "," + result + "->" + rhs, getLhs(), d[0],
                        getRhs().getType())};
}

SmallVector<Value> SumOp::buildVJP(OpBuilder &, ValueRange d) {
  return SmallVector<Value>(getNumOperands(), d[0]);
}

SmallVector<Value> SubOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {d[0], Make{builder, getLoc()}.scale(d[0], -1)};
}

SmallVector<Value> MulOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  return {make.mul(d[0], getRhs()), make.mul(d[0], getLhs())};
}

SmallVector<Value> DivOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  Value quotient = make.div(d[0], getRhs());
  return {quotient, make.scale(make.mul(quotient, getResult()), -1)};
}

/// The cotangent goes to the operand that won; the lhs wins ties.
SmallVector<Value> MaxOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  Value rhs = make.reluGrad(d[0], make.sub(getRhs(), getLhs()));
  return {make.sub(d[0], rhs), rhs};
}

SmallVector<Value> MinOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  Value rhs = make.reluGrad(d[0], make.sub(getLhs(), getRhs()));
  return {make.sub(d[0], rhs), rhs};
}

SmallVector<Value> ExpOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {Make{builder, getLoc()}.mul(d[0], getResult())};
}

SmallVector<Value> LogOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {Make{builder, getLoc()}.div(d[0], getInput())};
}

SmallVector<Value> SqrtOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  return {make.scale(make.div(d[0], getResult()), 0.5)};
}

/// d (1 - y^2)
SmallVector<Value> TanhOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  Value y = getResult();
  return {make.sub(d[0], make.mul(make.mul(d[0], y), y))};
}

/// d y (1 - y)
SmallVector<Value> SigmoidOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  Value y = getResult(), dy = make.mul(d[0], y);
  return {make.sub(dy, make.mul(dy, y))};
}

SmallVector<Value> ReluOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {Make{builder, getLoc()}.reluGrad(d[0], getInput())};
}

SmallVector<Value> SiluOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {SiluGradOp::create(builder, getLoc(), getType(), d[0], getInput())};
}

SmallVector<Value> GeluOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {GeluGradOp::create(builder, getLoc(), getType(), d[0], getInput(),
                             getTanhAttr())};
}

SmallVector<Value> ScaleOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {ScaleOp::create(builder, getLoc(), getType(), d[0], getFactorAttr())};
}

SmallVector<Value> CastOp::buildVJP(OpBuilder &builder, ValueRange d) {
  if (!isa<FloatType>(tensorType(getInput()).getElementType()))
    return {Value()};
  return {CastOp::create(builder, getLoc(), getInput().getType(), d[0])};
}

SmallVector<Value> DropoutOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return padded(
      *this, {DropoutOp::create(builder, getLoc(), getType(), d[0],
                                getSamples(), getPositions(), getSeed(),
                                getStep(), getOrigin(), getPAttr(), getIdAttr(),
                                getBatchDimAttr(), getSeqDimAttr())});
}

SmallVector<Value> ReshapeOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {ReshapeOp::create(builder, getLoc(), getInput().getType(), d[0])};
}

SmallVector<Value> TransposeOp::buildVJP(OpBuilder &builder, ValueRange d) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    inverse[dim] = i;
  return {TransposeOp::create(builder, getLoc(), getInput().getType(), d[0],
                              inverse)};
}

SmallVector<Value> BroadcastOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {ReduceOp::create(builder, getLoc(), getInput().getType(), d[0],
                           otherDims(tensorType(d[0]).getRank(), getDims()))};
}

SmallVector<Value> ReduceOp::buildVJP(OpBuilder &builder, ValueRange d) {
  RankedTensorType type = tensorType(getInput());
  return {BroadcastOp::create(builder, getLoc(), type, d[0],
                              otherDims(type.getRank(), getDims()))};
}

SmallVector<Value> SliceOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {PadOp::create(builder, getLoc(), getInput().getType(), d[0],
                        getStarts(), getSteps())};
}

SmallVector<Value> PadOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {SliceOp::create(builder, getLoc(), getInput().getType(), d[0],
                          getStarts(), getSteps())};
}

SmallVector<Value> ConcatOp::buildVJP(OpBuilder &builder, ValueRange d) {
  SmallVector<Value> parts;
  int64_t rank = getType().getRank();
  SmallVector<int64_t> starts(rank, 0), steps(rank, 1);
  for (Value input : getInputs()) {
    parts.push_back(SliceOp::create(builder, getLoc(), input.getType(), d[0],
                                    starts, steps));
    starts[getDim()] += tensorType(input).getDimSize(getDim());
  }
  return parts;
}

SmallVector<Value> SelectOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {InsertOp::create(builder, getLoc(), getInput().getType(), d[0],
                           getDimAttr(), getIndexAttr())};
}

SmallVector<Value> InsertOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return {SelectOp::create(builder, getLoc(), getInput().getType(), d[0],
                           getDimAttr(), getIndexAttr())};
}

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

/// A rotation's transpose is the rotation back.
SmallVector<Value> RopeOp::buildVJP(OpBuilder &builder, ValueRange d) {
  UnitAttr inverse = getInverse() ? UnitAttr() : builder.getUnitAttr();
  return padded(*this, {RopeOp::create(builder, getLoc(), getInput().getType(),
                                       d[0], getPositions(), getThetaAttr(),
                                       getDimAttr(), inverse)});
}

SmallVector<Value> AttentionOp::buildVJP(OpBuilder &builder, ValueRange d) {
  auto grad = AttentionGradOp::create(
      builder, getLoc(), getQ().getType(), getK().getType(), getV().getType(),
      getBias() ? getBias().getType() : Type(), d[0], getQ(), getK(), getV(),
      getResult(), getLse(), getQPos(), getKPos(), getBias(), getSamples(),
      getSeed(), getStep(), getHeadOrigin(), getScaleAttr(), getCausalAttr(),
      getPAttr(), getIdAttr());
  SmallVector<Value> all = {grad.getDq(), grad.getDk(), grad.getDv(), Value(),
                            Value()};
  if (getBias())
    all.push_back(grad.getDbias());
  return padded(*this, all);
}

SmallVector<Value> EmbeddingOp::buildVJP(OpBuilder &builder, ValueRange d) {
  if (!isa<FloatType>(getType().getElementType()))
    return padded(*this, {});
  Value table = EmbeddingGradOp::create(builder, getLoc(), getTable().getType(),
                                        d[0], getIds(), getOffset());
  return padded(*this, {Value(), table});
}

SmallVector<Value> CrossEntropyOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return padded(*this, {CrossEntropyGradOp::create(
                           builder, getLoc(), getLogits().getType(), d[0],
                           getLogits(), getTargets(), getLse(),
                           /*offset=*/Value(), getClassesAttr())});
}

SmallVector<Value> SinOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Value slope = CosOp::create(builder, getLoc(), getType(), getInput());
  return {Make{builder, getLoc()}.mul(d[0], slope)};
}

SmallVector<Value> CosOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  Value slope = SinOp::create(builder, getLoc(), getType(), getInput());
  return {make.scale(make.mul(d[0], slope), -1)};
}

/// Steps: flat wherever there is a slope.
SmallVector<Value> FloorOp::buildVJP(OpBuilder &, ValueRange) {
  return {Value()};
}
SmallVector<Value> RoundOp::buildVJP(OpBuilder &, ValueRange) {
  return {Value()};
}

/// d y x^(y-1), and d x^y log x, which is zero where the base is.
SmallVector<Value> PowOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  RankedTensorType type = getType();
  auto splat = [&](double value) -> Value {
    return ConstantOp::create(
        builder, getLoc(), type,
        DenseElementsAttr::get(
            type, builder.getFloatAttr(type.getElementType(), value)));
  };
  Value less = PowOp::create(builder, getLoc(), type, getLhs(),
                             make.sub(getRhs(), splat(1)));
  Value base = make.mul(d[0], make.mul(getRhs(), less));
  Value zero = splat(0);
  Value isZero =
      CompareOp::create(builder, getLoc(), CompareOp::getResultType(type),
                        Relation::Equal, getLhs(), zero);
  Value log = LogOp::create(builder, getLoc(), type, getLhs());
  Value rate = WhereOp::create(builder, getLoc(), type, isZero, zero, log);
  return {base, make.mul(d[0], make.mul(getResult(), rate))};
}

/// x = q y + r with a whole q, which is flat.
SmallVector<Value> RemOp::buildVJP(OpBuilder &builder, ValueRange d) {
  if (!isa<FloatType>(getType().getElementType()))
    return padded(*this, {});
  Make make{builder, getLoc()};
  Value quotient = make.div(make.sub(getLhs(), getResult()), getRhs());
  return {d[0], make.scale(make.mul(d[0], quotient), -1)};
}

/// Those that equal the result share its cotangent.
template <typename Op>
static SmallVector<Value> sharedVJP(Op op, OpBuilder &builder, Value d) {
  RankedTensorType type = tensorType(op.getInput());
  if (!isa<FloatType>(type.getElementType()))
    return {Value()};
  Make make{builder, op.getLoc()};
  auto kept = otherDims(type.getRank(), op.getDims());
  auto spread = [&](Value value) -> Value {
    return BroadcastOp::create(builder, op.getLoc(), type, value, kept);
  };
  Value isBest =
      CompareOp::create(builder, op.getLoc(), CompareOp::getResultType(type),
                        Relation::Equal, op.getInput(), spread(op.getResult()));
  Value share = CastOp::create(builder, op.getLoc(), type, isBest);
  Value count =
      ReduceOp::create(builder, op.getLoc(), op.getType(), share, op.getDims());
  return {make.mul(share, spread(make.div(d, count)))};
}
SmallVector<Value> ReduceMaxOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return sharedVJP(*this, builder, d[0]);
}
SmallVector<Value> ReduceMinOp::buildVJP(OpBuilder &builder, ValueRange d) {
  return sharedVJP(*this, builder, d[0]);
}

/// d 2/sqrt(pi) exp(-x^2)
SmallVector<Value> ErfOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  Value minus = make.scale(make.mul(getInput(), getInput()), -1);
  Value bell = ExpOp::create(builder, getLoc(), getType(), minus);
  return {make.mul(d[0], make.scale(bell, 1.12837916709551257390))};
}

SmallVector<Value> WhereOp::buildVJP(OpBuilder &builder, ValueRange d) {
  RankedTensorType type = getType();
  if (!isa<FloatType>(type.getElementType()))
    return {Value(), Value(), Value()};
  Value zero = ConstantOp::create(
      builder, getLoc(), type,
      DenseElementsAttr::get(type,
                             builder.getFloatAttr(type.getElementType(), 0.0)));
  return {Value(),
          WhereOp::create(builder, getLoc(), type, getCondition(), d[0], zero),
          WhereOp::create(builder, getLoc(), type, getCondition(), zero, d[0])};
}
