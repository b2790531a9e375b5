//===- Elements.h - Arrays of numbers in data files -------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_ELEMENTS_H
#define PCC_RUNTIME_DATA_ELEMENTS_H

#include "runtime/support/DType.h"

#include <cstdint>

namespace pcc {

/// A view of numbers that may lie at any byte.
struct Elements {
  /// How an element is stored.
  Element type = Element::U8;
  /// The first byte; the file that it belongs to must outlive this.
  const char *data = nullptr;
  /// How many elements there are, not bytes.
  int64_t count = 0;

  /// Element i, only of an integer type; a u64 beyond the i64s is negative.
  int64_t integer(int64_t i) const;
  /// Element i of whatever type, rounded to a double.
  double real(int64_t i) const;

  /// The first i in [begin, end) whose integer is not in [0, bound), or -1;
  /// `ignored` is allowed too. Splits the work over this rank's threads.
  int64_t firstOutside(int64_t begin, int64_t end, int64_t bound,
                       int64_t ignored) const;
};

/// The first of `count` elements from `first` on that a narrower integer type
/// has no number for, signed or not; -1: none.
int64_t firstTooWide(const Elements &from, int64_t first, int64_t count,
                     int32_t toType);

/// Copies elements, `stride` apart, to a pcc_dtype; false where integers would
/// come from floats or the type is none of data.
bool copyElements(const Elements &from, int64_t first, int64_t count,
                  int64_t stride, int32_t toType, char *to);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_ELEMENTS_H
