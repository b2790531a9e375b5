//===- ApartBytes.h - Buffers with a slot for each turn ---------*- C++ -*-===//
//
// A loop is not run turn by turn to its end: once turns only repeat themselves
// the rest is left out. What has more slots than turns take to repeat is looked
// at apart, and not in all turns either. All turns do the same to such a
// buffer, each one slot further, so that a slot is used again after as many
// turns as there are slots (3 here):
//
//     turn         0  1  2    3  4  5    6  7  8  ...  n-3  n-2  n-1
//     slot         0  1  2    0  1  2    0  1  2        0    1    2
//                  meets      meets      as the         what is left
//                  what was   what the   second         behind
//                  before     first left
//
// Other buffers may lie where slots are that were used in turns before: such
// bytes are disturbed, and looked at as all others are. Turns are left out only
// if none of them uses such a slot.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_APARTBYTES_H
#define PCC_PASSES_CODEGEN_VERIFY_APARTBYTES_H

#include "dialects/RT/RT.h"
#include "passes/Codegen/Verify/Intervals.h"
#include "llvm/Support/MathExtras.h"

namespace pcc {

/// Turns that are run as one period at most, unless more are needed: what has
/// more slots is cheaper to look at apart.
constexpr int64_t kLongestPeriod = 4;

/// Whether what the n-th period of a loop does is compared with what it met:
/// ever more rarely, as that takes as long as the buffers have slots.
constexpr bool isLookedAt(int64_t period) {
  return llvm::isPowerOf2_64(uint64_t(period) + 1);
}

/// Where the slots of a buffer lie; found once, since a schedule names a buffer
/// many times.
struct SlotOffsets {
  /// Of no buffer.
  SlotOffsets() = default;
  /// Of one that has an offset.
  explicit SlotOffsets(rt::BufferOp buffer)
      : slots(buffer.getSlots()), first(*buffer.getOffset()),
        bytes(buffer.getSlotBytes()),
        others(buffer.getOthers().value_or(llvm::ArrayRef<int64_t>())) {}

  /// The slot of that number, of which `slots` are there in turns.
  int64_t slotOf(int64_t number) const {
    return (number % slots + slots) % slots;
  }
  /// Where that slot begins.
  int64_t operator[](int64_t number) const {
    int64_t slot = slotOf(number);
    return slot == 0 || others.empty() ? first + slot * bytes
                                       : others[slot - 1];
  }

  /// How many there are.
  int64_t slots = 1;

private:
  int64_t first = 0, bytes = 0;
  /// Of all but the first, unless they follow it.
  llvm::ArrayRef<int64_t> others;
};

/// Where the buffers lie that are looked at apart.
class ApartBytes {
public:
  /// Adds a buffer, all of its slots.
  void add(rt::BufferOp buffer) {
    int64_t slots = buffer.getSlots(), bytes = buffer.getSlotBytes();
    // Slots mostly lie side by side.
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

  /// Says that something else uses [begin, end).
  void disturb(int64_t begin, int64_t end) {
    if (slotBytes.overlaps(begin, end)) {
      disturbed.set(begin, end, true);
      slotBytes.erase(begin, end);
      isNew = true;
    }
  }
  /// Whether something else uses some of [begin, end).
  bool isDisturbed(int64_t begin, int64_t end) const {
    return disturbed.overlaps(begin, end);
  }
  /// Whether more was disturbed since it was asked last.
  bool takeNew() { return std::exchange(isNew, false); }

  /// The byte ranges of slots, but for what is disturbed; in order.
  Ranges list() const {
    Ranges ranges;
    for (auto [begin, end, value] : slotBytes.getRuns())
      ranges.push_back({begin, end});
    return ranges;
  }

  /// Whether what a turn of [begin, end) does to a buffer with so many slots
  /// has to be looked at, or follows from turns before it and is gone after it.
  bool showsIn(int64_t turn, int64_t begin, int64_t end, int64_t slots) const {
    return areMixed || turn < begin + 2 * slots || turn >= end - slots;
  }

private:
  /// Of slots, but for what is disturbed; and that.
  Intervals<bool> slotBytes, disturbed;
  bool isNew = false;
  /// Whether two of them share bytes: then slots depend on those of others.
  bool areMixed = false;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_APARTBYTES_H
