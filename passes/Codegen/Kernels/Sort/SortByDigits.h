//===- SortByDigits.h - Radix sort of many keys -----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_SORT_SORTBYDIGITS_H
#define PCC_PASSES_CODEGEN_KERNELS_SORT_SORTBYDIGITS_H

#include "passes/Codegen/Kernels/Sort/Numbers.h"

namespace pcc::codegen {

/// Keys in ascending order.
struct Sorted {
  /// i32, of one dim.
  mlir::Value keys;
  /// The original index of each key, i32.
  mlir::Value order;
  /// The position of each original key, i32: the inverse of `order`. Null
  /// unless requested.
  mlir::Value positions = {};
};

/// The parameters of a radix sort.
struct DigitPlan {
  /// Digits of a key, and their base: a power of two.
  int64_t digits = 0, base = 0;
  /// Keys of a block; divides the number of keys.
  int64_t block = 0;
  /// The approximate number of comparisons and additions, plus kLaunchCost for
  /// each kernel.
  double cost = 0;
};

/// The approximate cost of a kernel launch, in comparisons.
inline constexpr double kLaunchCost = 1 << 22;

/// The cheapest radix sort of `count` keys, each below `bound`.
DigitPlan planDigits(int64_t count, int64_t bound);

/// Sorts keys, i32 of one dim, that are at least 0; the sort is stable.
Sorted sortByDigits(Numbers &numbers, mlir::Value keys, const DigitPlan &plan,
                    bool wantsPositions = false);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_SORT_SORTBYDIGITS_H
