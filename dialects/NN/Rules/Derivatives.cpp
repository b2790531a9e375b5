//===- Derivatives.cpp - Vector-Jacobian products of nn ops ---------------===//
//
// Each buildVJP takes d, the cotangent of the op's first result, and builds
// the cotangents of its operands, each of its operand's type. A formula that
// needs values of the forward pass uses the op's operands and results, which
// thereby become residuals. The other results of norms, attention and
// cross_entropy are statistics for that purpose and get no cotangent.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/Rules/DerivativeBuilder.h"

using namespace mlir;
using namespace pcc::nn;

/// Both cotangents are contractions of d with the other operand by the same
/// labels. Each has the operand's own labels, so a weight's gradient has the
/// weight's memory layout.
SmallVector<Value> ContractOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  StringRef lhs = getLhsLabels(), rhs = getRhsLabels(),
            result = getResultLabels();
  // The result may be of a wider type than the operands.
  RankedTensorType type =
      getType().clone(tensorType(getLhs()).getElementType());
  Value dy = d[0];
  if (dy.getType() != type)
    dy = CastOp::create(builder, getLoc(), type, dy);
  return {make.contract(result + "," + rhs + "->" + lhs, dy, getRhs(),
                        getLhs().getType()),
          make.contract(lhs + "," + result + "->" + rhs, getLhs(), dy,
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

/// x gets the cotangent where x > y, y where x < y, and each gets half where
/// they are equal. It is built from relu_grad, which is linear in the
/// cotangent, so partial sums pass.
static SmallVector<Value> chosenVJP(Operation *op, OpBuilder &builder, Value x,
                                    Value y, Value d) {
  Make make{builder, op->getLoc()};
  Value ofX = make.reluGrad(d, make.sub(x, y));
  Value ofY = make.reluGrad(d, make.sub(y, x));
  Value difference = make.scale(make.sub(ofX, ofY), 0.5);
  Value half = make.scale(d, 0.5);
  return {make.add(half, difference), make.sub(half, difference)};
}
SmallVector<Value> MaxOp::buildVJP(OpBuilder &builder, ValueRange d) {
  if (!isa<FloatType>(getType().getElementType()))
    return padded(*this, {});
  return chosenVJP(*this, builder, getLhs(), getRhs(), d[0]);
}
SmallVector<Value> MinOp::buildVJP(OpBuilder &builder, ValueRange d) {
  if (!isa<FloatType>(getType().getElementType()))
    return padded(*this, {});
  return chosenVJP(*this, builder, getRhs(), getLhs(), d[0]);
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
  // Autodiff may have kept the cotangent in the input's wider type.
  if (d[0].getType() == getInput().getType())
    return {d[0]};
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

SmallVector<Value> SinOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Value slope = CosOp::create(builder, getLoc(), getType(), getInput());
  return {Make{builder, getLoc()}.mul(d[0], slope)};
}

SmallVector<Value> CosOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  Value slope = SinOp::create(builder, getLoc(), getType(), getInput());
  return {make.scale(make.mul(d[0], slope), -1)};
}

/// A step function: its derivative is zero wherever it exists.
SmallVector<Value> FloorOp::buildVJP(OpBuilder &, ValueRange) {
  return {Value()};
}
SmallVector<Value> RoundOp::buildVJP(OpBuilder &, ValueRange) {
  return {Value()};
}

/// d y x^(y-1), and d x^y log x, which is zero where the base x is zero.
SmallVector<Value> PowOp::buildVJP(OpBuilder &builder, ValueRange d) {
  Make make{builder, getLoc()};
  RankedTensorType type = getType();
  Value less = PowOp::create(builder, getLoc(), type, getLhs(),
                             make.sub(getRhs(), make.splat(type, 1)));
  Value base = make.mul(d[0], make.mul(getRhs(), less));
  Value zero = make.splat(type, 0);
  Value isZero =
      CompareOp::create(builder, getLoc(), CompareOp::getResultType(type),
                        Relation::Equal, getLhs(), zero);
  Value log = LogOp::create(builder, getLoc(), type, getLhs());
  Value rate = WhereOp::create(builder, getLoc(), type, isZero, zero, log);
  return {base, make.mul(d[0], make.mul(getResult(), rate))};
}

/// x = q y + r with an integer q, whose derivative is zero.
SmallVector<Value> RemOp::buildVJP(OpBuilder &builder, ValueRange d) {
  if (!isa<FloatType>(getType().getElementType()))
    return padded(*this, {});
  Make make{builder, getLoc()};
  Value quotient = make.div(make.sub(getLhs(), getResult()), getRhs());
  return {d[0], make.scale(make.mul(d[0], quotient), -1)};
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
  Value zero = Make{builder, getLoc()}.splat(type, 0);
  return {Value(),
          WhereOp::create(builder, getLoc(), type, getCondition(), d[0], zero),
          WhereOp::create(builder, getLoc(), type, getCondition(), zero, d[0])};
}
