//===- Collectives.cpp - Ranks that take part in a collective -------------===//

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

bool dist::spansStages(Operation *op) {
  ArrayAttr axes = collectiveAxes(op);
  MeshOp mesh = axes ? findMesh(op) : nullptr;
  return mesh && mesh.getAxes().hasRole(axes, AxisRole::Pipeline);
}

bool dist::isSameCollective(Operation *a, Operation *b) {
  return a->getName() == b->getName() &&
         a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute() &&
         llvm::equal(a->getOperandTypes(), b->getOperandTypes());
}
