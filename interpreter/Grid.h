//===- Grid.h - Ranks on a mesh, and what each holds ------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_GRID_H
#define PCC_INTERPRETER_GRID_H

#include "dialects/Dist/Layout.h"
#include "interpreter/Tensor.h"
#include "llvm/Support/Error.h"

namespace pcc::interp {

/// The values of the operands or results of an op on one rank.
using ValueList = llvm::SmallVector<TensorRef>;

/// The ranks of a mesh, the last axis fastest.
class Grid {
public:
  /// Without `stages` the axis of stages counts as one: before a program is
  /// cut into them, its collectives over that axis join parts that are still
  /// one.
  Grid(dist::Mesh mesh, bool stages);

  /// The mesh of the module; null for one rank.
  const dist::Mesh &getMesh() const { return mesh; }
  /// The number of all ranks.
  int64_t size() const;
  /// The number of stages; 1 where they count as one.
  int64_t numStages() const;
  /// The stage of a rank: its coordinate on their axis.
  int64_t stage(int64_t rank) const;
  /// The ranks of a stage, ascending.
  llvm::SmallVector<int64_t> stageRanks(int64_t stage) const;

  /// A rank's number among those that differ along some axes, the last axis
  /// of the list fastest.
  int64_t number(int64_t rank, llvm::ArrayRef<dist::Axis> axes) const;
  /// The number of ranks that differ along some axes alone.
  int64_t count(llvm::ArrayRef<dist::Axis> axes) const;
  /// The ranks that differ from this one along the axes only, by number.
  llvm::SmallVector<int64_t> peers(int64_t rank,
                                   llvm::ArrayRef<dist::Axis> axes) const;
  /// The axes that an attribute names; they are the mesh's (verified).
  dist::AxisList axes(mlir::ArrayAttr names) const;

private:
  int64_t coordinate(int64_t rank, dist::Axis axis) const;

  dist::Mesh mesh;
  llvm::SmallVector<int64_t> sizes, strides; ///< per axis
};

/// The global type of something declared with a local one, and where it lies.
struct Placement {
  /// The type of the whole tensor.
  mlir::RankedTensorType global;
  /// How the ranks hold it.
  dist::Layout layout;
};

/// From the attributes dist.global and dist.sharding where they are, else one
/// tensor of `type` that all ranks hold.
Placement placementOf(mlir::DictionaryAttr attrs, mlir::RankedTensorType type,
                      const dist::Mesh &mesh);

/// Block `index` of `count` equal ones along a dim.
Tensor block(const Tensor &from, int64_t dim, int64_t index, int64_t count);

/// A rank's part of a global tensor.
TensorRef shard(const Tensor &global, const dist::Layout &layout,
                const Grid &grid, int64_t rank);

/// The global tensor from the parts of some ranks: replicas must be equal to
/// the bit, partial sums are added. An error says which ranks disagree.
llvm::Expected<Tensor> rebuild(const Placement &placement, const Grid &grid,
                               llvm::ArrayRef<int64_t> ranks,
                               llvm::ArrayRef<TensorRef> parts);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_GRID_H
