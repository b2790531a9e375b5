//===- Elements.h - Arrays of numbers in data files -------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_ELEMENTS_H
#define PCC_RUNTIME_DATA_ELEMENTS_H

#include "runtime/support/DType.h"

#include <cstdint>

namespace pcc {

/// A view of an array of numbers, with no alignment.
struct Elements {
  /// The type of a stored element.
  Element type = Element::U8;
  /// The first byte; the file that it belongs to must outlive this.
  const char *data = nullptr;
  /// The number of elements.
  int64_t count = 0;

  /// Returns element i of an integer type; a u64 above INT64_MAX is negative.
  int64_t integer(int64_t i) const;
  /// Returns element i of any type, rounded to a double.
  double real(int64_t i) const;

  /// Returns the first i in [begin, end) whose integer is neither in [0, bound)
  /// nor `ignored`, or -1. Splits the work over this rank's threads.
  int64_t firstOutside(int64_t begin, int64_t end, int64_t bound,
                       int64_t ignored) const;
};

/// Returns the first of `count` elements from `first` that a narrower integer
/// type can represent neither as signed nor as unsigned; -1 if there is none.
int64_t firstTooWide(const Elements &from, int64_t first, int64_t count,
                     int32_t toType);

/// Copies `count` elements, `stride` apart, to a pcc_dtype. Returns false if
/// floats would become integers.
bool copyElements(const Elements &from, int64_t first, int64_t count,
                  int64_t stride, int32_t toType, char *to);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_ELEMENTS_H
