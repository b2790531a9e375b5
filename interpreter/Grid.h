//===- Grid.h - Ranks and shards of a mesh ----------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_GRID_H
#define PCC_INTERPRETER_GRID_H

#include "dialects/Dist/Layout.h"
#include "interpreter/Tensor.h"
#include "llvm/Support/Error.h"

namespace pcc::interp {

/// The values of an op's operands or results on one rank.
using ValueList = llvm::SmallVector<TensorRef>;

/// The ranks of a mesh, the last axis fastest.
class Grid {
public:
  /// Without `stages`, the pipeline axis has extent 1: before a program is
  /// split into stages, collectives over that axis combine values that are not
  /// yet separate.
  Grid(dist::Mesh mesh, bool stages);

  /// The mesh of the module; null for one rank.
  const dist::Mesh &getMesh() const { return mesh; }
  /// The number of all ranks.
  int64_t size() const;
  /// The number of stages; 1 without `stages`.
  int64_t numStages() const;
  /// The stage of a rank: its coordinate along the pipeline axis.
  int64_t stage(int64_t rank) const;
  /// The ranks of a stage, ascending.
  llvm::SmallVector<int64_t> stageRanks(int64_t stage) const;

  /// The index of a rank among the ranks that differ from it only along some
  /// axes, the last axis of the list fastest.
  int64_t number(int64_t rank, llvm::ArrayRef<dist::Axis> axes) const;
  /// The number of ranks that differ only along some axes.
  int64_t count(llvm::ArrayRef<dist::Axis> axes) const;
  /// The ranks that differ from this one only along some axes, by index.
  llvm::SmallVector<int64_t> peers(int64_t rank,
                                   llvm::ArrayRef<dist::Axis> axes) const;
  /// The axes that an attribute names; the verifier has checked that the mesh
  /// has them.
  dist::AxisList axes(mlir::ArrayAttr names) const;

private:
  int64_t coordinate(int64_t rank, dist::Axis axis) const;

  dist::Mesh mesh;
  llvm::SmallVector<int64_t> sizes, strides; ///< per axis
};

/// The global type and the sharding of a symbol or argument.
struct Placement {
  mlir::RankedTensorType global;
  dist::Layout layout;
};

/// Returns the placement by the attributes dist.global and dist.sharding.
/// Without them, the tensor has the type `type` and is replicated.
Placement placementOf(mlir::DictionaryAttr attrs, mlir::RankedTensorType type,
                      const dist::Mesh &mesh);

/// Returns block `index` of `count` equal blocks along a dim.
Tensor block(const Tensor &from, int64_t dim, int64_t index, int64_t count);

/// Returns a rank's shard of a global tensor.
TensorRef shard(const Tensor &global, const dist::Layout &layout,
                const Grid &grid, int64_t rank);

/// Returns the global tensor of the shards of some ranks. Replicas must have
/// equal elements (any two NaNs are equal); partial sums are added. An error
/// names the ranks that disagree, or says that shards are missing.
llvm::Expected<Tensor> rebuild(const Placement &placement, const Grid &grid,
                               llvm::ArrayRef<int64_t> ranks,
                               llvm::ArrayRef<TensorRef> parts);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_GRID_H
