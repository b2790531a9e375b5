//===- Compare.h - Differences between tensors ------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_COMPARE_H
#define PCC_INTERPRETER_COMPARE_H

#include "interpreter/Tensor.h"

namespace pcc::interp {

/// The largest difference between two tensors.
struct Difference {
  /// The largest finite magnitude of the expected elements, and the largest
  /// difference; NaN if only one of two elements is NaN.
  double scale = 0, worst = 0;
  int64_t at = 0; ///< the index of the element
  double found = 0, wanted = 0;

  /// Whether the difference is at most `relative` times the sum of the scale
  /// and `floor`.
  bool within(double relative, double floor = 0) const {
    return worst <= relative * (scale + floor);
  }
  /// Returns for example "largest difference 0.5 of 2 at element 7: 1.5,
  /// expected 2".
  std::string text() const;
};

/// Compares two tensors of one shape.
Difference difference(const Tensor &found, const Tensor &wanted);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_COMPARE_H
