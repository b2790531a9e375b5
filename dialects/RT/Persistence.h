//===- Persistence.h - What outlives an entry point of a stage --*- C++ -*-===//
//
// A stage's arena has two parts. Parameters, optimizer state and similar
// buffers keep their contents from one entry point to the next. All others are
// dead when an entry point begins, and share memory.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_RT_PERSISTENCE_H
#define PCC_DIALECTS_RT_PERSISTENCE_H

#include "dialects/RT/RT.h"

namespace pcc::rt {

/// Whether a buffer of this kind is a tensor that the program describes to the
/// runtime by a pcc_tensor.
bool isTensor(BufferKind kind);

/// Whether a buffer of this kind may have a layout.
bool hasLayout(BufferKind kind);

/// The gradient buffers of a stage; for a gradient in a bucket, the bucket.
llvm::DenseSet<mlir::Operation *> findGradients(StageOp stage);

/// Maps each bucket whose memory also stores the rank's shard to that shard, a
/// buffer of kind part. Only the shard is valid when an entry point begins.
llvm::DenseMap<mlir::Operation *, BufferOp> findShards(StageOp stage);

/// The bucket of one microbatch's gradients that `buffer` accumulates; null if
/// it accumulates none.
BufferOp bucketSummedIn(BufferOp buffer, const mlir::SymbolTable &symbols);

/// The buffers of a stage that may be in an offloaded range of the arena:
/// moments, and master weights, which have a working copy of a narrower type.
/// Of buffers in a bucket, the bucket. Only kernels on the compute stream
/// access them.
llvm::DenseSet<mlir::Operation *> findOffloadable(StageOp stage);

/// The most bytes of an offloaded range that one kernel accesses. A CPU has no
/// more of the range in memory.
int64_t findOffloadWindow(StageOp stage);

/// The buffers of a stage that outlive an entry point.
class PersistentBuffers {
public:
  /// Finds them; the stage must outlive this unchanged.
  explicit PersistentBuffers(StageOp stage);

  /// Whether the contents of a buffer outlive an entry point. Those of a
  /// gradient with a first writer do not, nor those of a working copy that is
  /// gathered from shards. A member of a bucket has the bucket's answer. If
  /// only the rank's shard of a bucket does, the answer is true for the part
  /// and false for the bucket and its members.
  bool contains(BufferOp buffer) const;

  /// Whether a buffer has memory of its own in the arena, because it or, for a
  /// bucket, the rank's shard of it outlives an entry point.
  bool isReserved(BufferOp buffer) const;

private:
  /// The bucket of a member, else the buffer itself.
  BufferOp wholeOf(BufferOp buffer) const;

  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Operation *, BufferOp> shards;
  /// Gradients, gathered working copies, and the buckets of these.
  llvm::DenseSet<mlir::Operation *> reinitialized;
};

} // namespace pcc::rt

#endif // PCC_DIALECTS_RT_PERSISTENCE_H
