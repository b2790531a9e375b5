//===- Scores.h - What lies under the softmax of an attention ---*- C++ -*-===//

#ifndef PCC_FRONTEND_SCORES_H
#define PCC_FRONTEND_SCORES_H

#include "dialects/NN/NN.h"
#include "frontend/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace pcc::frontend {

/// What the masks of an attention that are known at compile time leave.
enum class Mask { None, Causal, Other };

/// The scores below a softmax: product * scale + masks and biases. All have
/// the dims of the product's result.
class Scores {
public:
  /// Follows `value` down to the product; false if something else is done.
  bool match(mlir::Value value);

  /// What the known masks together leave of scores of this shape.
  Mask mask(llvm::ArrayRef<int64_t> shape, int64_t query, int64_t key) const;

  /// What is added to the scores, as the bias of nn.attention: dim i is that
  /// of the product's dim order[i], or 1. Known masks are part of it if
  /// `withMasks`. Null if nothing is added.
  mlir::Value buildBias(mlir::PatternRewriter &rewriter, mlir::Location loc,
                        llvm::ArrayRef<int64_t> order, bool withMasks) const;

  nn::ContractOp product;
  double scale = 1;

private:
  /// A value that is added, times a factor.
  struct Term {
    mlir::Value value;
    double factor;
  };
  /// Scores are kept where a condition that is not known holds.
  struct Choice {
    mlir::Value condition;
    bool keepsWhere;
    double fill;
  };

  void add(mlir::Value value, double factor);
  bool matchWhere(nn::WhereOp op, mlir::Value &value);

  /// Added to the scores: removes a key where it is very negative.
  llvm::SmallVector<Tensor> added;
  /// Whether a key is kept.
  llvm::SmallVector<Tensor> kept;
  llvm::SmallVector<Term> terms;
  llvm::SmallVector<Choice> choices;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_SCORES_H
