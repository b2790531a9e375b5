//===- BucketOffsets.h - Buckets with several offsets -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_BUCKETOFFSETS_H
#define PCC_PASSES_CODEGEN_LOWER_BUCKETOFFSETS_H

#include "dialects/RT/Persistence.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace pcc {

/// Resets every bucket of a stage to a single offset.
void resetOffsets(rt::StageOp stage);

/// The buckets of a stage that are filled and killed repeatedly, and the
/// offsets that each may have: at most as many as its addresses distinguish.
class BucketOffsets {
public:
  /// Buckets must have one slot.
  BucketOffsets(rt::StageOp stage, const rt::PersistentBuffers &persistent);

  /// Whether a buffer is one of these buckets.
  bool contains(rt::BufferOp buffer) const { return rows.contains(buffer); }
  /// The number of offsets that a bucket may have.
  unsigned countOffsets(rt::BufferOp row) const;
  /// The index of the offset that an address of a bucket or of a member refers
  /// to in iteration `variable` of the loop around it.
  unsigned placeOf(rt::AddressOp address, int64_t variable) const;
  /// The number of iterations of a loop after which its addresses refer to the
  /// same offsets again.
  int64_t getTurns(rt::ForOp loop) const { return turns.lookup(loop); }

  /// Assigns the offsets of a bucket, by index, and sets the slots of the
  /// addresses of the bucket and its members. Indices with the same offset
  /// share a slot. The slots of the members themselves are set by planArena().
  void assign(rt::BufferOp row, llvm::ArrayRef<int64_t> offsets);

private:
  /// An address, in one of the iterations of its loop until they repeat.
  using Name = std::pair<mlir::Operation *, int64_t>;
  struct Row {
    unsigned places = 0;
    /// The addresses of the bucket and its members, in the order of the ops.
    llvm::SmallSetVector<mlir::Operation *, 8> addresses;
  };

  void follow(mlir::Block &ops, int64_t variable);
  void follow(mlir::Operation &op, int64_t variable);
  Name nameOf(rt::AddressOp address, int64_t variable) const;
  /// The bucket that contains a value, or null.
  mlir::Operation *rowOf(mlir::Value value) const;
  bool isDeadAfterCall(mlir::Operation &op, mlir::OpOperand &operand) const;

  mlir::SymbolTable symbols;
  llvm::MapVector<mlir::Operation *, Row> rows;
  llvm::DenseMap<mlir::Operation *, int64_t> turns;
  /// The numbers of names; a union-find over names that share an offset, in
  /// which the smallest number leads.
  llvm::MapVector<Name, unsigned> numbers;
  llvm::SmallVector<unsigned> leaders;
  unsigned leaderOf(unsigned number);
  /// By number, the index of the offset.
  llvm::SmallVector<unsigned> places;
  /// The buckets that are live, with the number of a name of each.
  llvm::DenseMap<mlir::Operation *, unsigned> held;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_BUCKETOFFSETS_H
