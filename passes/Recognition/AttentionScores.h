//===- AttentionScores.h - What attention's softmax takes -------*- C++ -*-===//
//
// What exporters write between the product of queries and keys and the softmax:
//
//     %qk     = nn.contract "bshd,bthd->bhst" %q, %k
//     %scaled = nn.scale %qk by 0.125
//     %padded = nn.where %pad, %lowest, %scaled      masked_fill(pad, -1e9)
//     %scores = nn.sum %padded, %causal              0, -1e9 above the diagonal
//     %p      = nn.softmax %scores
//
// `match` follows this down to the product and notes each step as a layer;
// `readMasks` evaluates those that follow from constants, and says whether they
// are together the causal mask, an attribute of nn.attention, or nothing; what
// is left is put together by `buildBias` into one bias that is added to the
// scores.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_RECOGNITION_ATTENTIONSCORES_H
#define PCC_PASSES_RECOGNITION_ATTENTIONSCORES_H

#include "dialects/NN/NN.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Recognition/Masks.h"

namespace pcc::recognition {

/// The scores below a softmax: product * scale + masks and biases. All have
/// the dims of the product's result, of which the last are keys.
///
/// A score that is replaced by a number (masked_fill) is as good as one that
/// the number is added to, if the number is so low that its key gets nothing:
/// unless all keys of a query are replaced. Then their probabilities are equal
/// and no gradient reaches the product. Where that can be, the product of such
/// a query is made zero (`gate`), and each number takes the place of what
/// was added below it.
///
/// What masks add is finite too, mostly, and a query may lose some keys to one
/// mask and all others to another, as padding on the left loses those that a
/// causal mask left:
///
///     causal     0 -1e9 -1e9     padding  -1e9 -1e9 0     both  -1e9 -2e9 -1e9
///
/// Such a query attends to what is highest, so no number may become -inf.
class AttentionScores {
public:
  /// Follows `value` down to the product; false if something else is done.
  bool match(mlir::Value value, MaskReader &reader);

  /// What the known masks leave together. `query` is a dim of the product;
  /// with sinks a query always has something to attend to. False if no bias is
  /// as good: a query may be left keys whose scores are replaced, which have no
  /// gradient, beside others.
  bool readMasks(MaskReader &reader, int64_t query, bool hasSinks);
  /// Whether the known masks are the causal one, or none, and need no bias.
  bool isCausal() const { return !keepsFills && mask.kind == Mask::Causal; }

  /// What is added to the scores, as the bias of nn.attention: dim i is that
  /// of the product's dim order[i], or 1. Null if nothing is added.
  mlir::Value buildBias(mlir::PatternRewriter &rewriter, mlir::Location loc,
                        llvm::ArrayRef<int64_t> order);
  /// Behind `buildBias`: the queries, dim i of which is that of the product's
  /// dim order[i], but for the last: zeros where all scores are replaced.
  mlir::Value gate(mlir::PatternRewriter &rewriter, mlir::Location loc,
                   mlir::Value queries, llvm::ArrayRef<int64_t> order) const;

  /// The bias, perhaps none, of that many keys with `sinks`, scores in the
  /// product's dims, behind it.
  mlir::Value addSinks(mlir::PatternRewriter &rewriter, mlir::Location loc,
                       mlir::Value bias, mlir::Value sinks,
                       llvm::ArrayRef<int64_t> order, int64_t keys) const;

  /// The product of queries and keys; set by `match`.
  nn::ContractOp product;
  /// What the product is multiplied with; set by `match`.
  double scale = 1;

private:
  /// One step from the softmax down to the product.
  struct Layer {
    /// What is added, or the condition by which scores stay.
    mlir::Value value;
    bool isAdded;
    /// What is done to it above: it is scaled.
    double factor;
    /// Follows from constants, and is no trained bias.
    bool isKnown;
    /// Of a condition: what it is where a score stays, and what replaces the
    /// others.
    bool keepsWhere = true;
    double fill = 0;
  };

  void add(mlir::Value value, double factor, MaskReader &reader);
  bool matchWhere(nn::WhereOp op, mlir::Value &value);
  MaskPart part(const Layer &layer) const {
    return {layer.value, layer.isAdded, layer.keepsWhere};
  }
  mlir::Value number(mlir::PatternRewriter &rewriter, mlir::Location loc,
                     double value) const;
  mlir::Value buildAlive(mlir::PatternRewriter &rewriter,
                         mlir::Location loc) const;
  llvm::SmallVector<mlir::Value> buildLayers(mlir::PatternRewriter &rewriter,
                                             mlir::Location loc,
                                             llvm::ArrayRef<Layer> rest) const;
  mlir::Value buildMasks(mlir::PatternRewriter &rewriter,
                         mlir::Location loc) const;

  /// The steps that `match` went down, that next to the softmax first.
  llvm::SmallVector<Layer> layers;
  Mask mask;
  /// Whether a query may be left no key, so that the finite numbers that took
  /// them count.
  bool keepsFills = false;
  /// Whether such numbers replace scores.
  bool replaces = false;
  /// Which queries have a key, if `replaces`.
  mlir::Value alive;
};

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_ATTENTIONSCORES_H
