//===- Layout.h - Shardings as passes compute with them ---------*- C++ -*-===//
//
// The attributes name axes; here axes are numbers in a mesh's order and sets
// of axes are bits.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_DIST_LAYOUT_H
#define PCC_DIALECTS_DIST_LAYOUT_H

#include "dialects/Dist/Dist.h"

namespace pcc::dist {

/// Position in the mesh's list.
using Axis = unsigned;
/// The axes of one dim, major to minor.
using AxisList = llvm::SmallVector<Axis, 2>;

/// A set of axes; iterates in the mesh's order.
class AxisSet {
public:
  AxisSet() = default;
  /// The set of these axes, in whatever order they are given.
  explicit AxisSet(llvm::ArrayRef<Axis> axes) {
    for (Axis axis : axes)
      insert(axis);
  }
  /// The set of one axis.
  static AxisSet of(Axis axis) { return AxisSet(llvm::ArrayRef<Axis>(axis)); }
  /// Whether the axis is one of the set.
  bool contains(Axis axis) const { return bits >> axis & 1; }
  /// Adds an axis, which may be there already.
  void insert(Axis axis) { bits |= uint64_t(1) << axis; }
  /// Removes an axis, which need not be there.
  void erase(Axis axis) { bits &= ~(uint64_t(1) << axis); }
  /// Whether there is no axis.
  bool empty() const { return !bits; }
  /// The axes of either.
  AxisSet operator|(AxisSet other) const { return AxisSet(bits | other.bits); }
  /// The axes of both.
  AxisSet operator&(AxisSet other) const { return AxisSet(bits & other.bits); }
  /// The axes that the other has not.
  AxisSet operator-(AxisSet other) const { return AxisSet(bits & ~other.bits); }
  bool operator==(AxisSet other) const { return bits == other.bits; }
  bool operator!=(AxisSet other) const { return bits != other.bits; }
  /// Some total order, for containers.
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

/// Where a tensor lies: what ShardingAttr says, without open dims.
struct Layout {
  /// Of each dim the axes that split it, major to minor.
  llvm::SmallVector<AxisList, 4> dims;
  /// The tensor is the sum of what the ranks along these axes hold.
  AxisSet partial;
  /// The tensor is the maximum of what the ranks along these axes hold.
  AxisSet partialMax;

  Layout() = default;
  /// Of a tensor of this rank that every rank holds whole.
  explicit Layout(unsigned rank) : dims(rank) {}
  /// The axes that split a dim.
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
  /// The mesh that `op` declares; null for one rank.
  explicit Mesh(MeshOp op) : op(op) {}

  /// Whether there is a mesh: more than one rank.
  explicit operator bool() const { return !!op; }
  /// The number of axes.
  unsigned size() const { return op ? op.getAxes().getSizes().size() : 0; }
  /// The number of ranks along an axis.
  int64_t extent(Axis axis) const { return op.getAxes().getSizes()[axis]; }
  /// The number of ranks along some axes together.
  int64_t extent(llvm::ArrayRef<Axis> axes) const;
  /// An axis' name, such as "tp".
  mlir::StringAttr name(Axis axis) const {
    return op.getAxes().getNames()[axis];
  }
  /// The axis of this name, if the mesh has it.
  std::optional<Axis> find(llvm::StringRef name) const;
  /// All axes of the mesh.
  AxisSet all() const;
  /// What an axis is for.
  AxisRole role(Axis axis) const { return op.getAxes().getRoles()[axis]; }
  /// The axes that are for this.
  AxisSet withRole(AxisRole role) const;
  /// The axes of tensor parallelism, the major first.
  AxisSet tensorAxes() const { return withRole(AxisRole::Tensor); }
  /// The axes over which what a step reads is spread: batch and sequence.
  AxisSet dataAxes() const {
    return withRole(AxisRole::Data) | withRole(AxisRole::Sequence);
  }
  /// The axis along which stages lie, if there are stages.
  std::optional<Axis> stageAxis() const {
    AxisList axes = withRole(AxisRole::Pipeline).list();
    return axes.empty() ? std::nullopt : std::optional(axes.front());
  }

  /// Axes must be the mesh's (verified); open dims lose their mark.
  Layout layout(ShardingAttr sharding) const;
  /// A layout as an attribute, no dim of which is open.
  ShardingAttr attr(const Layout &layout) const;
  /// The same in the short form, which does not name the mesh.
  ShardingAttr shortAttr(const Layout &layout) const;
  /// The names of axes, in the order given.
  mlir::ArrayAttr names(llvm::ArrayRef<Axis> axes) const;
  /// A rank's part of a tensor.
  mlir::RankedTensorType localType(mlir::RankedTensorType global,
                                   const Layout &layout) const;
  /// The tensor that a rank has such a part of.
  mlir::RankedTensorType globalType(mlir::RankedTensorType local,
                                    const Layout &layout) const;
  /// Only of a mesh that is there.
  mlir::MLIRContext *getContext() const { return op->getContext(); }

private:
  ShardingAttr attrOf(const Layout &layout, mlir::FlatSymbolRefAttr mesh) const;

  mutable MeshOp op;
};

/// A sharding in the short form.
ShardingAttr getShort(ShardingAttr sharding);
/// Has an op say how its results lie.
void setShardings(mlir::Operation *op, llvm::ArrayRef<ShardingAttr> shardings);
/// The sharding that an op says its result has; a null attribute if none.
ShardingAttr getSharding(mlir::OpResult result);
/// The sharding of an argument of a function or another op's region, or of an
/// op's result.
ShardingAttr getSharding(mlir::Value value);

} // namespace pcc::dist

#endif // PCC_DIALECTS_DIST_LAYOUT_H
