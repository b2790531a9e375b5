//===- Dist.cpp - Registration of the dist dialect ------------------------===//

#include "dialects/Dist/Dist.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/Dist/Dialect.cpp.inc"
#include "dialects/Dist/Enums.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Dist/Ops.cpp.inc"

namespace pcc::dist {

void DistDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Dist/Ops.cpp.inc"
      >();
}

MeshOp findMesh(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  if (!module)
    return nullptr;
  auto meshes = module.getOps<MeshOp>();
  return meshes.empty() ? nullptr : *meshes.begin();
}

} // namespace pcc::dist
