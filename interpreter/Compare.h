//===- Compare.h - How far two tensors are apart ----------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_COMPARE_H
#define PCC_INTERPRETER_COMPARE_H

#include "interpreter/Tensor.h"

namespace pcc::interp {

/// How far two tensors are apart.
struct Difference {
  /// Largest finite element expected, and largest difference; NaN where one
  /// side alone is no number.
  double scale = 0, worst = 0;
  int64_t at = 0; ///< where the difference is
  double found = 0, wanted = 0;

  /// Whether the difference is at most `relative` of the scale, to which
  /// `floor` is added.
  bool within(double relative, double floor = 0) const {
    return worst <= relative * (scale + floor);
  }
  /// "largest difference 0.5 of 2 at element 7: 1.5, expected 2".
  std::string text() const;
};

/// Compares two tensors of one shape.
Difference difference(const Tensor &found, const Tensor &wanted);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_COMPARE_H
