//===- Trigonometry.cpp - Circular and hyperbolic functions ---------------===//
//
// Formulas over the functions of nn. The inverse functions are derived from
// atan, which is a rational function near zero; two identities reduce every
// argument to that range:
//
//   atan(x) = pi / 2 - atan(1 / x)                      beyond 1
//   atan(x) = 2 atan(x / (1 + sqrt(1 + x x)))           to tan(pi / 8)
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

static Value tan(Binder &b, Arithmetic &a, Value x) {
  return a.div(b.unary<SinOp>(x), b.unary<CosOp>(x));
}

static Value sinh(Binder &, Arithmetic &a, Value x) {
  return a.mul(a.sub(a.exp(x), a.exp(a.mul(x, -1))), 0.5);
}

static Value cosh(Binder &, Arithmetic &a, Value x) {
  return a.mul(a.add(a.exp(x), a.exp(a.mul(x, -1))), 0.5);
}

static Value asinh(Binder &, Arithmetic &a, Value x) {
  // By the absolute value, to avoid cancellation.
  Value isBelow = a.less(x, a.splat(x, 0));
  Value far = a.where(isBelow, a.mul(x, -1), x);
  Value root = a.sqrt(a.add(a.mul(x, x), 1));
  Value result = a.log(a.add(far, root));
  return a.where(isBelow, a.mul(result, -1), result);
}

static Value acosh(Binder &, Arithmetic &a, Value x) {
  return a.log(a.add(x, a.sqrt(a.add(a.mul(x, x), -1))));
}

static Value atanh(Binder &, Arithmetic &a, Value x) {
  Value above = a.add(x, 1), below = a.add(a.mul(x, -1), 1);
  return a.mul(a.log(a.div(above, below)), 0.5);
}

/// A polynomial at z; the highest power's coefficient comes first.
static Value polynomial(Arithmetic &a, Value z, ArrayRef<double> coefficients) {
  Value sum = a.splat(z, coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = a.add(a.mul(sum, z), coefficient);
  return sum;
}

/// atan of arguments up to 0.66 in magnitude, to f64 precision, by the rational
/// function of Cephes' atan.
static Value arcNearZero(Arithmetic &a, Value x) {
  static constexpr double above[] = {
      -8.750608600031904122785e-1, -1.615753718733365076637e1,
      -7.500855792314704667340e1, -1.228866684490136173410e2,
      -6.485021904942025371773e1};
  static constexpr double below[] = {1.0,
                                     2.485846490142306297962e1,
                                     1.650270098316988542046e2,
                                     4.328810604912902668951e2,
                                     4.853903996359136964868e2,
                                     1.945506571482613964425e2};
  Value z = a.mul(x, x);
  Value rest = a.div(polynomial(a, z, above), polynomial(a, z, below));
  return a.add(x, a.mul(a.mul(x, z), rest));
}

static Value atan(Binder &, Arithmetic &a, Value x) {
  Value one = a.splat(x, 1), isBelow = a.less(x, a.splat(x, 0));
  Value size = a.where(isBelow, a.mul(x, -1), x);
  Value isFar = a.less(one, size);
  Value tangent = a.where(isFar, a.div(one, a.where(isFar, size, one)), size);
  Value root = a.sqrt(a.add(a.mul(tangent, tangent), 1));
  Value arc = a.mul(arcNearZero(a, a.div(tangent, a.add(root, 1))), 2);
  arc = a.where(isFar, a.add(a.mul(arc, -1), llvm::numbers::pi / 2), arc);
  return a.where(isBelow, a.mul(arc, -1), arc);
}

/// sqrt(1 - x) and sqrt(1 + x).
static std::pair<Value, Value> roots(Arithmetic &a, Value x) {
  return {a.sqrt(a.add(a.mul(x, -1), 1)), a.sqrt(a.add(x, 1))};
}

static Value asin(Binder &b, Arithmetic &a, Value x) {
  auto [below, above] = roots(a, x);
  Value half = a.div(x, a.add(a.mul(below, above), 1));
  return a.mul(atan(b, a, half), 2);
}

static Value acos(Binder &b, Arithmetic &a, Value x) {
  auto [below, above] = roots(a, x);
  return a.mul(atan(b, a, a.div(below, above)), 2);
}

ArrayRef<OpEntry> pcc::frontend::trigonometryOps() {
  constexpr int64_t any = kAnyOpset;
  static const OpEntry table[] = {
      {"Acos", 7, any, 1, nullptr, buildFormula<acos>},
      {"Acosh", 9, any, 1, nullptr, buildFormula<acosh>},
      {"Asin", 7, any, 1, nullptr, buildFormula<asin>},
      {"Asinh", 9, any, 1, nullptr, buildFormula<asinh>},
      {"Atan", 7, any, 1, nullptr, buildFormula<atan>},
      {"Atanh", 9, any, 1, nullptr, buildFormula<atanh>},
      {"Cosh", 9, any, 1, nullptr, buildFormula<cosh>},
      {"Sinh", 9, any, 1, nullptr, buildFormula<sinh>},
      {"Tan", 7, any, 1, nullptr, buildFormula<tan>},
  };
  return table;
}
