//===- Buckets.h - What lies in which bucket --------------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_BUCKETS_H
#define PCC_ANALYSIS_BUCKETS_H

#include "dialects/NN/NN.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::nn {

/// Whether a symbol is a bucket: a name for what its members hold.
bool isBucket(mlir::Operation *symbol);

/// Whether a symbol has no elements of its own: a bucket, or a part of one.
bool isOtherName(mlir::Operation *symbol);

/// The names of what a state holds: a bucket's members; else its own.
llvm::SmallVector<llvm::StringRef> heldBy(StateOp state);

/// The name of the bucket that a state is a part of; else its own.
llvm::StringRef rowOf(StateOp state);

/// The row of gradients whose sum over microbatches a state is this rank's part
/// of; null if it is none.
StateOp rowSummedIn(const mlir::SymbolTable &symbols, StateOp state);

/// Whether a symbol is a gradient, or a bucket of nothing but gradients.
bool isOfGradients(const mlir::SymbolTable &symbols, llvm::StringRef symbol);

/// The buckets of a module, by what lies in them.
class Buckets {
public:
  /// Reads what the module declares.
  explicit Buckets(mlir::ModuleOp module);

  /// A place in a bucket.
  struct Place {
    StateOp bucket;     ///< null: in none
    int64_t offset = 0; ///< of the first element, in elements
  };

  /// Where a parameter or state lies.
  Place placeOf(llvm::StringRef member) const { return places.lookup(member); }
  /// The bucket in which each of these lies, or null.
  StateOp bucketOf(llvm::StringRef member) const {
    return places.lookup(member).bucket;
  }

private:
  llvm::StringMap<Place> places;
};

} // namespace pcc::nn

#endif // PCC_ANALYSIS_BUCKETS_H
