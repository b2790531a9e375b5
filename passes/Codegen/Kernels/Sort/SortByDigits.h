//===- SortByDigits.h - Many keys are sorted digit by digit -----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_SORT_SORTBYDIGITS_H
#define PCC_PASSES_CODEGEN_KERNELS_SORT_SORTBYDIGITS_H

#include "passes/Codegen/Kernels/Sort/Numbers.h"

namespace pcc::codegen {

/// Keys in ascending order.
struct Sorted {
  /// i32, of one dim.
  mlir::Value keys;
  /// Where each was, i32.
  mlir::Value order;
};

/// How keys are sorted digit by digit.
struct DigitPlan {
  /// Digits of a key, and what each is below: a power of two.
  int64_t digits = 0, base = 0;
  /// Keys of a block, of which there is a whole number.
  int64_t block = 0;
  /// About how many numbers are compared or added.
  double cost = 0;
};

/// About what a kernel costs that does nothing, in numbers that are compared
/// meanwhile.
inline constexpr double kLaunchCost = 1 << 22;

/// The cheapest way to sort `count` keys, each below `bound`, by digits.
DigitPlan planDigits(int64_t count, int64_t bound);

/// Sorts keys, i32 of one dim, that are at least 0; equal ones stay in their
/// order.
Sorted sortByDigits(Numbers &numbers, mlir::Value keys, const DigitPlan &plan);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_SORT_SORTBYDIGITS_H
