//===- ExprAttention.cpp - The row ops of expanded attention --------------===//

#include "dialects/NN/Random.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Kernels/Expr.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Where the bias of the scores' row [b, h, s] lies.
static Access biasAccess(Value bias, ArrayRef<AffineExpr> row, int64_t length) {
  auto shape = nn::tensorType(bias).getShape();
  SmallVector<AffineExpr> indices;
  for (auto [index, size] : llvm::zip(row, shape))
    indices.push_back(size == 1 ? getAffineConstantExpr(0, bias.getContext())
                                : index);
  return {linearize(indices, shape.drop_back(), bias.getContext()),
          shape.back() == 1 ? 0 : length};
}

template <typename Op>
Node *ExprBuilder::buildMaskedSoftmax(Op op, OpResult value, Access access) {
  auto shape = nn::tensorType(op.getScores()).getShape();
  int64_t length = shape[3];
  if (!isWholeRow(value, access, length))
    return nullptr;
  Access whole{access.row, length}, perRow{access.row, 0};
  Type element = nn::tensorType(value).getElementType();
  auto once = [&](int name, llvm::function_ref<Node *()> make) {
    Node *&node = shared[{op.getOperation(), name}];
    return node ? node : node = make();
  };
  Node *zero = constant(f32(), 0), *one = constant(f32(), 1);
  auto indices = delinearize(access.row, shape.take_front(3));
  Node *queryPosition = convert(build(op.getQPos(), {indices[2], 0}), i32());
  Node *keyPosition = convert(build(op.getKPos(), {affine(0), length}), i32());
  auto unlessMasked = [&](Node *node, Node *otherwise) {
    return op.getCausal()
               ? select(less(queryPosition, keyPosition), otherwise, node)
               : node;
  };
  // What dropout multiplies a probability by; null: 1.
  Node *kept = nullptr;
  if (double p = op.getP().convertToDouble(); p > 0)
    kept = once(0, [&] {
      Node *key = randomKey(op.getSeed(), op.getStep(), op.getId());
      key = randomAdd(key,
                      convert(build(op.getSamples(), {indices[0], 0}), i32()));
      key = randomAdd(randomAdd(key, queryPosition), keyPosition);
      Node *head = convert(rowIndex(indices[1]), i32());
      if (op.getHeadOrigin())
        head = add(head,
                   convert(build(op.getHeadOrigin(), {affine(0), 0}), i32()));
      Node *bits = randomAdd(key, head);
      uint32_t threshold = nn::dropThreshold(p);
      Node *dropped = this->op(IntegerType::get(context, 1), {bits}, 1,
                               [=](ScalarBuilder &b, ValueRange v) -> Value {
                                 Value bound = arith::ConstantOp::create(
                                     b, b.getI32IntegerAttr(threshold));
                                 return arith::CmpIOp::create(
                                     b, arith::CmpIPredicate::ult, v[0], bound);
                               });
      return select(dropped, zero, constant(f32(), 1 / (1 - p)));
    });
  // A bias may mask all of a row, which then has nothing to subtract.
  double lowest = -std::numeric_limits<double>::infinity();
  auto finite = [&](Node *node) {
    if (!op.getBias() || !node)
      return node;
    return this->op(f32(), {node, constant(f32(), lowest), zero}, 2,
                    [](ScalarBuilder &b, ValueRange v) -> Value {
                      Value none = arith::CmpFOp::create(
                          b, arith::CmpFPredicate::OEQ, v[0], v[1]);
                      return arith::SelectOp::create(b, none, v[2], v[0]);
                    });
  };
  Node *x = convert(build(op.getScores(), whole), f32());
  Node *scaled = mul(x, op.getScale().convertToDouble());
  if (Value bias = op.getBias())
    scaled = add(
        scaled, convert(build(bias, biasAccess(bias, indices, length)), f32()));
  // A row that is masked throughout has no maximum to subtract.
  auto highest = [&] {
    Node *score = unlessMasked(scaled, constant(f32(), kLowest));
    return finite(reduceMax(score, length));
  };

  if constexpr (std::is_same_v<Op, nn::MaskedSoftmaxGradOp>) {
    Node *probs = once(1, [&] {
      Node *over = op.getBias() ? sub(scaled, highest()) : scaled;
      Node *lse = finite(build(op.getLse(), perRow));
      return unlessMasked(this->exp(sub(over, lse)), zero);
    });
    if (value.getResultNumber() == 0)
      return round(kept ? mul(probs, kept) : probs, element);
    Node *dProbs = convert(build(op.getDProbs(), whole), f32());
    if (kept)
      dProbs = once(2, [&] { return mul(dProbs, kept); });
    Node *dot = once(3, [&] {
      return convert(reduceSum(convert(mul(probs, dProbs), f64()), length),
                     f32());
    });
    Node *d =
        mul(mul(probs, sub(dProbs, dot)), op.getScale().convertToDouble());
    return round(d, element);
  } else {
    Node *max = once(1, highest);
    Node *weight = once(
        2, [&] { return unlessMasked(this->exp(sub(scaled, max)), zero); });
    Node *sum = once(3, [&] {
      return convert(reduceSum(convert(weight, f64()), length), f32());
    });
    if (value.getResultNumber() == 1)
      return op.getBias() ? log(sum) : add(max, log(sum));
    Node *inverse = once(4, [&] {
      return this->op(f32(), {sum, div(one, sum), zero}, 2,
                      [](ScalarBuilder &b, ValueRange v) -> Value {
                        Value any = arith::CmpFOp::create(
                            b, arith::CmpFPredicate::UGT, v[0], v[2]);
                        return arith::SelectOp::create(b, any, v[1], v[2]);
                      });
    });
    Node *probs = mul(weight, inverse);
    return round(kept ? mul(probs, kept) : probs, element);
  }
}

Node *ExprBuilder::buildAttention(OpResult value, Access access) {
  if (auto op = dyn_cast<nn::MaskedSoftmaxOp>(value.getOwner()))
    return buildMaskedSoftmax(op, value, access);
  return buildMaskedSoftmax(cast<nn::MaskedSoftmaxGradOp>(value.getOwner()),
                            value, access);
}
