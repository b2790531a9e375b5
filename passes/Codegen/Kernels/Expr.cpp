//===- Expr.cpp - Scalar expressions --------------------------------------===//
//
// The common part of all ops: leaves, conversions, arithmetic with costs, and
// the entry point `build`. It dispatches to ExprElementwise, ExprShape (ops
// that move elements), ExprOptimizer, ExprRows (reductions along rows),
// ExprRouting (choice of elements of rows), ExprLoss and ExprAttention;
// RowProgram.cpp calls ExprRope. Expressions are memoized by (value, point), so
// a value with two uses is computed once.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Expr.h"
#include "dialects/NN/Random.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

int64_t codegen::numElements(Value value) {
  return nn::tensorType(value).getNumElements();
}

Node *ExprBuilder::fail(Operation *op, StringRef reason) {
  if (why.empty())
    why = (op->getName().getStringRef() + ": " + reason).str();
  return nullptr;
}

Type ExprBuilder::computeType(Type element) {
  if (element.isF16() || element.isBF16())
    return f32();
  return element;
}

int ExprBuilder::argumentOf(Value value) {
  auto it = llvm::find(arguments, value);
  return it == arguments.end() ? -1 : it - arguments.begin();
}

Node *ExprBuilder::leaf(unsigned argument, Value value, Access access) {
  Type element = nn::tensorType(value).getElementType();
  Node node{Node::Kind::Leaf, computeType(element)};
  node.extent = access.extent;
  node.cost = 1;
  node.argument = argument;
  node.row = access.row;
  return program.add(std::move(node));
}

Node *ExprBuilder::op(Type type, ArrayRef<Node *> operands, int cost,
                      Node::Build build) {
  Node node{Node::Kind::Op, type};
  for (Node *operand : operands) {
    if (!operand)
      return nullptr;
    if (operand->extent && node.extent && operand->extent != node.extent) {
      if (why.empty())
        why = "it combines rows of different lengths";
      return nullptr;
    }
    node.extent = std::max(node.extent, operand->extent);
    node.level = std::max(node.level, operand->level);
    if (operand->extent)
      cost += operand->cost;
    node.operands.push_back(operand);
  }
  node.cost = cost;
  node.build = std::move(build);
  return program.add(std::move(node));
}

Node *ExprBuilder::once(Operation *op, int name,
                        llvm::function_ref<Node *()> make) {
  if (Node *known = shared.lookup({op, name}))
    return known;
  // `make` may insert into the map, so no reference into it is held.
  Node *node = make();
  shared[{op, name}] = node;
  return node;
}

Node *ExprBuilder::constant(Type type, double value) {
  return op(type, {}, 0, [=](ScalarBuilder &b, ValueRange) -> Value {
    if (auto floatType = dyn_cast<FloatType>(type))
      return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(type, static_cast<int64_t>(value)));
  });
}

Node *ExprBuilder::constantInt(Type type, uint64_t value) {
  return op(type, {}, 0, [=](ScalarBuilder &b, ValueRange) -> Value {
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(type, APInt(width, value, /*isSigned=*/false,
                                        /*implicitTrunc=*/true)));
  });
}

template <typename FloatOp, typename IntOp>
static Node *binary(ExprBuilder &e, Node *a, Node *b, int cost = 1) {
  if (!a || !b)
    return nullptr;
  return e.op(a->type, {a, b}, cost,
              [](ScalarBuilder &b, ValueRange v) -> Value {
                if (isa<FloatType>(v[0].getType()))
                  return FloatOp::create(b, v[0], v[1]);
                return IntOp::create(b, v[0], v[1]);
              });
}

Node *ExprBuilder::add(Node *a, Node *b) {
  return binary<arith::AddFOp, arith::AddIOp>(*this, a, b);
}
Node *ExprBuilder::sub(Node *a, Node *b) {
  return binary<arith::SubFOp, arith::SubIOp>(*this, a, b);
}
Node *ExprBuilder::mul(Node *a, Node *b) {
  return binary<arith::MulFOp, arith::MulIOp>(*this, a, b);
}
Node *ExprBuilder::div(Node *a, Node *b) {
  return binary<arith::DivFOp, arith::DivSIOp>(*this, a, b, 4);
}

template <typename MathOp>
static Node *unary(ExprBuilder &e, Node *a, int cost) {
  if (!a)
    return nullptr;
  return e.op(a->type, {a}, cost, [](ScalarBuilder &b, ValueRange v) -> Value {
    return MathOp::create(b, v[0]);
  });
}

Node *ExprBuilder::exp(Node *a) { return unary<math::ExpOp>(*this, a, 16); }
Node *ExprBuilder::log(Node *a) { return unary<math::LogOp>(*this, a, 16); }
Node *ExprBuilder::tanh(Node *a) { return unary<math::TanhOp>(*this, a, 16); }
Node *ExprBuilder::sqrt(Node *a) { return unary<math::SqrtOp>(*this, a, 4); }

Node *ExprBuilder::power(Node *x, Node *y) {
  return op(x->type, {x, y}, 40, [](ScalarBuilder &b, ValueRange v) -> Value {
    return math::PowFOp::create(b, v[0], v[1]);
  });
}

Node *ExprBuilder::select(Node *condition, Node *a, Node *b) {
  if (!a)
    return nullptr;
  return op(a->type, {condition, a, b}, 1,
            [](ScalarBuilder &b, ValueRange v) -> Value {
              return arith::SelectOp::create(b, v[0], v[1], v[2]);
            });
}

Node *ExprBuilder::less(Node *a, Node *b) {
  return compare(nn::Relation::Less, a, b);
}
Node *ExprBuilder::equal(Node *a, Node *b) {
  return compare(nn::Relation::Equal, a, b);
}

Node *ExprBuilder::compare(nn::Relation relation, Node *a, Node *b) {
  return op(
      IntegerType::get(context, 1), {a, b}, 1,
      [=](ScalarBuilder &b, ValueRange v) -> Value {
        bool isEqual = relation == nn::Relation::Equal;
        bool isLess = relation == nn::Relation::Less;
        if (isa<FloatType>(v[0].getType()))
          return arith::CmpFOp::create(b,
                                       isEqual  ? arith::CmpFPredicate::OEQ
                                       : isLess ? arith::CmpFPredicate::OLT
                                                : arith::CmpFPredicate::OLE,
                                       v[0], v[1]);
        // Bools compare unsigned: a set bool is -1 as a signed 1-bit integer.
        if (v[0].getType().isInteger(1))
          return arith::CmpIOp::create(b,
                                       isEqual  ? arith::CmpIPredicate::eq
                                       : isLess ? arith::CmpIPredicate::ult
                                                : arith::CmpIPredicate::ule,
                                       v[0], v[1]);
        return arith::CmpIOp::create(b,
                                     isEqual  ? arith::CmpIPredicate::eq
                                     : isLess ? arith::CmpIPredicate::slt
                                              : arith::CmpIPredicate::sle,
                                     v[0], v[1]);
      });
}

Value codegen::convertScalar(ScalarBuilder &b, Value v, Type to) {
  Type from = v.getType();
  if (from == to)
    return v;
  if (auto toFloat = dyn_cast<FloatType>(to)) {
    if (auto fromFloat = dyn_cast<FloatType>(from)) {
      if (fromFloat.getWidth() < toFloat.getWidth())
        return arith::ExtFOp::create(b, to, v);
      return arith::TruncFOp::create(b, to, v);
    }
    if (from.isIndex())
      v = arith::IndexCastOp::create(b, b.getI64Type(), v);
    if (v.getType().isInteger(1))
      return arith::UIToFPOp::create(b, to, v);
    return arith::SIToFPOp::create(b, to, v);
  }
  // A number converts to a bool by comparison with zero.
  if (to.isInteger(1)) {
    if (isa<FloatType>(from)) {
      Value zero = arith::ConstantOp::create(b, b.getFloatAttr(from, 0.0));
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, v, zero);
    }
    Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(from, 0));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, v, zero);
  }
  if (isa<FloatType>(from)) {
    Type integer = to.isIndex() ? b.getI64Type() : to;
    v = arith::FPToSIOp::create(b, integer, v);
    from = integer;
    if (from == to)
      return v;
  }
  if (from.isIndex() || to.isIndex())
    return arith::IndexCastOp::create(b, to, v);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, to, v);
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, to, v);
  return arith::ExtSIOp::create(b, to, v);
}

Node *ExprBuilder::convert(Node *a, Type type) {
  if (!a || a->type == type)
    return a;
  return op(type, {a}, 1, [=](ScalarBuilder &b, ValueRange v) -> Value {
    return convertScalar(b, v[0], type);
  });
}

Node *ExprBuilder::round(Node *a, Type element) {
  if (!a || computeType(element) == element)
    return a;
  return op(a->type, {a}, 2, [=](ScalarBuilder &b, ValueRange v) -> Value {
    return convertScalar(b, convertScalar(b, v[0], element), v[0].getType());
  });
}

Node *ExprBuilder::column(int64_t extent) {
  Node *&known = columnNodes[extent];
  if (!known) {
    Node node{Node::Kind::Column, index()};
    node.extent = extent;
    known = program.add(std::move(node));
  }
  return known;
}

Node *ExprBuilder::rowIndex(AffineExpr row) {
  Node node{Node::Kind::Row, index()};
  node.row = row;
  return program.add(std::move(node));
}

Node *ExprBuilder::reduceBy(Node *a, int64_t length, Combiner join,
                            double scale) {
  if (!a)
    return nullptr;
  Node node{Node::Kind::Reduce, a->type, {a}};
  node.level = a->level + 1;
  node.length = length;
  node.join = join;
  node.scale = scale;
  return program.add(std::move(node));
}

Node *ExprBuilder::lookUp(ArrayRef<int64_t> table, Node *number) {
  if (llvm::all_equal(table))
    return constantInt(index(), table.front());
  auto type = RankedTensorType::get({static_cast<int64_t>(table.size())},
                                    IntegerType::get(context, 64));
  program.constants.push_back(DenseElementsAttr::get(type, table));
  Node gather{Node::Kind::Gather, type.getElementType(), {number}};
  gather.cost = 1;
  gather.argument = RowProgram::kFirstConstant + program.constants.size() - 1;
  gather.level = number->level;
  return convert(program.add(std::move(gather)), index());
}

Node *ExprBuilder::randomMix(Node *hash) {
  return op(i32(), {hash}, 8, [](ScalarBuilder &b, ValueRange v) -> Value {
    auto word = [&](uint32_t value) -> Value {
      return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
    };
    auto fold = [&](Value h, unsigned shift) -> Value {
      return arith::XOrIOp::create(b, h,
                                   arith::ShRUIOp::create(b, h, word(shift)));
    };
    Value h = fold(v[0], 16);
    h = arith::MulIOp::create(b, h, word(nn::kRandomMul1));
    h = fold(h, 13);
    h = arith::MulIOp::create(b, h, word(nn::kRandomMul2));
    return fold(h, 16);
  });
}

Node *ExprBuilder::randomAdd(Node *key, Node *coordinate) {
  Node *scaled = mul(coordinate, constantInt(i32(), nn::kRandomWeyl));
  Node *shifted = add(scaled, constantInt(i32(), nn::kRandomMul1));
  return randomMix(
      op(i32(), {key, shifted}, 1, [](ScalarBuilder &b, ValueRange v) -> Value {
        return arith::XOrIOp::create(b, v[0], v[1]);
      }));
}

Node *ExprBuilder::highHalf(Node *whole) {
  return op(i32(), {convert(whole, IntegerType::get(context, 64))}, 1,
            [](ScalarBuilder &b, ValueRange v) -> Value {
              Value shift =
                  arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
              Value shifted = arith::ShRUIOp::create(b, v[0], shift);
              return arith::TruncIOp::create(b, b.getI32Type(), shifted);
            });
}

Node *ExprBuilder::randomStepKey(Value seed, Value step) {
  Type i64 = IntegerType::get(context, 64);
  Node *wholeSeed = convert(build(seed, {affine(0), 0}), i64);
  Node *wholeStep = convert(build(step, {affine(0), 0}), i64);
  Node *key = randomMix(
      add(convert(wholeSeed, i32()), constantInt(i32(), nn::kRandomWeyl)));
  key = randomAdd(key, highHalf(wholeSeed));
  return randomAdd(key, convert(wholeStep, i32()));
}

Node *ExprBuilder::randomKey(Value seed, Value step, int64_t id) {
  return randomAdd(randomStepKey(seed, step),
                   add(highHalf(build(step, {affine(0), 0})),
                       constantInt(i32(), static_cast<uint32_t>(id))));
}

Node *ExprBuilder::build(Value value, Access access) {
  for (auto &[known, node] : memo[value])
    if (known == access)
      return node;
  Node *node = nullptr;
  if (int argument = argumentOf(value); argument >= 0)
    node = leaf(argument, value, access);
  else if (auto result = dyn_cast<OpResult>(value))
    node = buildOp(result, access);
  if (node)
    memo[value].push_back({access, node});
  return node;
}

Node *ExprBuilder::buildOp(OpResult value, Access access) {
  Operation *op = value.getOwner();
  bool sumsRows = program.shape == KernelShape::Columns ||
                  program.shape == KernelShape::Groups;
  if (sumsRows && isColumnSum(op)) {
    if (access.extent != program.columns || access.row != d0())
      return fail(op, "its sums are read in another order");
    return buildColumnSum(value, access.extent);
  }
  if (isa<nn::BroadcastOp, nn::ReshapeOp, nn::TransposeOp, nn::SelectOp,
          nn::InsertOp, nn::SliceOp, nn::PadOp, nn::ConcatOp, nn::ConstantOp,
          nn::EmbeddingOp>(op))
    return buildShape(op, access);
  if (isa<nn::TopKOp, nn::PickOp, nn::SpreadOp>(op))
    return buildRouting(op, access);
  if (isa<nn::AdamWOp, nn::SgdOp>(op))
    return buildOptimizer(value, access);
  if (auto bits = dyn_cast<nn::RoundingBitsOp>(op))
    return buildRoundingBits(bits, access);
  if (isa<nn::CrossEntropyOp, nn::CrossEntropyGradOp, nn::RowMaxOp,
          nn::CrossEntropyStatsOp, nn::CrossEntropyLossOp, nn::ValidOp>(op))
    return buildLoss(value, access);
  if (isa<nn::MaskedSoftmaxOp, nn::MaskedSoftmaxGradOp>(op))
    return buildAttention(value, access);
  if (isa<nn::SoftmaxOp, nn::SoftmaxGradOp, nn::LayerNormOp,
          nn::LayerNormGradOp, nn::RmsNormOp, nn::RmsNormGradOp, nn::ReduceOp,
          nn::ReduceMaxOp, nn::ReduceMinOp, nn::ReduceProdOp,
          nn::SumOfSquaresOp>(op))
    return buildRows(value, access);
  return buildElementwise(op, access);
}
