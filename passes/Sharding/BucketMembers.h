//===- BucketMembers.h - What is trained, and which of it shares a row ----===//

#ifndef PCC_PASSES_SHARDING_BUCKETMEMBERS_H
#define PCC_PASSES_SHARDING_BUCKETMEMBERS_H

#include "dialects/Dist/Layout.h"
#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace pcc::nn {

/// A trained parameter, all that is kept of it, and what @update does to it.
struct TrainedParam {
  ParamOp param;    ///< itself
  StateOp gradient; ///< what microbatches add up to
  StateOp copy;     ///< in fewer bits or to be released; or null
  llvm::SmallVector<StateOp, 2> moments; ///< the optimizer's
  /// Its step of the optimizer, and the sum of its gradient's squares.
  mlir::Operation *step = nullptr, *squares = nullptr;
  /// The stages and segments that use it, in order.
  llvm::SmallVector<int64_t> stages, segments;

  /// The first of them.
  int64_t segment() const { return segments.empty() ? 0 : segments.front(); }
  /// What this rank has of it.
  int64_t elements() const {
    return ParamOp(param).getTensorType().getNumElements();
  }
};

/// What the members of a bucket have in common.
struct BucketClass {
  /// The stages that use a member.
  llvm::SmallVector<int64_t> stages;
  /// The axes that split a member, and over which its gradient is a sum.
  dist::AxisSet split, partial;
  /// Whether weights decay.
  bool decay = false;
  /// Of copies, or null.
  mlir::Type copied;
  /// Whether copies are all that others than @update use.
  bool isMaster = false;
  /// A parameter that several stages have; else null.
  mlir::Operation *alone = nullptr;
  /// The segments that have them, where only those have them.
  llvm::SmallVector<int64_t> segments;

  bool operator==(const BucketClass &other) const {
    return stages == other.stages && split == other.split &&
           partial == other.partial && decay == other.decay &&
           copied == other.copied && isMaster == other.isMaster &&
           alone == other.alone && segments == other.segments;
  }
};

/// A row, and what lies where in it.
struct Bucket {
  /// Of all members.
  BucketClass alike;
  /// From the first element on.
  llvm::SmallVector<const TrainedParam *> members;
  /// Of each member's first element.
  llvm::SmallVector<int64_t> offsets;
  /// The end of the last member; with padding.
  int64_t end = 0, elements = 0;
};

/// How a parameter or state lies on a mesh; whole where there is none.
dist::Layout layoutOf(const dist::Mesh &mesh, mlir::Operation *symbol);

/// What @update trains, and the buckets of it.
class BucketMembers {
public:
  /// Reads what a module trains; `update` is its @update.
  BucketMembers(mlir::ModuleOp module, mlir::func::FuncOp update,
                const dist::Mesh &mesh);

  /// The sum of all gradients' squares in @update; null: nothing can be in a
  /// bucket.
  SumOp sumOfSquares() const { return total; }
  /// The buckets at a stage of ZeRO, each of so many bytes of gradients before
  /// another segment begins another one. Their members live as long as this.
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
  /// What other functions than @update read.
  llvm::StringSet<> used;
  SumOp total;
};

} // namespace pcc::nn

#endif // PCC_PASSES_SHARDING_BUCKETMEMBERS_H
