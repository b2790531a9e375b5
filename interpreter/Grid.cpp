//===- Grid.cpp - Ranks and shards of a mesh ------------------------------===//

#include "interpreter/Grid.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;
using dist::Axis;

Grid::Grid(dist::Mesh mesh, bool stages) : mesh(mesh) {
  for (Axis axis = 0; axis < mesh.size(); ++axis)
    sizes.push_back(mesh.stageAxis() == axis && !stages ? 1
                                                        : mesh.extent(axis));
  strides = rowMajorStrides(sizes);
}

int64_t Grid::size() const {
  int64_t product = 1;
  for (int64_t extent : sizes)
    product *= extent;
  return product;
}

int64_t Grid::coordinate(int64_t rank, Axis axis) const {
  return rank / strides[axis] % sizes[axis];
}

int64_t Grid::numStages() const {
  std::optional<Axis> axis = mesh.stageAxis();
  return axis ? sizes[*axis] : 1;
}

int64_t Grid::stage(int64_t rank) const {
  std::optional<Axis> axis = mesh.stageAxis();
  return axis ? coordinate(rank, *axis) : 0;
}

SmallVector<int64_t> Grid::stageRanks(int64_t stage) const {
  SmallVector<int64_t> ranks;
  for (int64_t rank = 0; rank < size(); ++rank)
    if (this->stage(rank) == stage)
      ranks.push_back(rank);
  return ranks;
}

int64_t Grid::number(int64_t rank, ArrayRef<Axis> axes) const {
  int64_t number = 0;
  for (Axis axis : axes)
    number = number * sizes[axis] + coordinate(rank, axis);
  return number;
}

int64_t Grid::count(ArrayRef<Axis> axes) const {
  int64_t product = 1;
  for (Axis axis : axes)
    product *= sizes[axis];
  return product;
}

SmallVector<int64_t> Grid::peers(int64_t rank, ArrayRef<Axis> axes) const {
  SmallVector<int64_t> all = {rank};
  for (Axis axis : axes) {
    SmallVector<int64_t> longer;
    for (int64_t peer : all)
      for (int64_t c = 0; c < sizes[axis]; ++c)
        longer.push_back(peer + (c - coordinate(peer, axis)) * strides[axis]);
    all = longer;
  }
  return all;
}

dist::AxisList Grid::axes(ArrayAttr names) const {
  dist::AxisList all;
  for (auto name : names.getAsRange<StringAttr>())
    all.push_back(*mesh.find(name));
  return all;
}

Placement pcc::interp::placementOf(DictionaryAttr attrs, RankedTensorType type,
                                   const dist::Mesh &mesh) {
  Placement placement = {type, dist::Layout(type.getRank())};
  auto global = attrs ? attrs.getAs<TypeAttr>(dist::kGlobalAttr) : TypeAttr();
  if (!global)
    return placement;
  placement.global = cast<RankedTensorType>(global.getValue());
  if (auto sharding = attrs.getAs<dist::ShardingAttr>(dist::kShardingAttr))
    placement.layout = mesh.layout(sharding);
  return placement;
}

Tensor pcc::interp::block(const Tensor &from, int64_t dim, int64_t index,
                          int64_t count) {
  SmallVector<int64_t> shape(from.shape());
  shape[dim] /= count;
  Tensor to(RankedTensorType::get(shape, from.type.getElementType()));
  auto strides = rowMajorStrides(from.shape());
  readStrided(from, index * shape[dim] * strides[dim], strides, to);
  return to;
}

TensorRef pcc::interp::shard(const Tensor &global, const dist::Layout &layout,
                             const Grid &grid, int64_t rank) {
  Tensor part = global;
  for (auto [dim, axes] : llvm::enumerate(layout.dims))
    if (!axes.empty())
      part = block(part, dim, grid.number(rank, axes), grid.count(axes));
  return std::make_shared<Tensor>(std::move(part));
}

/// Returns the first element at which two replicas differ, or nothing.
static std::optional<int64_t> firstDifference(const Tensor &a,
                                              const Tensor &b) {
  for (int64_t i = 0; i < a.size(); ++i) {
    double x = a.get(i), y = b.get(i);
    if (x != y && (x == x || y == y))
      return i;
  }
  return std::nullopt;
}

llvm::Expected<Tensor> pcc::interp::rebuild(const Placement &placement,
                                            const Grid &grid,
                                            ArrayRef<int64_t> ranks,
                                            ArrayRef<TensorRef> parts) {
  const dist::Layout &layout = placement.layout;
  dist::AxisList distinct = (layout.split() | layout.partial).list();
  auto strides = rowMajorStrides(placement.global.getShape());
  Tensor global(placement.global);
  llvm::DenseMap<int64_t, size_t> seen; // number along `distinct` -> member
  for (auto [member, rank] : llvm::enumerate(ranks)) {
    const Tensor &part = *parts[member];
    auto [first, isNew] = seen.try_emplace(grid.number(rank, distinct), member);
    if (!isNew) {
      const Tensor &other = *parts[first->second];
      if (&part == &other)
        continue;
      if (auto at = firstDifference(other, part))
        return llvm::createStringError(
            llvm::formatv("ranks {0} and {1} hold the same shard, but differ "
                          "at its element {2}: {3:e9} and {4:e9}",
                          ranks[first->second], rank, *at, other.get(*at),
                          part.get(*at))
                .str());
      continue;
    }
    int64_t base = 0;
    for (auto [dim, axes] : llvm::enumerate(layout.dims))
      base += grid.number(rank, axes) * part.dim(dim) * strides[dim];
    forEachStrided(part.shape(), base, strides, [&](int64_t i, int64_t offset) {
      if (global.isFloat())
        global.real[offset] += part.real[i];
      else
        global.integer[offset] += part.integer[i];
    });
  }
  if (static_cast<int64_t>(seen.size()) != grid.count(distinct))
    return llvm::createStringError("some shards are missing");
  return global;
}
