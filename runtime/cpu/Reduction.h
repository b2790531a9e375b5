//===- Reduction.h - The arithmetic of reductions ---------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CPU_REDUCTION_H
#define PCC_RUNTIME_CPU_REDUCTION_H

#include <cstdint>
#include <vector>

namespace pcc {

/// A reduction over ranks, in rank order:
///
///   result[i] = (...(blocks[0][i] op blocks[1][i]) op ...)
///
/// bf16 and f16 are reduced in f32, and the result is rounded once.
struct Reduction {
  int32_t dtype;     ///< pcc_dtype
  int32_t reduction; ///< pcc_reduction
  /// Whether the result is added to the destination: to[i] + result[i].
  bool adds = false;

  /// Reduces n elements of each block into all of `to`, which all receive the
  /// same result; one that adds has one destination. Blocks and destinations
  /// are the same memory or do not overlap. Exits with ExitInternal if the type
  /// cannot be reduced.
  void run(const std::vector<const char *> &blocks,
           const std::vector<char *> &to, int64_t n) const;
};

} // namespace pcc

#endif // PCC_RUNTIME_CPU_REDUCTION_H
