//===- Touches.h - Race detection on one element ----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_TOUCHES_H
#define PCC_RUNTIME_EMULATED_TOUCHES_H

#include <cstdint>
#include <vector>

namespace pcc {

/// The threads of a warp.
constexpr int64_t kLanes = 32;

/// The logical time of a thread's action. Barriers, of the block or of the
/// warp, order actions before them and after them; otherwise only actions of
/// the same thread are ordered.
struct Moment {
  uint32_t block;
  uint16_t thread; ///< of the block
  /// The barriers of the block, and of the warp, that the thread has passed.
  uint32_t barriers, warpBarriers;
};

/// The last accesses of an element, as far as needed to decide whether the next
/// one races.
class Touches {
public:
  /// Records an access. Returns whether it races: another thread accesses the
  /// element without a barrier in between, and one of the two writes.
  bool isRace(const Moment &now, bool isWrite) {
    bool race = !write.isBefore(now) || (isWrite && !read.isBefore(now));
    (isWrite ? write : read).note(now);
    return race;
  }

  /// Whether the element was ever written.
  bool isWritten() const { return write.block; }

private:
  /// The last accesses of one kind: by one thread, by several of a warp or
  /// block, or by threads of several blocks.
  struct Last {
    uint32_t block = 0; ///< plus 1; 0: never
    uint32_t barriers = 0, warpBarriers = 0;
    uint16_t thread = 0;
    uint8_t several = 0; ///< bits of Several
    enum Several : uint8_t { kThreads = 1, kWarps = 2, kBlocks = 4 };

    bool isAt(const Moment &now) const {
      return block == now.block + 1 && barriers == now.barriers;
    }
    bool isOfWarp(const Moment &now) const {
      return thread / kLanes == now.thread / kLanes;
    }
    bool isBefore(const Moment &now) const {
      if (!isAt(now))
        return !block || (!(several & kBlocks) && block == now.block + 1);
      if (several & (kBlocks | kWarps) || !isOfWarp(now))
        return false;
      return warpBarriers != now.warpBarriers ||
             (!(several & kThreads) && thread == now.thread);
    }
    void note(const Moment &now) {
      if (!isAt(now)) {
        several &= kBlocks;
        if (block && block != now.block + 1)
          several |= kBlocks;
      } else if (thread != now.thread || warpBarriers != now.warpBarriers) {
        if (!isOfWarp(now))
          several |= kWarps;
        if (!isOfWarp(now) || warpBarriers != now.warpBarriers)
          several &= ~kThreads;
        else
          several |= kThreads;
      } else {
        return;
      }
      block = now.block + 1;
      barriers = now.barriers;
      warpBarriers = now.warpBarriers;
      thread = now.thread;
    }
  };
  Last write, read;
};

/// The last accesses of the bytes of a buffer. All entries have the same number
/// of bytes: the largest power of two, at most 16, that divides the offset and
/// the size of every access so far.
class TouchedBytes {
public:
  /// Forgets all accesses.
  void clear(int64_t newSize) {
    size = newSize;
    entries.assign(entryOf(size + unit() - 1), Touches());
  }
  /// Returns the number of bytes of an entry after giving the bytes of an
  /// access entries of their own.
  int64_t unitFor(int64_t at, int64_t bytes) {
    if ((at | bytes) & (unit() - 1))
      split(at | bytes);
    return unit();
  }
  /// The entry of a byte.
  Touches &operator[](int64_t byte) { return entries[entryOf(byte)]; }

private:
  int64_t unit() const { return int64_t(1) << shift; }
  int64_t entryOf(int64_t byte) const { return byte >> shift; }
  /// Makes entries so small that their size divides `multiple`.
  void split(int64_t multiple) {
    int before = shift;
    while (multiple & (unit() - 1))
      --shift;
    std::vector<Touches> old(entryOf(size + unit() - 1));
    old.swap(entries);
    for (int64_t i = 0, count = entries.size(); i < count; ++i)
      entries[i] = old[i >> (before - shift)];
  }

  int shift = 4; ///< the widest access has 16 bytes
  int64_t size = 0;
  std::vector<Touches> entries;
};

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_TOUCHES_H
