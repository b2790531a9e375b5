//===- Touches.cpp - Which threads have touched an element ----------------===//

#include "runtime/emulated/Touches.h"

using namespace pcc;

bool Touches::Last::isBefore(const Moment &now) const {
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

void Touches::Last::note(const Moment &now) {
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

bool Touches::isRace(const Moment &now, bool isWrite) {
  bool race = !write.isBefore(now) || (isWrite && !read.isBefore(now));
  (isWrite ? write : read).note(now);
  return race;
}
