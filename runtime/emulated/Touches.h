//===- Touches.h - Race detection on one element ----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_TOUCHES_H
#define PCC_RUNTIME_EMULATED_TOUCHES_H

#include <cstdint>

namespace pcc {

/// The logical time of a thread's action. Barriers, of the block or of the
/// warp, order actions before them and after them; otherwise only actions of
/// the same thread are ordered.
struct Moment {
  uint32_t block;
  /// Within the block.
  uint16_t thread, warp;
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
    uint16_t thread = 0, warp = 0;
    bool areThreads = false, areWarps = false, areBlocks = false;

    bool isBefore(const Moment &now) const {
      if (!block)
        return true;
      if (areBlocks || block != now.block + 1)
        return false;
      if (barriers != now.barriers)
        return true;
      if (areWarps || warp != now.warp)
        return false;
      return warpBarriers != now.warpBarriers ||
             (!areThreads && thread == now.thread);
    }
    void note(const Moment &now) {
      bool isSameBlock = block == now.block + 1;
      areBlocks |= block && !isSameBlock;
      bool isSameTime = isSameBlock && barriers == now.barriers;
      areWarps = isSameTime && (areWarps || warp != now.warp);
      bool isSameStep =
          isSameTime && warp == now.warp && warpBarriers == now.warpBarriers;
      areThreads = isSameStep && (areThreads || thread != now.thread);
      block = now.block + 1;
      barriers = now.barriers;
      warpBarriers = now.warpBarriers;
      thread = now.thread;
      warp = now.warp;
    }
  };
  Last write, read;
};

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_TOUCHES_H
