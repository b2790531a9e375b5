//===- ArgumentUses.cpp - Reads and writes of arguments -------------------===//

#include "passes/Codegen/Verify/ArgumentUses.h"

using namespace mlir;
using namespace pcc;

SmallVector<ArgumentUse> pcc::findArgumentUses(rt::FuncOp function) {
  Block *block = function.getBlock();
  SmallVector<ArgumentUse> found(block->getNumArguments());
  auto elements = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements();
  };
  for (Operation &op : *block)
    for (const rt::Access &access : rt::getAccesses(&op)) {
      auto argument =
          dyn_cast<BlockArgument>(rt::getViewedBuffer(access.buffer));
      if (!argument)
        continue;
      ArgumentUse &use = found[argument.getArgNumber()];
      use.isRead |=
          !use.isWritten &&
          (!access.isWrite || elements(access.buffer) != elements(argument));
      use.isWritten |= access.isWrite;
    }
  return found;
}
