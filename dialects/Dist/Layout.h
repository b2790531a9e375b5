//===- Layout.h - Shardings with axes as numbers ----------------*- C++ -*-===//
//
// The attributes refer to axes by name. Passes compute with this form, in which
// an axis is its index in the mesh and a set of axes is a bit mask.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_DIST_LAYOUT_H
#define PCC_DIALECTS_DIST_LAYOUT_H

#include "dialects/Dist/Dist.h"

namespace pcc::dist {

/// Index of an axis in the mesh's list of axes.
using Axis = unsigned;
/// The axes of one dim, major to minor.
using AxisList = llvm::SmallVector<Axis, 2>;

/// A set of axes; `list` returns them in the mesh's order.
class AxisSet {
public:
  AxisSet() = default;
  /// The set of the given axes; their order is ignored.
  explicit AxisSet(llvm::ArrayRef<Axis> axes) {
    for (Axis axis : axes)
      insert(axis);
  }
  /// The set with one axis.
  static AxisSet of(Axis axis) { return AxisSet(llvm::ArrayRef<Axis>(axis)); }
  /// Whether the set contains the axis.
  bool contains(Axis axis) const { return bits >> axis & 1; }
  /// Adds an axis; no effect if the set contains it.
  void insert(Axis axis) { bits |= uint64_t(1) << axis; }
  /// Removes an axis; no effect if the set does not contain it.
  void erase(Axis axis) { bits &= ~(uint64_t(1) << axis); }
  /// Whether the set is empty.
  bool empty() const { return !bits; }
  /// The union.
  AxisSet operator|(AxisSet other) const { return AxisSet(bits | other.bits); }
  /// The intersection.
  AxisSet operator&(AxisSet other) const { return AxisSet(bits & other.bits); }
  /// The axes that are not in `other`.
  AxisSet operator-(AxisSet other) const { return AxisSet(bits & ~other.bits); }
  bool operator==(AxisSet other) const { return bits == other.bits; }
  bool operator!=(AxisSet other) const { return bits != other.bits; }
  /// An arbitrary total order, for containers.
  bool operator<(AxisSet other) const { return bits < other.bits; }
  /// The axes in the mesh's order.
  AxisList list() const {
    AxisList axes;
    for (Axis axis = 0; axis < 64; ++axis)
      if (contains(axis))
        axes.push_back(axis);
    return axes;
  }

private:
  explicit AxisSet(uint64_t bits) : bits(bits) {}
  uint64_t bits = 0;
};

/// The sharding of a tensor: the contents of a ShardingAttr without open dims.
struct Layout {
  /// For each dim the axes that it is sharded over, major to minor.
  llvm::SmallVector<AxisList, 4> dims;
  /// The axes over which the tensor is a partial sum.
  AxisSet partial;
  /// The axes over which the tensor is a partial maximum.
  AxisSet partialMax;

  Layout() = default;
  /// The layout of a replicated tensor with `rank` dims.
  explicit Layout(unsigned rank) : dims(rank) {}
  /// The axes that any dim is sharded over.
  AxisSet split() const;
  bool operator==(const Layout &other) const {
    return dims == other.dims && partial == other.partial &&
           partialMax == other.partialMax;
  }
  bool operator!=(const Layout &other) const { return !(*this == other); }
};

/// The mesh of a module.
class Mesh {
public:
  /// A mesh without axes: one rank.
  Mesh() = default;
  /// The mesh that `op` declares; a null `op` is a mesh of one rank.
  explicit Mesh(MeshOp op) : op(op) {}

  /// Whether there is a mesh op, that is, more than one rank.
  explicit operator bool() const { return !!op; }
  /// The number of axes.
  unsigned size() const { return op ? op.getAxes().getSizes().size() : 0; }
  /// The number of ranks along an axis.
  int64_t extent(Axis axis) const { return op.getAxes().getSizes()[axis]; }
  /// The number of ranks along several axes: the product of their sizes.
  int64_t extent(llvm::ArrayRef<Axis> axes) const;
  /// The name of an axis, such as "tp".
  mlir::StringAttr name(Axis axis) const {
    return op.getAxes().getNames()[axis];
  }
  /// The axis with this name, if the mesh has one.
  std::optional<Axis> find(llvm::StringRef name) const;
  /// All axes of the mesh.
  AxisSet all() const;
  /// The role of an axis.
  AxisRole role(Axis axis) const { return op.getAxes().getRoles()[axis]; }
  /// The axes with a role.
  AxisSet withRole(AxisRole role) const;
  /// The tensor-parallel axes.
  AxisSet tensorAxes() const { return withRole(AxisRole::Tensor); }
  /// The expert-parallel axes. The batch is sharded over them, too.
  AxisSet expertAxes() const { return withRole(AxisRole::Expert); }
  /// The axes that the batch is sharded over.
  AxisSet batchAxes() const { return withRole(AxisRole::Data) | expertAxes(); }
  /// The axes that a step's inputs are sharded over: batch and sequence.
  AxisSet dataAxes() const {
    return batchAxes() | withRole(AxisRole::Sequence);
  }
  /// The data axes of a tensor that is sharded over `split`: those along which
  /// ranks have the same elements of it.
  AxisSet dataAxesBeside(AxisSet split) const { return dataAxes() - split; }
  /// The pipeline-parallel axis, if the mesh has one.
  std::optional<Axis> stageAxis() const {
    AxisList axes = withRole(AxisRole::Pipeline).list();
    return axes.empty() ? std::nullopt : std::optional(axes.front());
  }

  /// Converts a sharding whose axes all belong to this mesh, which verifiers
  /// guarantee. Whether a dim is open is dropped.
  Layout layout(ShardingAttr sharding) const;
  /// Converts a layout to an attribute without open dims.
  ShardingAttr attr(const Layout &layout) const;
  /// Converts a layout to the short form, which does not name the mesh.
  ShardingAttr shortAttr(const Layout &layout) const;
  /// The names of axes, in the order given.
  mlir::ArrayAttr names(llvm::ArrayRef<Axis> axes) const;
  /// The type of a rank's shard of a tensor.
  mlir::RankedTensorType localType(mlir::RankedTensorType global,
                                   const Layout &layout) const;
  /// The type of the tensor whose shards have the type `local`.
  mlir::RankedTensorType globalType(mlir::RankedTensorType local,
                                    const Layout &layout) const;
  /// Requires a mesh op.
  mlir::MLIRContext *getContext() const { return op->getContext(); }

private:
  ShardingAttr attrOf(const Layout &layout, mlir::FlatSymbolRefAttr mesh) const;

  mutable MeshOp op;
};

/// Converts a sharding to the short form, which does not name the mesh.
ShardingAttr getShort(ShardingAttr sharding);
/// Attaches shardings to an op, one per result, as `dist.shardings`.
void setShardings(mlir::Operation *op, llvm::ArrayRef<ShardingAttr> shardings);
/// The sharding that `dist.shardings` declares for a result; null if none.
ShardingAttr getSharding(mlir::OpResult result);
/// The declared sharding of an op's result, or of an argument of a function or
/// of another op's region; null if none.
ShardingAttr getSharding(mlir::Value value);

} // namespace pcc::dist

#endif // PCC_DIALECTS_DIST_LAYOUT_H
