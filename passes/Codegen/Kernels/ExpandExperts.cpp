//===- ExpandExperts.cpp - Experts as routed rows and grouped products ----===//
//
// Each choice of a token becomes a row; rows are ordered by expert, so the
// products of an expert are one GEMM:
//
//     tokens .. = route(ids)         u = rows of x times w1 by ends
//     a = act(u)                     z = rows of a times w2 by ends
//     y = sum over choices of gate times row of z
//
// The backward pass routes again and computes u again: nothing routed is kept.
//
//===----------------------------------------------------------------------===//

#include "dialects/Dist/Layout.h"
#include "dialects/NN/Location.h"
#include "dialects/NN/NN.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"
#include "passes/Codegen/Kernels/Passes.h"
#include <limits>

namespace pcc {
#define GEN_PASS_DEF_NNEXPANDEXPERTSPASS
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// Emits the pieces of nn.experts or its gradient.
template <typename Op>
struct ExpertsExpander {
  Op op;
  OpBuilder builder;
  Location loc;
  /// Tokens, choices of a token, routed rows, experts, and the widths of the
  /// MLP.
  int64_t tokens, choices, rows, experts, h, f;
  bool isGated;
  /// The element types of operands, and of sums: f32 or wider.
  Type element, wide;
  nn::RouteOp route;

  explicit ExpertsExpander(Op op)
      : op(op), builder(op), loc(op.getLoc()), isGated(op.getParts() == 2),
        element(nn::tensorType(op.getX()).getElementType()) {
    auto w2 = nn::tensorType(op.getW2()).getShape();
    experts = w2[0], h = w2[1], f = w2[2];
    choices = op.getChoices();
    tokens = nn::tensorType(op.getIds()).getNumElements() / choices;
    rows = tokens * std::min(choices, experts);
    if (op.getRows())
      rows = std::min<int64_t>(rows, *op.getRows());
    wide =
        element.getIntOrFloatBitWidth() > 16 ? element : builder.getF32Type();
    auto ofRows = RankedTensorType::get({rows}, builder.getI32Type());
    auto ofPairs = nn::tensorType(op.getIds()).clone(builder.getI32Type());
    auto ends = RankedTensorType::get({experts}, builder.getI32Type());
    route = nn::RouteOp::create(builder, loc, ofRows, ofRows, ofRows, ofPairs,
                                ends, op.getIds(), op.getOffset());
  }

  RankedTensorType type(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    if (nn::tensorType(x).getShape() == shape)
      return x;
    return nn::ReshapeOp::create(builder, loc, nn::tensorType(x).clone(shape),
                                 x);
  }
  Value cast(Value x, Type to) {
    auto target = nn::tensorType(x).clone(to);
    return x.getType() == target
               ? x
               : nn::CastOp::create(builder, loc, target, x).getResult();
  }
  template <typename Binary>
  Value binary(Value x, Value y) {
    return Binary::create(builder, loc, x.getType(), x, y);
  }
  Value mul(Value x, Value y) { return binary<nn::MulOp>(x, y); }
  Value add(ValueRange terms) {
    return terms.size() == 1
               ? terms[0]
               : nn::SumOp::create(builder, loc, terms[0].getType(), terms)
                     .getResult();
  }
  Value scale(Value x, double factor) {
    return nn::ScaleOp::create(builder, loc, x.getType(), x,
                               builder.getF64FloatAttr(factor));
  }
  Value splat(Value like, double number) {
    auto of = nn::tensorType(like);
    Attribute value = builder.getFloatAttr(of.getElementType(), number);
    return nn::ConstantOp::create(builder, loc, of,
                                  DenseElementsAttr::get(of, value));
  }
  /// The rows of a table at ids: [ids.., columns..].
  Value take(Value ids, Value table) {
    SmallVector<int64_t> shape(nn::tensorType(ids).getShape());
    llvm::append_range(shape, nn::tensorType(table).getShape().drop_front());
    return nn::EmbeddingOp::create(
        builder, loc, nn::tensorType(table).clone(shape), ids, table, Value());
  }
  Value grouped(StringRef form, Value lhs, Value rhs, RankedTensorType result) {
    return nn::GroupedContractOp::create(builder, loc, result, form, lhs, rhs,
                                         route.getEnds());
  }
  /// w1 [e, p, f, h] as [e, p f, h].
  Value matrixOf(Value w1) {
    auto shape = nn::tensorType(w1).getShape();
    return reshape(w1, {experts, shape[1] * f, h});
  }

  /// The rows of a tensor [t.., h] by their tokens: [R, h].
  Value takeTokens(Value x) {
    return take(route.getTokens(), reshape(x, {tokens, h}));
  }
  /// w1 x + b1 of each row, by part: [R, f] each.
  SmallVector<Value> products(Value x) {
    SmallVector<Value> parts;
    for (auto [i, w1] : llvm::enumerate(op.getW1())) {
      int64_t count = nn::tensorType(w1).getDimSize(1);
      Value u = grouped("rk,enk->rn", x, matrixOf(w1),
                        type({rows, count * f}, element));
      if (!op.getB1().empty()) {
        Value b1 = reshape(op.getB1()[i], {experts, count * f});
        u = add({u, take(route.getExperts(), b1)});
      }
      Value split = reshape(u, {rows, count, f});
      for (int64_t part = 0; part < count; ++part)
        parts.push_back(count == 1 ? u
                                   : nn::SelectOp::create(
                                         builder, loc, type({rows, f}, element),
                                         split, 1, part)
                                         .getResult());
    }
    return parts;
  }
  /// The limited u[0] and u[1].
  Value limited(Value u, bool isSecond) {
    if (!op.getLimit())
      return u;
    double limit = op.getLimit()->convertToDouble();
    u = binary<nn::MinOp>(u, splat(u, limit));
    return isSecond ? binary<nn::MaxOp>(u, splat(u, -limit)) : u;
  }
  double alpha() { return op.getAlpha().convertToDouble(); }
  Value activation(Value u) {
    switch (op.getActivation()) {
    case nn::Activation::Silu:
      if (alpha() == 1)
        return nn::SiluOp::create(builder, loc, u.getType(), u);
      return mul(u, nn::SigmoidOp::create(builder, loc, u.getType(),
                                          scale(u, alpha())));
    case nn::Activation::Gelu:
    case nn::Activation::GeluTanh:
      return nn::GeluOp::create(builder, loc, u.getType(), u, isTanh());
    case nn::Activation::Relu:
      return nn::ReluOp::create(builder, loc, u.getType(), u);
    case nn::Activation::Relu2: {
      Value positive = nn::ReluOp::create(builder, loc, u.getType(), u);
      return mul(positive, positive);
    }
    }
    llvm_unreachable("all activations are handled");
  }
  /// d times the derivative of the activation at u.
  Value activationGrad(Value d, Value u) {
    switch (op.getActivation()) {
    case nn::Activation::Silu: {
      if (alpha() == 1)
        return nn::SiluGradOp::create(builder, loc, u.getType(), d, u);
      // With v = alpha u, the activation is silu(v) / alpha.
      return nn::SiluGradOp::create(builder, loc, u.getType(), d,
                                    scale(u, alpha()));
    }
    case nn::Activation::Gelu:
    case nn::Activation::GeluTanh:
      return nn::GeluGradOp::create(builder, loc, u.getType(), d, u, isTanh());
    case nn::Activation::Relu:
      return nn::ReluGradOp::create(builder, loc, u.getType(), d, u);
    case nn::Activation::Relu2:
      return mul(d, scale(nn::ReluOp::create(builder, loc, u.getType(), u), 2));
    }
    llvm_unreachable("all activations are handled");
  }
  bool isTanh() { return op.getActivation() == nn::Activation::GeluTanh; }
  /// u[1] + shift, limited.
  Value second(Value up) {
    up = limited(up, /*isSecond=*/true);
    double shift = op.getShift().convertToDouble();
    return shift == 0 ? up : add({up, splat(up, shift)});
  }
  /// act(u): [R, f].
  Value act(ArrayRef<Value> u) {
    Value a = activation(limited(u[0], /*isSecond=*/false));
    return isGated ? mul(a, second(u[1])) : a;
  }
  /// d where no limit applies to u, else 0: a limited value has no slope.
  Value unlimited(Value d, Value u, bool isSecond) {
    if (!op.getLimit())
      return d;
    Value isKept = nn::CompareOp::create(
        builder, loc, nn::CompareOp::getResultType(nn::tensorType(u)),
        nn::Relation::Equal, u, limited(u, isSecond));
    return nn::WhereOp::create(builder, loc, d.getType(), isKept, d,
                               splat(d, 0));
  }
  /// The cotangents of u, by part, from that of act(u).
  SmallVector<Value> actGrad(Value d, ArrayRef<Value> u) {
    Value first = limited(u[0], /*isSecond=*/false);
    Value dFirst = isGated ? mul(d, second(u[1])) : d;
    SmallVector<Value> all = {
        unlimited(activationGrad(dFirst, first), u[0], /*isSecond=*/false)};
    if (isGated)
      all.push_back(
          unlimited(mul(d, activation(first)), u[1], /*isSecond=*/true));
    return all;
  }
  /// The sums of rows [R, h] over the choices of each token: [t.., h], times
  /// the gates if given, as `result`.
  Value combine(Value x, Value gates, RankedTensorType result) {
    Value picked = take(route.getRows(), x);
    RankedTensorType pairs = nn::tensorType(picked);
    int64_t last = pairs.getRank() - 1;
    if (gates) {
      SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, last));
      Value weights = nn::BroadcastOp::create(
          builder, loc, pairs, cast(gates, pairs.getElementType()), dims);
      picked = mul(picked, weights);
    }
    Value sum =
        nn::ReduceOp::create(builder, loc, result.clone(pairs.getElementType()),
                             picked, ArrayRef<int64_t>{last - 1});
    return cast(sum, result.getElementType());
  }
  /// The gate of each row, as [R, columns].
  Value gatesOfRows(int64_t columns, Type element) {
    Value gates = reshape(op.getGates(), {tokens * choices, 1});
    Value taken = reshape(take(route.getPairs(), gates), {rows});
    return nn::BroadcastOp::create(builder, loc, type({rows, columns}, element),
                                   cast(taken, element), ArrayRef<int64_t>{0});
  }
  /// By how many of this rank's choices there are more than rows, f32 [].
  Value overflow() {
    auto scalar = type({}, builder.getF32Type());
    if (!op.getRows())
      return nn::ConstantOp::create(
          builder, loc, scalar,
          DenseElementsAttr::get(scalar, builder.getF32FloatAttr(0)));
    // Each pair counts 1 if its row would be one of this rank's experts.
    RankedTensorType pairs = nn::tensorType(op.getIds());
    auto ids = pairs.clone(builder.getI32Type());
    Value expert = cast(op.getIds(), builder.getI32Type());
    if (op.getOffset())
      expert = binary<nn::SubOp>(
          expert,
          nn::BroadcastOp::create(builder, loc, ids,
                                  cast(op.getOffset(), builder.getI32Type()),
                                  ArrayRef<int64_t>()));
    auto number = [&](RankedTensorType of, double value) -> Value {
      Type element = of.getElementType();
      TypedAttr one =
          isa<FloatType>(element)
              ? TypedAttr(builder.getFloatAttr(element, value))
              : TypedAttr(builder.getIntegerAttr(element, int64_t(value)));
      return nn::ConstantOp::create(builder, loc, of,
                                    DenseElementsAttr::get(of, one));
    };
    auto less = [&](Value x, Value y) -> Value {
      return nn::CompareOp::create(
          builder, loc, nn::CompareOp::getResultType(nn::tensorType(x)),
          nn::Relation::Less, x, y);
    };
    auto where = [&](Value condition, Value x, Value y) -> Value {
      return nn::WhereOp::create(builder, loc, x.getType(), condition, x, y);
    };
    auto counted = pairs.clone(builder.getF32Type());
    Value one = number(counted, 1), none = number(counted, 0);
    Value own =
        where(less(expert, number(ids, 0)), none,
              where(less(expert, number(ids, double(experts))), one, none));
    Value count = nn::ReduceOp::create(
        builder, loc, scalar, own,
        llvm::to_vector(llvm::seq<int64_t>(0, pairs.getRank())));
    Value over = add({count, number(scalar, -double(rows))});
    return binary<nn::MaxOp>(over, number(scalar, 0));
  }
  /// y, or NaN if there is an overflow.
  Value unlessOver(Value y, Value overflow) {
    auto of = nn::tensorType(y);
    Value isOver = nn::CompareOp::create(
        builder, loc, nn::CompareOp::getResultType(nn::tensorType(overflow)),
        nn::Relation::Less, splat(overflow, 0), overflow);
    Value everywhere =
        nn::BroadcastOp::create(builder, loc, nn::CompareOp::getResultType(of),
                                isOver, ArrayRef<int64_t>());
    return nn::WhereOp::create(
        builder, loc, of, everywhere,
        splat(y, std::numeric_limits<double>::quiet_NaN()), y);
  }
  /// Replaces a result, whose computation gets its sharding.
  void replace(Value result, Value by) {
    if (Operation *made = by.getDefiningOp())
      if (auto sharding = dist::getSharding(result))
        dist::setShardings(made, sharding);
    result.replaceAllUsesWith(by);
  }
};

void expand(nn::ExpertsOp op) {
  ExpertsExpander<nn::ExpertsOp> x(op);
  Value a = x.act(x.products(x.takeTokens(op.getX())));
  Value z =
      x.grouped("rk,enk->rn", a, op.getW2(), x.type({x.rows, x.h}, x.wide));
  Value y = x.combine(z, op.getGates(), nn::tensorType(op.getResult()));
  if (op.getOverflow()) {
    Value overflow = x.overflow();
    if (op.getRows())
      y = x.unlessOver(y, overflow);
    x.replace(op.getOverflow(), overflow);
  }
  x.replace(op.getResult(), y);
  op.erase();
}

/// Only results with uses are computed.
void expand(nn::ExpertsGradOp op) {
  ExpertsExpander<nn::ExpertsGradOp> x(op);
  auto isUsed = [](Value value) { return !value.use_empty(); };
  Value rowsOfX = x.takeTokens(op.getX());
  SmallVector<Value> u = x.products(rowsOfX);
  Value a = x.act(u), dy = x.takeTokens(op.getDy());
  bool needsInput =
      isUsed(op.getDx()) || llvm::any_of(op.getDweights().drop_back(), isUsed);
  if (isUsed(op.getDw2())) {
    Value weighted = x.mul(a, x.gatesOfRows(x.f, x.element));
    x.replace(op.getDw2(), x.grouped("rn,rk->enk", dy, weighted,
                                     nn::tensorType(op.getDw2())));
  }
  // The cotangent of act(u), without the gate.
  Value back;
  if (needsInput || isUsed(op.getDgates()))
    back =
        x.grouped("rn,enk->rk", dy, op.getW2(), x.type({x.rows, x.f}, x.wide));
  if (isUsed(op.getDgates())) {
    Value dots = nn::ReduceOp::create(
        x.builder, x.loc, x.type({x.rows}, x.wide),
        x.mul(x.cast(a, x.wide), back), ArrayRef<int64_t>{1});
    RankedTensorType gates = nn::tensorType(op.getDgates());
    Value picked = x.take(x.route.getRows(), x.reshape(dots, {x.rows, 1}));
    x.replace(op.getDgates(), x.cast(x.reshape(picked, gates.getShape()),
                                     gates.getElementType()));
  }
  if (needsInput) {
    Value da = x.cast(x.mul(back, x.gatesOfRows(x.f, x.wide)), x.element);
    SmallVector<Value> du = x.actGrad(da, u), inputs;
    // The parts of one w1 are columns of one tensor.
    if (op.getW1().size() < du.size())
      du = {nn::ConcatOp::create(x.builder, x.loc,
                                 x.type({x.rows, 2 * x.f}, x.element), du,
                                 x.builder.getI64IntegerAttr(1))};
    for (auto [i, w1] : llvm::enumerate(op.getW1())) {
      Value matrix = x.matrixOf(w1), d = du[i];
      auto shape = nn::tensorType(matrix).getShape();
      if (isUsed(op.getDx()))
        inputs.push_back(
            x.grouped("rn,enk->rk", d, matrix, x.type({x.rows, x.h}, x.wide)));
      if (Value dw1 = op.getDw1()[i]; isUsed(dw1)) {
        auto sum = nn::tensorType(dw1).clone(shape);
        x.replace(dw1, x.reshape(x.grouped("rn,rk->enk", d, rowsOfX, sum),
                                 nn::tensorType(dw1).getShape()));
      }
      if (op.getB1().empty() || !isUsed(op.getDb1()[i]))
        continue;
      RankedTensorType db1 = nn::tensorType(op.getDb1()[i]);
      Value sums = nn::EmbeddingGradOp::create(
          x.builder, x.loc, db1.clone({x.experts, shape[1]}),
          x.cast(d, db1.getElementType()), x.route.getExperts(), Value());
      x.replace(op.getDb1()[i], x.reshape(sums, db1.getShape()));
    }
    if (isUsed(op.getDx()))
      x.replace(op.getDx(),
                x.combine(x.add(inputs), Value(), nn::tensorType(op.getDx())));
  }
  op.erase();
}

struct NNExpandExpertsPass
    : pcc::impl::NNExpandExpertsPassBase<NNExpandExpertsPass> {
  using NNExpandExpertsPassBase::NNExpandExpertsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> all;
    getOperation().walk([&](Operation *op) {
      if (isa<nn::ExpertsOp, nn::ExpertsGradOp>(op))
        all.push_back(op);
    });
    for (Operation *op : all) {
      if (auto experts = dyn_cast<nn::ExpertsOp>(op))
        expand(experts);
      else
        expand(cast<nn::ExpertsGradOp>(op));
    }
    if (tiles)
      getOperation().walk([&](nn::GroupedContractOp op) {
        op->setAttr(codegen::kByTilesAttr, UnitAttr::get(&getContext()));
      });
  }
};

} // namespace
