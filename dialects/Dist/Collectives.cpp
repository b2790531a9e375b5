//===- Collectives.cpp - Which ranks an op joins --------------------------===//

#include "dialects/Dist/Collectives.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;

ArrayAttr dist::collectiveAxes(Operation *op) {
  return llvm::TypeSwitch<Operation *, ArrayAttr>(op)
      .Case<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp>(
          [](auto op) { return op.getAxes(); })
      .Default(ArrayAttr());
}

bool dist::joinsStages(Operation *op) {
  ArrayAttr axes = collectiveAxes(op);
  return axes && llvm::any_of(axes.getAsRange<StringAttr>(),
                              [](StringAttr axis) { return axis == "pp"; });
}

bool dist::canMeet(Operation *a, Operation *b) {
  return a->getName() == b->getName() &&
         a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute() &&
         llvm::equal(a->getOperandTypes(), b->getOperandTypes());
}
