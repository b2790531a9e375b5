//===- Logic.cpp - Comparisons, bools and choices -------------------------===//

#include "frontend/binding/Arithmetic.h"
#include "frontend/binding/Elementwise.h"
#include <cmath>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Folds a comparison: floats compare as floats, the result is a bool.
template <bool (*Floats)(double, double), bool (*Ints)(int64_t, int64_t)>
static LogicalResult foldCompare(Binder &b) {
  std::optional<Tensor> x = b.tensor(0), y = b.tensor(1);
  if (!x || !y)
    return b.error() << "its operands must be known at compile time";
  if (!broadcastShapes({Shape(x->shape()), Shape(y->shape())}))
    return b.error() << "the shapes of its operands do not fit";
  bool isFloat = x->isFloat();
  b.set(0, Tensor::map(b.builder.getI1Type(), {*x, *y}, [&](In in) {
          return ofInt(isFloat ? Floats(in[0].f, in[1].f)
                               : Ints(in[0].i, in[1].i));
        }));
  return success();
}

static LogicalResult foldIsNaN(Binder &b) {
  b.set(0, Tensor::map(b.builder.getI1Type(), *b.tensor(0),
                       [](In in) { return ofInt(std::isnan(in[0].f)); }));
  return success();
}

template <int64_t (*Fn)(In)>
static LogicalResult foldLogic(Binder &b) {
  return foldWith(b, b.builder.getI1Type(), nullptr, Fn);
}

static double whereF(In x) { return x[0].i ? x[1].f : x[2].f; }
static int64_t whereI(In x) { return x[0].i ? x[1].i : x[2].i; }
static int64_t andI(In x) { return x[0].i && x[1].i; }
static int64_t orI(In x) { return x[0].i || x[1].i; }
static int64_t xorI(In x) { return (x[0].i != 0) != (x[1].i != 0); }
static int64_t notI(In x) { return !x[0].i; }

template <typename T>
static bool equal(T x, T y) {
  return x == y;
}
template <typename T>
static bool less(T x, T y) {
  return x < y;
}
template <typename T>
static bool lessOrEqual(T x, T y) {
  return x <= y;
}
template <typename T>
static bool greater(T x, T y) {
  return x > y;
}
template <typename T>
static bool greaterOrEqual(T x, T y) {
  return x >= y;
}

enum class Logic { Or, Xor };

template <Logic Kind>
static LogicalResult buildLogic(Binder &b) {
  auto values = broadcastAll(b);
  if (failed(values))
    return failure();
  Arithmetic a(b);
  Value x = (*values)[0], y = (*values)[1];
  if (!b.element(0).isInteger(1))
    return b.error() << "takes bools";
  b.set(0, Kind == Logic::Or ? a.either(x, y) : a.where(x, a.negate(y), y));
  return success();
}

static LogicalResult buildNot(Binder &b) {
  if (!b.element(0).isInteger(1))
    return b.error() << "takes bools";
  b.set(0, Arithmetic(b).negate(b.value(0)));
  return success();
}

/// Builds a comparison; `swap` exchanges the operands.
template <Relation Kind, bool swap = false>
static LogicalResult buildCompare(Binder &b) {
  auto values = broadcastAll(b);
  if (failed(values))
    return failure();
  b.set(0, Arithmetic(b).compare(Kind, (*values)[swap], (*values)[!swap]));
  return success();
}

/// IsNaN of a softmax guards against rows without a key, which yield 0/0. In
/// training it is constant false: nn.attention returns zeros for such rows, and
/// elsewhere a NaN loss stops the program.
static LogicalResult buildIsNaN(Binder &b) {
  if (b.translation.isForward() || !b.value(0).getDefiningOp<SoftmaxOp>()) {
    if (!isa<FloatType>(b.element(0)))
      return b.error() << "takes floats";
    Arithmetic a(b);
    Value x = b.value(0);
    b.set(0, a.negate(a.equal(x, x)));
    return success();
  }
  b.set(0, Tensor::splat(b.builder.getI1Type(), b.shape(0), ofInt(0)));
  return success();
}

static LogicalResult buildAnd(Binder &b) {
  auto shape = broadcastShapes({b.shape(0), b.shape(1)});
  if (!shape || !b.element(0).isInteger(1) || !b.element(1).isInteger(1))
    return b.error() << "takes bools of shapes that fit";
  for (int i : {0, 1})
    if (b.uniform(i) == 1.0) {
      b.set(0, b.broadcast(b.value(1 - i), *shape));
      return success();
    }
  b.set(0, b.binary<MulOp>(b.broadcast(b.value(0), *shape),
                           b.broadcast(b.value(1), *shape)));
  return success();
}

static LogicalResult buildWhere(Binder &b) {
  if (std::optional<double> always = b.uniform(0)) {
    unsigned chosen = *always ? 1 : 2;
    auto shape = broadcastShapes({b.shape(0), b.shape(1), b.shape(2)});
    if (shape && *shape == b.shape(chosen)) {
      b.set(0, b.item(chosen));
      return success();
    }
  }
  auto values = broadcastAll(b, 1);
  if (failed(values))
    return failure();
  Value condition = (*values)[0], lhs = (*values)[1], rhs = (*values)[2];
  b.set(0, Value(WhereOp::create(b.builder, b.loc, lhs.getType(), condition,
                                 lhs, rhs)));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::logicOps() {
  constexpr int64_t any = kAnyOpset;
  static const OpEntry table[] = {
      {"And", 7, any, 2, foldLogic<andI>, buildAnd, attributes(), true},
      {"Equal", 7, any, 2, foldCompare<equal, equal>,
       buildCompare<Relation::Equal>, attributes(), true},
      {"Greater", 7, any, 2, foldCompare<greater, greater>,
       buildCompare<Relation::Less, true>, attributes(), true},
      {"GreaterOrEqual", 12, any, 2,
       foldCompare<greaterOrEqual, greaterOrEqual>,
       buildCompare<Relation::LessOrEqual, true>, attributes(), true},
      {"IsNaN", 9, any, 1, foldIsNaN, buildIsNaN},
      {"Less", 7, any, 2, foldCompare<less, less>, buildCompare<Relation::Less>,
       attributes(), true},
      {"LessOrEqual", 12, any, 2, foldCompare<lessOrEqual, lessOrEqual>,
       buildCompare<Relation::LessOrEqual>, attributes(), true},
      {"Not", 1, any, 1, foldLogic<notI>, buildNot, attributes(), true},
      {"Or", 7, any, 2, foldLogic<orI>, buildLogic<Logic::Or>, attributes(),
       true},
      {"Where", 9, any, 3, foldMath<whereF, whereI>, buildWhere},
      {"Xor", 7, any, 2, foldLogic<xorI>, buildLogic<Logic::Xor>, attributes(),
       true},
  };
  return table;
}
