//===- Layout.cpp - Shardings with axes as numbers ------------------------===//

#include "dialects/Dist/Layout.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace pcc::dist;

AxisSet Layout::split() const {
  AxisSet all;
  for (const AxisList &dim : dims)
    all = all | AxisSet(dim);
  return all;
}

int64_t Mesh::extent(ArrayRef<Axis> axes) const {
  int64_t product = 1;
  for (Axis axis : axes)
    product *= extent(axis);
  return product;
}

std::optional<Axis> Mesh::find(StringRef name) const {
  return op ? op.getAxes().find(name) : std::nullopt;
}

AxisSet Mesh::all() const {
  AxisSet axes;
  for (Axis axis = 0; axis < size(); ++axis)
    axes.insert(axis);
  return axes;
}

AxisSet Mesh::withRole(AxisRole role) const {
  AxisSet axes;
  for (Axis axis = 0; axis < size(); ++axis)
    if (this->role(axis) == role)
      axes.insert(axis);
  return axes;
}

Layout Mesh::layout(ShardingAttr sharding) const {
  Layout layout(sharding.getDims().size());
  for (auto [dim, axes] : llvm::zip(sharding.getDims(), layout.dims))
    for (StringAttr axis : dim.getAxes())
      axes.push_back(*find(axis));
  for (StringAttr axis : sharding.getPartial())
    layout.partial.insert(*find(axis));
  for (StringAttr axis : sharding.getPartialMax())
    layout.partialMax.insert(*find(axis));
  return layout;
}

ShardingAttr Mesh::attr(const Layout &layout) const {
  return attrOf(layout, FlatSymbolRefAttr::get(op.getSymNameAttr()));
}

ShardingAttr Mesh::shortAttr(const Layout &layout) const {
  return attrOf(layout, {});
}

ShardingAttr pcc::dist::getShort(ShardingAttr sharding) {
  return ShardingAttr::get(sharding.getContext(), {}, sharding.getDims(),
                           sharding.getPartial(), sharding.getPartialMax());
}

ShardingAttr Mesh::attrOf(const Layout &layout, FlatSymbolRefAttr mesh) const {
  auto namesOf = [&](ArrayRef<Axis> axes) {
    SmallVector<StringAttr> names;
    for (Axis axis : axes)
      names.push_back(name(axis));
    return names;
  };
  SmallVector<DimAttr> dims;
  for (const AxisList &axes : layout.dims)
    dims.push_back(DimAttr::get(getContext(), namesOf(axes), false));
  return ShardingAttr::get(getContext(), mesh, dims,
                           namesOf(layout.partial.list()),
                           namesOf(layout.partialMax.list()));
}

ArrayAttr Mesh::names(ArrayRef<Axis> axes) const {
  SmallVector<Attribute> all;
  for (Axis axis : axes)
    all.push_back(name(axis));
  return ArrayAttr::get(getContext(), all);
}

RankedTensorType Mesh::localType(RankedTensorType global,
                                 const Layout &layout) const {
  SmallVector<int64_t> shape(global.getShape());
  for (auto [extent, axes] : llvm::zip_equal(shape, layout.dims))
    extent /= this->extent(axes);
  return RankedTensorType::get(shape, global.getElementType());
}

RankedTensorType Mesh::globalType(RankedTensorType local,
                                  const Layout &layout) const {
  SmallVector<int64_t> shape(local.getShape());
  for (auto [extent, axes] : llvm::zip_equal(shape, layout.dims))
    extent *= this->extent(axes);
  return RankedTensorType::get(shape, local.getElementType());
}

void pcc::dist::setShardings(Operation *op, ArrayRef<ShardingAttr> shardings) {
  SmallVector<Attribute> all(shardings.begin(), shardings.end());
  op->setAttr(kShardingsAttr, ArrayAttr::get(op->getContext(), all));
}

ShardingAttr pcc::dist::getSharding(OpResult result) {
  auto all = result.getOwner()->getAttrOfType<ArrayAttr>(kShardingsAttr);
  if (!all || all.size() != result.getOwner()->getNumResults())
    return {};
  return dyn_cast<ShardingAttr>(all[result.getResultNumber()]);
}

ShardingAttr pcc::dist::getSharding(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return getSharding(result);
  auto argument = cast<BlockArgument>(value);
  Operation *owner = argument.getOwner()->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(owner);
  if (!function) {
    auto all = owner->getAttrOfType<ArrayAttr>(kArgumentsAttr);
    return all && argument.getArgNumber() < all.size()
               ? dyn_cast<ShardingAttr>(all[argument.getArgNumber()])
               : ShardingAttr();
  }
  return function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                 kShardingAttr);
}
