//===- Functions.h - What kernels do with elements --------------*- C++ -*-===//

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

/// The greater of two elements.
struct Max {
  /// A NaN on either side is the answer.
  template <typename T>
  T operator()(T a, T b) const {
    // NOLINTNEXTLINE(misc-redundant-expression): true of a NaN.
    return a >= b || a != a ? a : b;
  }
};

/// The lesser of two elements.
struct Min {
  /// A NaN on either side is the answer.
  template <typename T>
  T operator()(T a, T b) const {
    // NOLINTNEXTLINE(misc-redundant-expression): true of a NaN.
    return a <= b || a != a ? a : b;
  }
};

/// x Phi(x), by the error function or in the form with tanh.
double gelu(double x, bool tanh);
/// The derivative of the same form at x.
double geluSlope(double x, bool tanh);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_OPS_FUNCTIONS_H
