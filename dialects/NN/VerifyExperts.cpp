//===- VerifyExperts.cpp - Verifiers of mixtures of experts ---------------===//

#include "dialects/NN/Verify.h"

using namespace mlir;
using namespace pcc::nn;

/// The p of all operands w1.
template <typename Op>
static int64_t countParts(Op op) {
  int64_t parts = 0;
  for (Value w1 : op.getW1())
    parts += shapeOf(w1)[1];
  return parts;
}

int64_t ExpertsOp::getChoices() { return shapeOf(getIds()).back(); }
int64_t ExpertsOp::getParts() { return countParts(*this); }
int64_t ExpertsGradOp::getChoices() { return shapeOf(getIds()).back(); }
int64_t ExpertsGradOp::getParts() { return countParts(*this); }

/// Checks the operands and attributes that experts and their gradient share.
template <typename Op>
static LogicalResult verifyExperts(Op op) {
  ArrayRef<int64_t> x = shapeOf(op.getX()), ids = shapeOf(op.getIds()),
                    w2 = shapeOf(op.getW2());
  if (x.size() < 2 || ids.size() != x.size() ||
      ids.drop_back() != x.drop_back() || shapeOf(op.getGates()) != ids)
    return op.emitOpError("needs x of [t.., h], ids and gates of [t.., k]");
  if (w2.size() != 3 || w2[1] != x.back())
    return op.emitOpError() << "needs w2 of [e, h, f] with h = " << x.back();
  for (Value w1 : op.getW1()) {
    ArrayRef<int64_t> shape = shapeOf(w1);
    if (shape.size() != 4 || shape[0] != w2[0] || shape[2] != w2[2] ||
        shape[3] != w2[1])
      return op.emitOpError("needs w1 of [e, p, f, h], as w2 of [e, h, f]");
  }
  int64_t parts = countParts(op);
  if (parts < 1 || parts > 2)
    return op.emitOpError() << "has " << parts
                            << " parts of w1; an MLP has one, a gated MLP two";
  if (!op.getB1().empty() && op.getB1().size() != op.getW1().size())
    return op.emitOpError() << "has " << op.getW1().size() << " w1, but "
                            << op.getB1().size() << " b1";
  for (auto [w1, b1] : llvm::zip(op.getW1(), op.getB1()))
    if (shapeOf(b1) != shapeOf(w1).drop_back())
      return op.emitOpError("needs b1 of [e, p, f], as its w1");
  Type element = tensorType(op.getX()).getElementType();
  SmallVector<Value> weights = llvm::to_vector(op.getW1());
  llvm::append_range(weights, op.getB1());
  weights.push_back(op.getW2());
  for (Value value : weights)
    if (tensorType(value).getElementType() != element)
      return op.emitOpError() << "has x of " << element << ", but weights of "
                              << value.getType();
  if (!op.getAlpha().isExactlyValue(1) &&
      op.getActivation() != Activation::Silu)
    return op.emitOpError()
           << "has an alpha, which " << stringifyActivation(op.getActivation())
           << " does not use";
  if (op.getLimit() && !(op.getLimit()->convertToDouble() > 0))
    return op.emitOpError("needs a limit above 0");
  if (!op.getShift().isZero() && parts != 2)
    return op.emitOpError("has a shift, but its MLP is not gated");
  if (op.getCapacity() && !(op.getCapacity()->convertToDouble() >= 1))
    return op.emitOpError("needs a capacity of at least 1");
  if (op.getRows() && (*op.getRows() < 1 || !op.getCapacity()))
    return op.emitOpError("needs rows of at least 1, and a capacity for them");
  return verifyScalar(op, op.getOffset(), "offset");
}

LogicalResult ExpertsOp::verify() {
  if (failed(verifyExperts(*this)) ||
      failed(verifyScalar(*this, getOverflow(), "overflow")))
    return failure();
  if (bool(getOverflow()) != getCapacity().has_value())
    return emitOpError("needs an overflow if it has a capacity, else none");
  return verifyType(*this, getResult(), tensorType(getX()));
}

LogicalResult ExpertsGradOp::verify() {
  if (failed(verifyExperts(*this)) ||
      failed(verifyType(*this, getDy(), tensorType(getX()))))
    return failure();
  SmallVector<Value> operands = {getX(), getGates()};
  llvm::append_range(operands, getW1());
  llvm::append_range(operands, getB1());
  operands.push_back(getW2());
  if (operands.size() != getNumResults())
    return emitOpError("needs a cotangent for each w1 and b1, and for w2");
  for (auto [operand, result] : llvm::zip_equal(operands, getResults()))
    if (shapeOf(result) != shapeOf(operand) ||
        (result.getType() != operand.getType() &&
         !tensorType(result).getElementType().isF32()))
      return emitOpError() << "has a cotangent of " << result.getType()
                           << " for an operand of " << operand.getType();
  return success();
}

LogicalResult RouteOp::verify() {
  ArrayRef<int64_t> ids = shapeOf(getIds()), rows = shapeOf(getTokens()),
                    ends = shapeOf(getEnds());
  if (ids.empty() || shapeOf(getRows()) != ids)
    return emitOpError("needs ids of [t.., k] and rows of the same shape");
  if (rows.size() != 1 || shapeOf(getPairs()) != rows ||
      shapeOf(getExperts()) != rows)
    return emitOpError("needs tokens, pairs and experts of [R]");
  if (ends.size() != 1)
    return emitOpError("needs ends of [experts]");
  int64_t pairs = tensorType(getIds()).getNumElements();
  if (rows[0] < 1 || rows[0] > pairs)
    return emitOpError() << "has " << rows[0] << " rows for " << pairs
                         << " choices, and needs at least one row, and at most "
                            "one for each choice";
  return verifyScalar(*this, getOffset(), "offset");
}

LogicalResult GroupedContractOp::verify() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs()),
                    result = shapeOf(getResult()), ends = shapeOf(getEnds());
  if (tensorType(getLhs()).getElementType() !=
      tensorType(getRhs()).getElementType())
    return emitOpError("needs operands of the same element type");
  // The matrices, and the two operands or results with rows.
  bool isSum = getForm() == "rn,rk->enk", isBack = getForm() == "rn,enk->rk";
  if (!isSum && !isBack && getForm() != "rk,enk->rn")
    return emitOpError() << "has the form '" << getForm()
                         << "', not 'rk,enk->rn', 'rn,enk->rk' or "
                            "'rn,rk->enk'";
  ArrayRef<int64_t> matrices = isSum ? result : rhs,
                    n = isSum || isBack ? lhs : result,
                    k = isSum    ? rhs
                        : isBack ? result
                                 : lhs;
  if (n.size() != 2 || k.size() != 2 || matrices.size() != 3 || n[0] != k[0] ||
      matrices[1] != n[1] || matrices[2] != k[1])
    return emitOpError() << "has operands and a result that do not match '"
                         << getForm() << "'";
  if (ends != matrices.take_front(1))
    return emitOpError() << "needs an end for each of " << matrices[0]
                         << " groups";
  return success();
}
