//===- Touches.h - Which threads have touched an element --------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_TOUCHES_H
#define PCC_RUNTIME_EMULATED_TOUCHES_H

#include <cstdint>

namespace pcc {

/// When a thread of a device does something. What has happened before a
/// barrier, of the block or of the warp, comes before what happens after it;
/// else only a thread's own touches have an order.
struct Moment {
  /// The block's number in its launch.
  uint32_t block;
  /// The thread's in its block.
  uint16_t thread, warp;
  /// Barriers of the block, and those of the warp, that it has passed.
  uint32_t barriers, warpBarriers;
};

/// The last touches of an element, as far as they decide whether the next one
/// is a race.
class Touches {
public:
  /// Notes a touch. Whether another thread touches the same element, one of
  /// both writing, with nothing between.
  bool isRace(const Moment &now, bool isWrite) {
    bool race = !write.isBefore(now) || (isWrite && !read.isBefore(now));
    (isWrite ? write : read).note(now);
    return race;
  }

  /// Whether it was written at all.
  bool isWritten() const { return write.block; }

private:
  /// Touches of one kind: by one thread, several of a warp, of a block, or
  /// threads of several blocks.
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
