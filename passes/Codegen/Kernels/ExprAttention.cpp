//===- ExprAttention.cpp - Row ops of expanded attention ------------------===//
//
// A row of scores belongs to a query [b, h, s]; its columns are the keys. The
// softmax is taken of scale * score + bias over the keys that the causal mask
// allows, optionally with dropout. The forward makes three passes, as softmax
// does: the maximum score m, the sum of exp(score - m), the quotients. The
// backward has the sum from lse, so its first pass already sums the products:
// with p the probabilities and dp their cotangents, dscores = p * (dp - sum of
// p * dp) * scale.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/Random.h"
#include "dialects/NN/VisibleKeys.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Kernels/Attention/Mask.h"
#include "passes/Codegen/Kernels/Expr.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Where the bias of the score row [b, h, s] is read.
static Access biasAccess(Value bias, ArrayRef<AffineExpr> row, int64_t length) {
  auto shape = nn::tensorType(bias).getShape();
  SmallVector<AffineExpr> indices;
  for (auto [index, size] : llvm::zip(row, shape))
    indices.push_back(size == 1 ? getAffineConstantExpr(0, bias.getContext())
                                : index);
  return {linearize(indices, shape.drop_back(), bias.getContext()),
          shape.back() == 1 ? 0 : length};
}

namespace {
/// The common part of a row's softmax and its gradient.
template <typename Op>
struct MaskedRow {
  ExprBuilder &e;
  Op op;
  int64_t length;
  Access whole, perRow;
  SmallVector<AffineExpr> indices; ///< of the row: b, h, s
  Node *zero;
  Node *queryPosition, *keyPosition;
  /// Of a window, chunk or document; null: none.
  Node *firstPosition = nullptr;
  Node *kept = nullptr;   ///< dropout's factor; null: 1
  Node *scaled = nullptr; ///< scale * score + bias

  MaskedRow(ExprBuilder &e, Op op, AffineExpr row);

  Node *buildKept(double p);
  Node *buildScaled();
  /// `node`, or `otherwise` for keys that the mask by positions excludes.
  Node *unlessMasked(Node *node, Node *otherwise) {
    if (op.getCausal())
      node = e.select(e.less(queryPosition, keyPosition), otherwise, node);
    return firstPosition
               ? e.select(e.less(keyPosition, firstPosition), otherwise, node)
               : node;
  }
  /// The position of the first key of the query's window, chunk and document.
  Node *buildFirst();
  /// `node`, or zero where it is -inf: a bias may mask a whole row.
  Node *finite(Node *node);
  /// The maximum score; 0 where a bias makes it -inf, kLowest where the causal
  /// mask excludes all keys.
  Node *buildMax() {
    Node *score = unlessMasked(scaled, e.constant(e.f32(), kLowest));
    return finite(e.reduceMax(score, length));
  }
  Node *dropped(Node *probabilities) {
    return kept ? e.mul(probabilities, kept) : probabilities;
  }
  Node *once(int name, llvm::function_ref<Node *()> make) {
    return e.once(op, name, make);
  }
};
} // namespace

template <typename Op>
MaskedRow<Op>::MaskedRow(ExprBuilder &e, Op op, AffineExpr row) : e(e), op(op) {
  auto shape = nn::tensorType(op.getScores()).getShape();
  length = shape[3];
  whole = {row, length};
  perRow = {row, 0};
  indices = delinearize(row, shape.take_front(3));
  zero = e.constant(e.f32(), 0);
  queryPosition = e.convert(e.build(op.getQPos(), {indices[2], 0}), e.i32());
  keyPosition =
      e.convert(e.build(op.getKPos(), {e.affine(0), length}), e.i32());
  if (nn::VisibleKeys(op).isBounded() || op.getStarts())
    firstPosition = once(5, [&] { return buildFirst(); });
  if (double p = op.getP().convertToDouble(); p > 0)
    kept = once(0, [&] { return buildKept(p); });
  scaled = buildScaled();
}

template <typename Op>
Node *MaskedRow<Op>::buildFirst() {
  nn::VisibleKeys mask(op);
  Node *start = nullptr;
  if (Value starts = op.getStarts()) {
    AffineExpr place =
        linearize({indices[0], indices[2]}, nn::tensorType(starts).getShape(),
                  op.getContext());
    start = e.convert(e.build(starts, {place, 0}), e.i32());
    if (!mask.isBounded())
      return start;
  }
  SmallVector<Node *> inputs = {queryPosition};
  if (start)
    inputs.push_back(start);
  return e.op(e.i32(), inputs, 3, [=](ScalarBuilder &b, ValueRange v) -> Value {
    Value first = buildFirstKey(b, mask, v[0]);
    return v.size() > 1 ? arith::MaxSIOp::create(b, first, v[1]).getResult()
                        : first;
  });
}

template <typename Op>
Node *MaskedRow<Op>::buildKept(double p) {
  auto read = [&](Value operand, AffineExpr row) {
    return e.convert(e.build(operand, {row, 0}), e.i32());
  };
  Node *key = e.randomKey(op.getSeed(), op.getStep(), op.getId());
  key = e.randomAdd(key, read(op.getSamples(), indices[0]));
  Node *head = e.convert(e.rowIndex(indices[1]), e.i32());
  if (op.getHeadOrigin())
    head = e.add(head, read(op.getHeadOrigin(), e.affine(0)));
  key = e.randomAdd(e.randomAdd(key, head), queryPosition);
  Node *bits = e.randomAdd(key, keyPosition);
  uint32_t threshold = nn::dropThreshold(p);
  Node *isDropped = e.op(
      IntegerType::get(op.getContext(), 1), {bits}, 1,
      [=](ScalarBuilder &b, ValueRange v) -> Value {
        Value bound =
            arith::ConstantOp::create(b, b.getI32IntegerAttr(threshold));
        return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, v[0], bound);
      });
  return e.select(isDropped, zero, e.constant(e.f32(), 1 / (1 - p)));
}

template <typename Op>
Node *MaskedRow<Op>::buildScaled() {
  Node *x = e.convert(e.build(op.getScores(), whole), e.f32());
  Node *product = e.mul(x, op.getScale().convertToDouble());
  Value bias = op.getBias();
  if (!bias)
    return product;
  Access access = biasAccess(bias, indices, length);
  return e.add(product, e.convert(e.build(bias, access), e.f32()));
}

template <typename Op>
Node *MaskedRow<Op>::finite(Node *node) {
  if (!op.getBias() || !node)
    return node;
  Node *lowest = e.constant(e.f32(), -std::numeric_limits<double>::infinity());
  return e.op(e.f32(), {node, lowest, zero}, 2,
              [](ScalarBuilder &b, ValueRange v) -> Value {
                Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ,
                                                   v[0], v[1]);
                return arith::SelectOp::create(b, none, v[2], v[0]);
              });
}

/// Probabilities (result 0), the log of the sum of exponentials (1; with a
/// bias, relative to the maximum score) or the maximum score (2).
static Node *buildSoftmax(MaskedRow<nn::MaskedSoftmaxOp> row, unsigned result) {
  ExprBuilder &e = row.e;
  Node *sink = nullptr;
  if (Value sinks = row.op.getSinks())
    sink = e.convert(e.build(sinks, {row.indices[1], 0}), e.f32());
  Node *max = row.once(1, [&] {
    Node *most = row.buildMax();
    return sink ? e.select(e.less(most, sink), sink, most) : most;
  });
  Node *weight = row.once(2, [&] {
    return row.unlessMasked(e.exp(e.sub(row.scaled, max)), row.zero);
  });
  Node *sum = row.once(3, [&] {
    Node *ofKeys = e.sumRow(weight, row.length);
    return sink ? e.add(ofKeys, e.exp(e.sub(sink, max))) : ofKeys;
  });
  auto unlessNone = [&](Node *node) {
    return e.op(e.f32(), {sum, node, row.zero}, 2,
                [](ScalarBuilder &b, ValueRange v) -> Value {
                  Value any = arith::CmpFOp::create(
                      b, arith::CmpFPredicate::UGT, v[0], v[2]);
                  return arith::SelectOp::create(b, any, v[1], v[2]);
                });
  };
  if (result == 2)
    return unlessNone(max);
  if (result == 1)
    return row.op.getBias() ? e.log(sum) : e.add(max, e.log(sum));
  // A fully masked row has probabilities of zero.
  Node *inverse = row.once(
      4, [&] { return unlessNone(e.div(e.constant(e.f32(), 1), sum)); });
  return row.dropped(e.mul(weight, inverse));
}

/// The recomputed probabilities (result 0), or the scores' cotangent (1).
static Node *buildSoftmaxGrad(MaskedRow<nn::MaskedSoftmaxGradOp> row,
                              unsigned result) {
  ExprBuilder &e = row.e;
  nn::MaskedSoftmaxGradOp op = row.op;
  Node *probs = row.once(1, [&] {
    Node *over = op.getMax()
                     ? e.sub(row.scaled, e.build(op.getMax(), row.perRow))
                     : row.scaled;
    Node *lse = row.finite(e.build(op.getLse(), row.perRow));
    return row.unlessMasked(e.exp(e.sub(over, lse)), row.zero);
  });
  if (result == 0)
    return row.dropped(probs);
  Node *dProbs = e.convert(e.build(op.getDProbs(), row.whole), e.f32());
  if (row.kept)
    dProbs = row.once(2, [&] { return e.mul(dProbs, row.kept); });
  Node *dot =
      row.once(3, [&] { return e.sumRow(e.mul(probs, dProbs), row.length); });
  return e.mul(e.mul(probs, e.sub(dProbs, dot)),
               op.getScale().convertToDouble());
}

Node *ExprBuilder::buildAttention(OpResult value, Access access) {
  Operation *owner = value.getOwner();
  int64_t length = nn::tensorType(owner->getOperand(0)).getShape()[3];
  if (!isWholeRow(value, access, length))
    return nullptr;
  unsigned result = value.getResultNumber();
  Node *node;
  if (auto op = dyn_cast<nn::MaskedSoftmaxOp>(owner))
    node = buildSoftmax({*this, op, access.row}, result);
  else
    node = buildSoftmaxGrad(
        {*this, cast<nn::MaskedSoftmaxGradOp>(owner), access.row}, result);
  return round(node, nn::tensorType(value).getElementType());
}
