//===- Cursor.cpp - Execution position in a schedule ----------------------===//

#include "dialects/Pipe/Cursor.h"

using namespace mlir;
using namespace pcc::pipe;

Cursor::Cursor(ScheduleOp schedule)
    : block(schedule.getBlock()), next(block->begin()) {
  enter();
}

void Cursor::enter() {
  if (isDone() || !isa<LoopOp>(*next))
    return;
  loop = cast<LoopOp>(*next);
  variable = loop.getBegin();
  block = loop.getBlock();
  next = block->begin();
}

bool Cursor::advance() {
  ++next;
  if (!loop || next != block->end()) {
    enter();
    return false;
  }
  if (++variable < int64_t(loop.getEnd())) {
    next = block->begin();
    return true;
  }
  block = loop->getBlock();
  next = std::next(Block::iterator(loop));
  loop = {};
  variable = 0;
  enter();
  return false;
}
