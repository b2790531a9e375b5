//===- Heads.h - The ops of a head and its loss -----------------*- C++ -*-===//
//
// A head is the last projection of a model and its cross-entropy. Its logits
// have more elements than any other value. All ops that make or read them, and
// the ops between these, compute each token alone or sum over tokens, so they
// can run on a few tokens at a time:
//
//     %logits = nn.contract "bsk,nk->bsn" %x, %w      // [b, s, n]
//     %loss, %lse = nn.cross_entropy %logits, ..      // [b, s]
//     %dlogits = nn.cross_entropy_grad .., %logits .. // [b, s, n]
//     %dx = nn.contract "bsn,nk->bsk" %dlogits, %w    // [b, s, k]
//     %dw = nn.contract "bsk,bsn->nk" %x, %dlogits    // a sum over tokens
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_PIPELINE_HEADS_HEADS_H
#define PCC_PASSES_PIPELINE_HEADS_HEADS_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <optional>
#include <string>

namespace pcc {

/// The meaning of a dim of a value: a token dim of the logits (its index),
/// their classes, or another.
enum HeadDim : int { kClassDim = -2, kOtherDim = -1 };
/// A HeadDim for each dim of a value.
using HeadDims = llvm::SmallVector<int, 4>;

/// A head and its loss in a block of local ops.
class Head {
public:
  /// The values of a block that a cross-entropy reads, each once.
  static llvm::SmallVector<mlir::Value> findLogits(mlir::Block &block);
  /// The head that makes `logits`: the product with the table, the loss of each
  /// token, the gradients of the product's operands, and all ops between these.
  /// If these ops cannot run on a few tokens at a time, returns nothing, and
  /// `why` says why.
  static std::optional<Head> find(mlir::Value logits, std::string &why);

  /// The ops, in the order of the block.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  bool contains(mlir::Operation *op) const { return found.contains(op); }
  /// Activations of the backward pass that the ops need, in the order of the
  /// block. They depend on no op of the head.
  llvm::ArrayRef<mlir::Operation *> getNeeded() const { return needed; }
  /// The token dims' extents on this rank.
  llvm::ArrayRef<int64_t> getTokens() const { return tokens; }
  /// The extents of a chunk that were chosen for the head that makes these
  /// logits; null if it is whole.
  static mlir::DenseI64ArrayAttr getChunk(mlir::Value logits);
  /// The bytes of the logits of all tokens on this rank.
  static int64_t getBytes(mlir::Value logits);
  /// The dims of an operand or result of the ops.
  HeadDims dimsOf(mlir::Value value) const;
  /// Whether an op is a broadcast or a splat constant: a chunk clones it with
  /// smaller extents instead of slicing its result.
  static bool isRepetition(mlir::Operation *op);
  /// Whether a value has all token dims.
  bool hasTokens(mlir::Value value) const;

private:
  explicit Head(mlir::Value logits);

  /// Adds an op, and all others that make or read a value of the logits' size.
  /// Returns false and sets `why` if one does not fit.
  bool add(mlir::Operation *op);
  /// Adds the ops on paths from an added op to another.
  bool addBetween();
  /// Finds the ops before them in the backward pass.
  void findNeeded();
  /// Derives the dims of an op's values from those that are known.
  bool deduce(mlir::Operation *op);
  bool note(mlir::Operation *op, mlir::Value value, HeadDims dims);
  /// Derives the dims of the operands of broadcasts outside the head that
  /// `value` is the result of.
  bool deduceRepeated(mlir::Value value);
  /// Checks that no op reads a sum over tokens.
  bool check();
  bool isLarge(mlir::Value value) const;
  bool refuse(mlir::Operation *op, llvm::StringRef text);

  mlir::Value logits;
  llvm::SmallVector<int64_t> tokens;
  llvm::SmallVector<mlir::Operation *> ops, needed;
  llvm::SmallPtrSet<mlir::Operation *, 16> found;
  llvm::DenseMap<mlir::Value, HeadDims> dims;
  std::string why;
};

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_HEADS_HEADS_H
