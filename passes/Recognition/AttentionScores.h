//===- AttentionScores.h - Operand of attention's softmax -------*- C++ -*-===//
//
// The ops that exporters write between the product of queries and keys and the
// softmax:
//
//     %qk     = nn.contract "bshd,bthd->bhst" %q, %k
//     %scaled = nn.scale %qk by 0.125
//     %padded = nn.where %pad, %lowest, %scaled      masked_fill(pad, -1e9)
//     %scores = nn.sum %padded, %causal              0, -1e9 above the diagonal
//     %p      = nn.softmax %scores
//
// `match` walks from the softmax to the product and records each step as a
// layer. `readMasks` evaluates the layers that follow from constants and
// decides whether together they are the causal mask (an attribute of
// nn.attention) or no mask. `buildBias` combines the remaining layers into one
// bias that is added to the scores.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_RECOGNITION_ATTENTIONSCORES_H
#define PCC_PASSES_RECOGNITION_ATTENTIONSCORES_H

#include "dialects/NN/NN.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Recognition/Masks.h"

namespace pcc::recognition {

/// The operand of a softmax: product * scale + masks and biases. All have the
/// dims of the product's result, the last of which is the keys. Between them
/// may be a soft cap, which exporters write as three ops:
///
///     %x = nn.scale %qk by 0.0025       scale / cap
///     %t = nn.tanh %x
///     %y = nn.scale %t by 50.0          cap
///
/// A score that is replaced by a number (masked_fill) is equivalent to one that
/// the number is added to, if the number is so low that its key gets
/// probability 0. This fails if all keys of a query are replaced: their
/// probabilities are then equal and no gradient reaches the product. For such
/// queries `zeroMaskedQueries` makes the product zero, and each number replaces
/// the terms that were added below it.
///
/// Masks mostly add finite numbers. A query may lose some keys to one mask and
/// all others to another; left padding removes the keys that a causal mask
/// leaves:
///
///     causal     0 -1e9 -1e9     padding  -1e9 -1e9 0     both  -1e9 -2e9 -1e9
///
/// Such a query attends to the highest scores, so no number may become -inf.
class AttentionScores {
public:
  /// Matches `value` down to the product; returns false at any other op.
  bool match(mlir::Value value, MaskReader &reader);

  /// How a softmax has scores beside those of the keys (attention sinks): not
  /// at all, as one score per head, or as more keys.
  enum class Sinks { None, PerHead, Keys };
  /// Evaluates the known masks together. `query` is a dim of the product. With
  /// sinks a query always has a key to attend to. Returns false if no bias is
  /// equivalent: a query may attend to keys whose scores are replaced, and so
  /// have no gradient, together with other keys.
  bool readMasks(MaskReader &reader, int64_t query, Sinks sinks);
  /// Whether the known masks are the causal mask, perhaps with a window or
  /// chunk, and need no bias.
  bool isCausal() const { return !keepsFills && mask.kind == Mask::Causal; }
  /// Of the causal mask; 0: none.
  int64_t window() const { return isCausal() ? mask.window : 0; }
  int64_t chunk() const { return isCausal() ? mask.chunk : 0; }

  /// Builds the bias of nn.attention: dim i is the product's dim order[i], or
  /// 1. Null if nothing is added.
  mlir::Value buildBias(mlir::PatternRewriter &rewriter, mlir::Location loc,
                        llvm::ArrayRef<int64_t> order);
  /// To be called after `buildBias`. Returns `queries` with zeros where all
  /// scores of a query are replaced. Dim i, except the last, is the product's
  /// dim order[i].
  mlir::Value zeroMaskedQueries(mlir::PatternRewriter &rewriter,
                                mlir::Location loc, mlir::Value queries,
                                llvm::ArrayRef<int64_t> order) const;

  /// Returns `bias` (may be null) for `keys` keys, extended along the keys by
  /// the scores `sinks`, which have the product's dims.
  mlir::Value addSinks(mlir::PatternRewriter &rewriter, mlir::Location loc,
                       mlir::Value bias, mlir::Value sinks,
                       llvm::ArrayRef<int64_t> order, int64_t keys) const;

  /// The product of queries and keys; set by `match`.
  nn::ContractOp product;
  /// The factor of the product; set by `match`.
  double scale = 1;
  /// The soft cap of the scaled product, 0: none; set by `match`.
  double softcap = 0;

private:
  /// One step from the softmax down to the product.
  struct Layer {
    /// The added term, or the condition that selects replaced scores.
    mlir::Value value;
    bool isAdded;
    /// The scale that is applied to the layer afterwards.
    double factor;
    /// The value follows from constants and is not a trained bias.
    bool isKnown;
    /// For a condition: its value where a score is kept, and the number that
    /// replaces the other scores.
    bool keepsWhere = true;
    double fill = 0;
  };

  void add(mlir::Value value, double factor, MaskReader &reader);
  bool matchCap(nn::TanhOp op);
  bool matchWhere(nn::WhereOp op, mlir::Value &value);
  MaskPart part(const Layer &layer) const {
    return {layer.value, layer.isAdded, layer.keepsWhere};
  }
  mlir::Value number(mlir::PatternRewriter &rewriter, mlir::Location loc,
                     double value) const;
  mlir::Value buildHasKey(mlir::PatternRewriter &rewriter,
                          mlir::Location loc) const;
  llvm::SmallVector<mlir::Value> buildLayers(mlir::PatternRewriter &rewriter,
                                             mlir::Location loc,
                                             llvm::ArrayRef<Layer> rest) const;
  mlir::Value buildMasks(mlir::PatternRewriter &rewriter,
                         mlir::Location loc) const;

  /// The steps that `match` recorded; the one next to the softmax first.
  llvm::SmallVector<Layer> layers;
  Mask mask;
  /// Whether masks may remove all keys of a query, so that the finite numbers
  /// they use determine the result.
  bool keepsFills = false;
  /// Whether finite numbers replace scores of such a query.
  bool replaces = false;
  /// 1 for queries with a key, else 0; set if `replaces`.
  mlir::Value hasKey;
};

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_ATTENTIONSCORES_H
