//===- BucketMembers.h - Trained parameters and their buckets -------------===//

#ifndef PCC_PASSES_SHARDING_BUCKETMEMBERS_H
#define PCC_PASSES_SHARDING_BUCKETMEMBERS_H

#include "dialects/Dist/Layout.h"
#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace pcc::nn {

/// A trained parameter, its states, and the ops of @update on it.
struct TrainedParam {
  ParamOp param;                         ///< the parameter
  StateOp gradient;                      ///< its accumulated gradient
  StateOp copy;                          ///< its working copy, or null
  llvm::SmallVector<StateOp, 2> moments; ///< the optimizer's moments
  /// Its optimizer step and the sum of squares of its gradient.
  mlir::Operation *step = nullptr, *squares = nullptr;
  RoundingBitsOp rounding; ///< of the step; may be null
  /// The stages and segments that use it, ascending.
  llvm::SmallVector<int64_t> stages, segments;

  /// Returns the first segment that uses it.
  int64_t segment() const { return segments.empty() ? 0 : segments.front(); }
  /// Returns the number of this rank's elements.
  int64_t elements() const {
    return ParamOp(param).getTensorType().getNumElements();
  }
};

/// The properties that all members of a bucket share.
struct BucketClass {
  /// The stages that use a member.
  llvm::SmallVector<int64_t> stages;
  /// The axes that shard a member, and those over which its gradient is
  /// partial.
  dist::AxisSet split, partial;
  /// Whether weight decay applies.
  bool decay = false;
  /// The element type of working copies, or null.
  mlir::Type copied;
  /// Whether data axes shard the optimizer state, and all functions but @update
  /// use the working copies only.
  bool isMaster = false;
  /// The parameter if several stages hold it, else null; it has a bucket of its
  /// own.
  mlir::Operation *alone = nullptr;
  /// With ZeRO 3 the segments that use the members, else empty.
  llvm::SmallVector<int64_t> segments;

  /// Returns the axes along which ranks have the same members and different
  /// data, which ZeRO shards the bucket over: for experts not those that the
  /// experts are split over.
  dist::AxisSet dataAxes(const dist::Mesh &mesh) const {
    return mesh ? mesh.dataAxesBeside(split) : dist::AxisSet();
  }

  bool operator==(const BucketClass &other) const {
    return stages == other.stages && split == other.split &&
           partial == other.partial && decay == other.decay &&
           copied == other.copied && isMaster == other.isMaster &&
           alone == other.alone && segments == other.segments;
  }
};

/// A bucket: the layout of its members in one flat buffer.
struct Bucket {
  BucketClass alike;
  /// In the order of their elements.
  llvm::SmallVector<const TrainedParam *> members;
  /// The first element of each member.
  llvm::SmallVector<int64_t> offsets;
  /// The end of the last member, and the length with padding.
  int64_t end = 0, elements = 0;
};

/// Returns the sharding of a parameter or state; without a mesh that of a whole
/// tensor.
dist::Layout layoutOf(const dist::Mesh &mesh, mlir::Operation *symbol);

/// The parameters that @update trains, and their buckets.
class BucketMembers {
public:
  /// Collects the trained parameters of a module; `update` is its @update.
  BucketMembers(mlir::ModuleOp module, mlir::func::FuncOp update,
                const dist::Mesh &mesh);

  /// Returns the sum of all gradients' squares in @update; null: no buckets can
  /// be formed.
  SumOp sumOfSquares() const { return total; }
  /// Returns the buckets for a ZeRO stage. A bucket that has `bytes` of
  /// gradients takes no further segment. The members live as long as this
  /// object.
  std::vector<Bucket> form(int64_t zero, int64_t bytes) const;

private:
  void collect(mlir::ModuleOp module);
  void findSquares(const llvm::StringMap<TrainedParam *> &byGradient);
  void findUses(mlir::ModuleOp module);
  bool isRegular(const TrainedParam &one) const;
  BucketClass classOf(const TrainedParam &one, int64_t zero) const;

  mlir::func::FuncOp update;
  const dist::Mesh &mesh;
  std::vector<TrainedParam> trained; ///< in the module's order
  /// The symbols that other functions than @update read.
  llvm::StringSet<> used;
  SumOp total;
};

} // namespace pcc::nn

#endif // PCC_PASSES_SHARDING_BUCKETMEMBERS_H
