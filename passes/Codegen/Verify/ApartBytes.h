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
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_VERIFY_APARTBYTES_H
#define PCC_PASSES_CODEGEN_VERIFY_APARTBYTES_H

#include "dialects/RT/RT.h"
#include "passes/Codegen/Verify/Intervals.h"

namespace pcc {

/// Turns that are run as one period at most, unless more are needed: what has
/// more slots is cheaper to look at apart.
constexpr int64_t kLongestPeriod = 4;

/// Where the buffers lie that are looked at apart.
class ApartBytes {
public:
  /// Adds a buffer, all of its slots.
  void add(rt::BufferOp buffer) {
    for (int64_t slot = 0; slot < int64_t(buffer.getSlots()); ++slot) {
      int64_t begin = buffer.getSlotOffset(slot);
      int64_t end = begin + buffer.getSlotBytes();
      areMixed |= bytes.overlaps(begin, end);
      bytes.set(begin, end, true);
      ranges.push_back({begin, end});
    }
  }

  /// Whether some of [begin, end) are of one.
  bool overlaps(int64_t begin, int64_t end) const {
    return bytes.overlaps(begin, end);
  }

  /// Byte ranges of slots, in the order of the buffers.
  llvm::ArrayRef<std::pair<int64_t, int64_t>> list() const { return ranges; }

  /// Whether what a turn of [begin, end) does to a buffer with so many slots
  /// has to be looked at, or follows from turns before it and is gone after it.
  bool showsIn(int64_t turn, int64_t begin, int64_t end, int64_t slots) const {
    return areMixed || turn < begin + 2 * slots || turn >= end - slots;
  }

private:
  Intervals<bool> bytes;
  llvm::SmallVector<std::pair<int64_t, int64_t>> ranges;
  /// Whether two of them share bytes: then slots depend on those of others.
  bool areMixed = false;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_VERIFY_APARTBYTES_H
