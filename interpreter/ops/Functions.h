//===- Functions.h - Elementwise functions ----------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_OPS_FUNCTIONS_H
#define PCC_INTERPRETER_OPS_FUNCTIONS_H

namespace pcc::interp {

/// a + b.
struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    return a + b;
  }
};

/// a - b.
struct Sub {
  template <typename T>
  T operator()(T a, T b) const {
    return a - b;
  }
};

/// a * b.
struct Mul {
  template <typename T>
  T operator()(T a, T b) const {
    return a * b;
  }
};

/// The greater of two elements; NaN if either is NaN.
struct Max {
  /// A NaN on either side is the answer.
  template <typename T>
  T operator()(T a, T b) const {
    // NOLINTNEXTLINE(misc-redundant-expression): true of a NaN.
    return a >= b || a != a ? a : b;
  }
};

/// The lesser of two elements; NaN if either is NaN.
struct Min {
  /// A NaN on either side is the answer.
  template <typename T>
  T operator()(T a, T b) const {
    // NOLINTNEXTLINE(misc-redundant-expression): true of a NaN.
    return a <= b || a != a ? a : b;
  }
};

/// Returns x Phi(x), by the error function or by the tanh approximation.
double gelu(double x, bool tanh);
/// Returns the derivative of the same form at x.
double geluSlope(double x, bool tanh);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_OPS_FUNCTIONS_H
