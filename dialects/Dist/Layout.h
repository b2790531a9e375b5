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
  explicit AxisSet(llvm::ArrayRef<Axis> axes) {
    for (Axis axis : axes)
      insert(axis);
  }
  static AxisSet of(Axis axis) { return AxisSet(llvm::ArrayRef<Axis>(axis)); }
  bool contains(Axis axis) const { return bits >> axis & 1; }
  void insert(Axis axis) { bits |= uint64_t(1) << axis; }
  void erase(Axis axis) { bits &= ~(uint64_t(1) << axis); }
  bool empty() const { return !bits; }
  AxisSet operator|(AxisSet other) const { return AxisSet(bits | other.bits); }
  AxisSet operator&(AxisSet other) const { return AxisSet(bits & other.bits); }
  AxisSet operator-(AxisSet other) const { return AxisSet(bits & ~other.bits); }
  bool operator==(AxisSet other) const { return bits == other.bits; }
  bool operator!=(AxisSet other) const { return bits != other.bits; }
  bool operator<(AxisSet other) const { return bits < other.bits; }
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
  llvm::SmallVector<AxisList, 4> dims;
  AxisSet partial;

  Layout() = default;
  explicit Layout(unsigned rank) : dims(rank) {}
  /// The axes that split a dim.
  AxisSet split() const;
  bool operator==(const Layout &other) const {
    return dims == other.dims && partial == other.partial;
  }
  bool operator!=(const Layout &other) const { return !(*this == other); }
};

/// The mesh of a module.
class Mesh {
public:
  /// A mesh without axes: one rank.
  Mesh() = default;
  explicit Mesh(MeshOp op) : op(op) {}

  explicit operator bool() const { return !!op; }
  unsigned size() const { return op ? op.getAxes().getSizes().size() : 0; }
  int64_t extent(Axis axis) const { return op.getAxes().getSizes()[axis]; }
  /// The number of ranks along some axes together.
  int64_t extent(llvm::ArrayRef<Axis> axes) const;
  mlir::StringAttr name(Axis axis) const {
    return op.getAxes().getNames()[axis];
  }
  std::optional<Axis> find(llvm::StringRef name) const;
  AxisSet all() const;
  /// The axes of tensor parallelism: "tp", or "tp_kv" and "tp_rep".
  AxisSet tensorAxes() const;
  /// The axes over which the batch is spread: "dp" and "cp".
  AxisSet dataAxes() const;

  /// Axes must be the mesh's (verified); open dims lose their mark.
  Layout layout(ShardingAttr sharding) const;
  ShardingAttr attr(const Layout &layout) const;
  mlir::ArrayAttr names(llvm::ArrayRef<Axis> axes) const;
  /// A rank's part of a tensor.
  mlir::RankedTensorType localType(mlir::RankedTensorType global,
                                   const Layout &layout) const;
  mlir::MLIRContext *getContext() const { return op->getContext(); }

private:
  mutable MeshOp op;
};

/// The sharding that an op says its result has; a null attribute if none.
ShardingAttr getSharding(mlir::OpResult result);
/// The sharding of a function's argument, or of an op's result.
ShardingAttr getSharding(mlir::Value value);

} // namespace pcc::dist

#endif // PCC_DIALECTS_DIST_LAYOUT_H
