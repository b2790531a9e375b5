//===- Location.cpp - Where an op comes from ------------------------------===//

#include "dialects/NN/Location.h"

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
