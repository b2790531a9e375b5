//===- Dist.cpp - Registration of the dist dialect ------------------------===//

#include "dialects/Dist/Dist.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::dist;

#include "dialects/Dist/Dialect.cpp.inc"
#include "dialects/Dist/Enums.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Dist/Ops.cpp.inc"

namespace {

/// Prints shardings in short form, of which there is one per value, as aliases
/// that spell the sharding: #x_dp_sum_tp is #dist.sharding<*, dp | sum tp>.
struct DistAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    auto sharding = dyn_cast<ShardingAttr>(attr);
    if (!sharding || sharding.getMesh())
      return AliasResult::NoAlias;
    std::string name;
    auto add = [&](StringRef part, StringRef separator) {
      name += (name.empty() ? "" : separator.str()) + part.str();
    };
    for (DimAttr dim : sharding.getDims()) {
      if (dim.getAxes().empty())
        add("x", "_");
      for (auto [i, axis] : llvm::enumerate(dim.getAxes()))
        add(axis.getValue(), i == 0 ? "_" : "-");
    }
    for (auto [what, axes] : {std::pair("sum", sharding.getPartial()),
                              std::pair("max", sharding.getPartialMax())})
      for (auto [i, axis] : llvm::enumerate(axes)) {
        if (i == 0)
          add(what, "_");
        add(axis.getValue(), i == 0 ? "_" : "-");
      }
    os << (name.empty() ? "scalar" : name);
    return AliasResult::OverridableAlias;
  }
};

} // namespace

namespace pcc::dist {

void DistDialect::initialize() {
  registerAttributes();
  addInterfaces<DistAsmInterface>();
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
