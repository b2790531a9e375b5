//===- SeparateBytes.h - Buffers with many slots in a loop ------*- C++ -*-===//
//
// The verifiers do not run all iterations of a loop: once a period of
// iterations repeats the one before it, the rest is skipped. A buffer whose
// slots do not repeat within such a period is tracked separately. All
// iterations access such a buffer in the same way, each one slot further. With
// 3 slots:
//
//     iteration    0  1  2    3  4  5    6  7  8  ...  n-3  n-2  n-1
//     slot         0  1  2    0  1  2    0  1  2        0    1    2
//                  finds      finds      like the       remains
//                  contents   contents   second         after
//                  from       from the   round          the loop
//                  before     first
//                  the loop   round
//
// So it is enough to simulate the accesses to it in the first two rounds and in
// the last. Another buffer may share bytes with slots that were used in earlier
// iterations. Such bytes are disturbed and tracked like all others; iterations
// are skipped only if none of them accesses such a slot.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_SEPARATEBYTES_H
#define PCC_PASSES_CODEGEN_VERIFY_SEPARATEBYTES_H

#include "dialects/RT/RT.h"
#include "passes/Codegen/Verify/Intervals.h"
#include "llvm/Support/MathExtras.h"

namespace pcc {

/// The longest period in iterations, unless events require a longer one. A
/// buffer with more slots is cheaper to track separately.
constexpr int64_t kMaxPeriod = 4;

/// Whether the state before the n-th period of a loop is compared with the
/// state after it. Such comparisons get ever rarer, because each takes time
/// linear in the buffers' slots.
constexpr bool isCompared(int64_t period) {
  return llvm::isPowerOf2_64(uint64_t(period) + 1);
}

/// The offsets of a buffer's slots. Computed once, since a schedule names a
/// buffer many times.
struct SlotOffsets {
  /// Without a buffer.
  SlotOffsets() = default;
  /// For a buffer that has an offset.
  explicit SlotOffsets(rt::BufferOp buffer)
      : slots(buffer.getSlots()), first(*buffer.getOffset()),
        bytes(buffer.getSlotBytes()),
        others(buffer.getOthers().value_or(llvm::ArrayRef<int64_t>())) {}

  /// The slot with that number modulo `slots`.
  int64_t slotOf(int64_t number) const {
    return (number % slots + slots) % slots;
  }
  /// The offset of that slot.
  int64_t operator[](int64_t number) const {
    int64_t slot = slotOf(number);
    return slot == 0 || others.empty() ? first + slot * bytes
                                       : others[slot - 1];
  }

  int64_t slots = 1;

private:
  int64_t first = 0, bytes = 0;
  /// Offsets of all slots but the first; empty: the slots are contiguous.
  llvm::ArrayRef<int64_t> others;
};

/// The bytes of the buffers that are tracked separately.
class SeparateBytes {
public:
  /// Adds all slots of a buffer.
  void add(rt::BufferOp buffer) {
    int64_t slots = buffer.getSlots(), bytes = buffer.getSlotBytes();
    // Slots are mostly contiguous.
    if (!buffer.getOthers()) {
      bytes *= slots;
      slots = 1;
    }
    for (int64_t slot = 0; slot < slots; ++slot) {
      int64_t begin = buffer.getSlotOffset(slot);
      areMixed |= slotBytes.overlaps(begin, begin + bytes);
      slotBytes.set(begin, begin + bytes, true);
    }
  }

  /// Notes that another buffer accesses [begin, end).
  void disturb(int64_t begin, int64_t end) {
    if (slotBytes.overlaps(begin, end)) {
      disturbed.set(begin, end, true);
      slotBytes.erase(begin, end);
      isNew = true;
    }
  }
  /// Whether another buffer accesses any of [begin, end).
  bool isDisturbed(int64_t begin, int64_t end) const {
    return disturbed.overlaps(begin, end);
  }
  /// Whether more was disturbed since the last call.
  bool takeNew() { return std::exchange(isNew, false); }

  /// Returns the byte ranges of slots that are not disturbed, in order.
  Ranges list() const {
    Ranges ranges;
    for (auto [begin, end, value] : slotBytes.getRuns())
      ranges.push_back({begin, end});
    return ranges;
  }

  /// Whether the accesses of an iteration of [begin, end) to a buffer with that
  /// many slots must be simulated. Those of other iterations behave like
  /// earlier ones and leave nothing that survives the loop.
  bool mustSimulate(int64_t turn, int64_t begin, int64_t end,
                    int64_t slots) const {
    return areMixed || turn < begin + 2 * slots || turn >= end - slots;
  }

private:
  /// The bytes of slots that are not disturbed, and the disturbed ones.
  Intervals<bool> slotBytes, disturbed;
  bool isNew = false;
  /// Whether two slots share bytes; their contents then depend on each other.
  bool areMixed = false;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_SEPARATEBYTES_H
