//===- ExprElementwise.cpp - Elementwise ops ------------------------------===//
//
// The formula of each elementwise op, in terms of ExprBuilder's arithmetic;
// test/Passes/Codegen/Kernels/elementwise.mlir shows the resulting code. f16
// and bf16 are computed in f32 and rounded at the end of each op, as if the
// value had been stored.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/Random.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// max and min: the lhs wins ties. If the rhs is NaN, the result is the lhs.
static Node *pick(ExprBuilder &e, Node *a, Node *b, bool isMax) {
  if (!a || !b)
    return nullptr;
  return e.op(a->type, {a, b}, 2, [=](ScalarBuilder &b, ValueRange v) -> Value {
    Value better;
    if (isa<FloatType>(v[0].getType()))
      better = arith::CmpFOp::create(
          b, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT,
          v[1], v[0]);
    else if (v[0].getType().isInteger(1))
      better = arith::CmpIOp::create(
          b, isMax ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult,
          v[1], v[0]);
    else
      better = arith::CmpIOp::create(
          b, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt,
          v[1], v[0]);
    return arith::SelectOp::create(b, better, v[1], v[0]);
  });
}

/// Whether x > 0, an i1.
static Node *positive(ExprBuilder &e, Node *x, MLIRContext *context) {
  if (!x)
    return nullptr;
  return e.op(
      IntegerType::get(context, 1), {x}, 1,
      [](ScalarBuilder &b, ValueRange v) -> Value {
        Value zero =
            arith::ConstantOp::create(b, b.getFloatAttr(v[0].getType(), 0.0));
        return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, v[0], zero);
      });
}

static Node *sigmoid(ExprBuilder &e, Node *x) {
  if (!x)
    return nullptr;
  Node *one = e.constant(x->type, 1);
  return e.div(one, e.add(e.exp(e.mul(x, -1.0)), one));
}

static Node *erf(ExprBuilder &e, Node *x) {
  if (!x)
    return nullptr;
  return e.op(x->type, {x}, 24, [](ScalarBuilder &b, ValueRange v) -> Value {
    return math::ErfOp::create(b, v[0]);
  });
}

/// A unary op of the math dialect.
template <typename MathOp>
static Node *function(ExprBuilder &e, Node *x, int cost) {
  return e.op(x->type, {x}, cost, [](ScalarBuilder &b, ValueRange v) -> Value {
    return MathOp::create(b, v[0]);
  });
}

static Node *remainder(ExprBuilder &e, Node *x, Node *y) {
  return e.op(x->type, {x, y}, 20, [](ScalarBuilder &b, ValueRange v) -> Value {
    if (isa<FloatType>(v[0].getType()))
      return arith::RemFOp::create(b, v[0], v[1]);
    return arith::RemSIOp::create(b, v[0], v[1]);
  });
}

static constexpr double kSqrt2OverPi = 0.79788456080286535588;
static constexpr double kSqrtHalf = 0.70710678118654752440;
static constexpr double kInvSqrt2Pi = 0.39894228040143267794;
static constexpr double kGeluCubic = 0.044715;

/// The tanh of the GELU approximation.
static Node *geluTanh(ExprBuilder &e, Node *x) {
  Node *square = e.mul(x, x);
  Node *inner = e.mul(x, e.add(e.mul(square, kGeluCubic), 1.0));
  return e.tanh(e.mul(inner, kSqrt2OverPi));
}

static Node *gelu(ExprBuilder &e, Node *x, bool tanh) {
  Node *t = tanh ? geluTanh(e, x) : erf(e, e.mul(x, kSqrtHalf));
  return e.mul(e.mul(x, 0.5), e.add(t, 1.0));
}

static Node *geluGrad(ExprBuilder &e, Node *dy, Node *x, bool tanh) {
  if (!tanh) {
    Node *phi = e.mul(e.add(erf(e, e.mul(x, kSqrtHalf)), 1.0), 0.5);
    Node *density = e.mul(e.exp(e.mul(e.mul(x, x), -0.5)), kInvSqrt2Pi);
    return e.mul(dy, e.add(phi, e.mul(x, density)));
  }
  Node *t = geluTanh(e, x);
  Node *slope =
      e.mul(e.add(e.mul(e.mul(x, x), 3 * kGeluCubic), 1.0), kSqrt2OverPi);
  if (!t)
    return nullptr;
  Node *sech2 = e.sub(e.constant(t->type, 1), e.mul(t, t));
  Node *left = e.mul(e.add(t, 1.0), 0.5);
  Node *right = e.mul(e.mul(e.mul(x, 0.5), sech2), slope);
  return e.mul(dy, e.add(left, right));
}

Node *ExprBuilder::buildDropout(nn::DropoutOp op, Access access) {
  auto shape = nn::tensorType(op.getInput()).getShape();
  int64_t lead = leadingDims(shape, access.extent);
  if (lead < 0)
    return fail(op, "its dims do not fit the rows");
  auto rows = delinearize(access.row, shape.take_front(lead));
  Node *key = randomKey(op.getSeed(), op.getStep(), op.getId());
  int64_t stride = access.extent;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    bool isBatch = dim == static_cast<int64_t>(op.getBatchDim());
    bool isSeq = dim == static_cast<int64_t>(op.getSeqDim());
    Node *coordinate;
    if (isBatch || isSeq) {
      if (dim >= lead)
        return fail(op, "the batch or sequence is among the columns");
      coordinate =
          build(isBatch ? op.getSamples() : op.getPositions(), {rows[dim], 0});
    } else {
      if (dim < lead) {
        coordinate = convert(rowIndex(rows[dim]), i32());
      } else {
        stride /= shape[dim];
        coordinate = convert(column(access.extent), i32());
        int64_t divisor = stride, size = shape[dim];
        if (stride > 1 || dim > lead)
          coordinate = this->op(
              i32(), {coordinate}, 8,
              [=](ScalarBuilder &b, ValueRange v) -> Value {
                auto word = [&](int64_t value) -> Value {
                  return arith::ConstantOp::create(b,
                                                   b.getI32IntegerAttr(value));
                };
                Value quotient = arith::DivUIOp::create(b, v[0], word(divisor));
                return arith::RemUIOp::create(b, quotient, word(size));
              });
      }
      if (op.getOrigin())
        coordinate =
            add(coordinate,
                convert(build(op.getOrigin(), {affine(dim), 0}), i32()));
    }
    key = randomAdd(key, convert(coordinate, i32()));
    if (!key)
      return nullptr;
  }
  double p = op.getP().convertToDouble();
  uint32_t threshold = nn::dropThreshold(p);
  Node *dropped = this->op(
      IntegerType::get(context, 1), {key}, 1,
      [=](ScalarBuilder &b, ValueRange v) -> Value {
        Value bound =
            arith::ConstantOp::create(b, b.getI32IntegerAttr(threshold));
        return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, v[0], bound);
      });
  Node *input = build(op.getInput(), access);
  if (!input)
    return nullptr;
  Node *kept = mul(input, 1.0 / (1.0 - p));
  return round(select(dropped, constant(input->type, 0), kept),
               nn::tensorType(op.getInput()).getElementType());
}

Node *ExprBuilder::buildElementwise(Operation *op, Access access) {
  if (auto dropout = dyn_cast<nn::DropoutOp>(op))
    return buildDropout(dropout, access);
  if (!op->getNumResults())
    return fail(op, "has no form in a kernel");
  SmallVector<Node *> in;
  for (Value operand : op->getOperands()) {
    in.push_back(build(operand, access));
    if (!in.back())
      return nullptr;
  }
  Type element = nn::tensorType(op->getResult(0)).getElementType();
  Node *node =
      llvm::TypeSwitch<Operation *, Node *>(op)
          .Case<nn::SumOp>([&](auto) -> Node * {
            Node *sum = in[0];
            for (Node *other : ArrayRef<Node *>(in).drop_front())
              sum = add(sum, other);
            return sum;
          })
          .Case<nn::SubOp>([&](auto) { return sub(in[0], in[1]); })
          .Case<nn::MulOp>([&](auto) { return mul(in[0], in[1]); })
          .Case<nn::DivOp>([&](auto) { return div(in[0], in[1]); })
          .Case<nn::MaxOp>(
              [&](auto) { return pick(*this, in[0], in[1], true); })
          .Case<nn::MinOp>(
              [&](auto) { return pick(*this, in[0], in[1], false); })
          .Case<nn::ExpOp>([&](auto) { return exp(in[0]); })
          .Case<nn::LogOp>([&](auto) { return log(in[0]); })
          .Case<nn::SqrtOp>([&](auto) { return sqrt(in[0]); })
          .Case<nn::TanhOp>([&](auto) { return tanh(in[0]); })
          .Case<nn::ErfOp>([&](auto) { return erf(*this, in[0]); })
          .Case<nn::SinOp>(
              [&](auto) { return function<math::SinOp>(*this, in[0], 32); })
          .Case<nn::CosOp>(
              [&](auto) { return function<math::CosOp>(*this, in[0], 32); })
          .Case<nn::FloorOp>(
              [&](auto) { return function<math::FloorOp>(*this, in[0], 1); })
          .Case<nn::RoundOp>([&](auto) {
            return function<math::RoundEvenOp>(*this, in[0], 1);
          })
          .Case<nn::PowOp>([&](auto) { return power(in[0], in[1]); })
          .Case<nn::RemOp>([&](auto) { return remainder(*this, in[0], in[1]); })
          .Case<nn::CompareOp>([&](nn::CompareOp compared) {
            return compare(compared.getRelation(), in[0], in[1]);
          })
          .Case<nn::WhereOp>([&](auto) { return select(in[0], in[1], in[2]); })
          .Case<nn::SigmoidOp>([&](auto) { return sigmoid(*this, in[0]); })
          .Case<nn::ReluOp>([&](auto) -> Node * {
            Node *zero = constant(in[0]->type, 0);
            return pick(*this, in[0], zero, true);
          })
          .Case<nn::SiluOp>(
              [&](auto) { return mul(in[0], sigmoid(*this, in[0])); })
          .Case<nn::ReluGradOp>([&](auto) -> Node * {
            return select(positive(*this, in[1], context), in[0],
                          constant(in[0]->type, 0));
          })
          .Case<nn::SiluGradOp>([&](auto) -> Node * {
            // s + x s (1 - s)
            Node *s = sigmoid(*this, in[1]);
            Node *rest = mul(mul(in[1], s), sub(constant(s->type, 1), s));
            return mul(in[0], add(s, rest));
          })
          .Case<nn::GeluOp>([&](nn::GeluOp gelu) {
            return ::gelu(*this, in[0], gelu.getTanh());
          })
          .Case<nn::GeluGradOp>([&](nn::GeluGradOp gelu) {
            return geluGrad(*this, in[0], in[1], gelu.getTanh());
          })
          .Case<nn::ScaleOp>([&](nn::ScaleOp scale) {
            return mul(in[0], scale.getFactor().convertToDouble());
          })
          .Case<nn::CastOp>(
              [&](auto) { return convert(in[0], computeType(element)); })
          .Default([&](Operation *op) {
            return fail(op, "has no form in a kernel");
          });
  return round(node, element);
}
