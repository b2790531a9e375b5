//===- Location.cpp - Source node and stage of an op ----------------------===//

#include "dialects/NN/Location.h"
#include "dialects/NN/AttrNames.h"

using namespace mlir;

StringRef pcc::nn::sourceNode(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return named.getName();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = sourceNode(part); !name.empty())
        return name;
  return {};
}

void pcc::nn::inheritStage(Operation *op, Operation *from) {
  for (StringRef name : kStageAttrs)
    if (Attribute attr = from->getAttr(name))
      op->setAttr(name, attr);
}
