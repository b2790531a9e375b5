//===- Buckets.h - Buckets and their members --------------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_BUCKETS_H
#define PCC_ANALYSIS_BUCKETS_H

#include "dialects/NN/NN.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::nn {

/// Whether a symbol is a bucket.
bool isBucket(mlir::Operation *symbol);

/// Whether a symbol is an alias without memory of its own: a bucket, or a
/// rank's shard of one.
bool isAlias(mlir::Operation *symbol);

/// The names of a bucket's members; for any other state its own name.
llvm::SmallVector<llvm::StringRef> heldBy(StateOp state);

/// The name of the bucket that a state is the rank's shard of; for any other
/// state its own name.
llvm::StringRef rowOf(StateOp state);

/// The bucket of gradients that a state accumulates over microbatches, for the
/// rank's shard; null if it accumulates none.
StateOp bucketSummedIn(const mlir::SymbolTable &symbols, StateOp state);

/// Whether a symbol is a gradient, or a bucket of gradients only.
bool isGradients(const mlir::SymbolTable &symbols, llvm::StringRef symbol);

/// Maps the members of a module's buckets to their buckets.
class Buckets {
public:
  /// Collects the buckets that the module declares.
  explicit Buckets(mlir::ModuleOp module);

  /// The location of a member in a bucket.
  struct Place {
    StateOp bucket;     ///< null: in none
    int64_t offset = 0; ///< of the first element, in elements
  };

  /// The location of a parameter or state; its bucket is null if it is in none.
  Place placeOf(llvm::StringRef member) const { return places.lookup(member); }
  /// The bucket that a parameter or state is in, or null.
  StateOp bucketOf(llvm::StringRef member) const {
    return places.lookup(member).bucket;
  }

private:
  llvm::StringMap<Place> places;
};

} // namespace pcc::nn

#endif // PCC_ANALYSIS_BUCKETS_H
