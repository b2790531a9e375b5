//===- Chips.h - Differences between NVIDIA's GPUs --------------*- C++ -*-===//
//
// A chip is a compute capability as a number: 90 for sm_90.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHIPS_H
#define PCC_RUNTIME_CHIPS_H

#include <algorithm>
#include <cstdint>

namespace pcc {

/// The chip that programs are compiled for by default. The drivers of later
/// chips translate its PTX.
inline constexpr int kDefaultChip = 90;

/// The maximum shared memory of a block in bytes, as listed in NVIDIA's
/// cuda/__device/arch_traits.h; the smallest of these values for a chip that
/// is not listed.
constexpr int64_t sharedOfBlock(int chip) {
  switch (chip) {
  case 90:
  case 100:
  case 101:
  case 103:
  case 107:
  case 110:
    return 227 << 10;
  case 80:
  case 87:
    return 163 << 10;
  default: // 86, 88, 89, 120 and 121
    return 99 << 10;
  }
}

/// The minimum of sharedOfBlock() over the default chip and `chips`.
template <typename Chips>
int64_t leastShared(const Chips &chips) {
  int64_t least = sharedOfBlock(kDefaultChip);
  for (int chip : chips)
    least = std::min(least, sharedOfBlock(chip));
  return least;
}

/// Whether cuDNN's backward pass of attention is deterministic. From sm_100 on
/// cuDNN accumulates dq by atomics, even if dS is in memory, unless an engine
/// is requested by its number; the runtime requests none.
constexpr bool repeatsAttention(int chip) { return chip < 100; }

} // namespace pcc

#endif // PCC_RUNTIME_CHIPS_H
