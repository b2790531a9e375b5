//===- Chips.h - What differs among NVIDIA's GPUs ---------------*- C++ -*-===//
//
// A chip is a compute capability as a number: 90 for sm_90.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHIPS_H
#define PCC_RUNTIME_CHIPS_H

#include <algorithm>
#include <cstdint>

namespace pcc {

/// The chip that programs are compiled for unless another is asked for; the
/// drivers of later ones translate its PTX.
inline constexpr int kDefaultChip = 90;

/// Bytes of shared memory that a block of a chip may have, as NVIDIA's
/// cuda/__device/arch_traits.h lists them. Chips that are not listed may have
/// as little as any.
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

/// Bytes of shared memory that a block may have on the default chip and on all
/// of `chips`.
template <typename Chips>
int64_t leastShared(const Chips &chips) {
  int64_t least = sharedOfBlock(kDefaultChip);
  for (int chip : chips)
    least = std::min(least, sharedOfBlock(chip));
  return least;
}

/// Whether cuDNN's backward pass of attention gives the same bits every time.
/// From sm_100 on cuDNN adds up dq by atomics, also where dS is in memory,
/// unless it is asked for an engine by its number; the runtime does not ask so.
constexpr bool repeatsAttention(int chip) { return chip < 100; }

} // namespace pcc

#endif // PCC_RUNTIME_CHIPS_H
