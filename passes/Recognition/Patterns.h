//===- Patterns.h - Rewrites of nn to nn ------------------------*- C++ -*-===//

#ifndef PCC_PASSES_RECOGNITION_PATTERNS_H
#define PCC_PASSES_RECOGNITION_PATTERNS_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace pcc::recognition {

/// Fold transposes into contractions, move scales after them, make sums n-ary.
void populateContractPatterns(mlir::RewritePatternSet &patterns);
/// Move reshapes that split dims towards parameters and inputs.
void populateReshapePatterns(mlir::RewritePatternSet &patterns);
/// Recognize cross entropy: log softmax and a selection by target.
void populateLossPatterns(mlir::RewritePatternSet &patterns);
/// Recognize mixtures of experts: products with a matrix per token and choice.
void populateExpertPatterns(mlir::RewritePatternSet &patterns);
/// Split the dim of tokens of a router where its users do.
void populateTokenPatterns(mlir::RewritePatternSet &patterns);
/// Recognize gelu and silu by the values of an expression of one tensor.
void populateActivationPatterns(mlir::RewritePatternSet &patterns);
/// Recognize layer_norm and rms_norm.
void populateNormPatterns(mlir::RewritePatternSet &patterns);
/// Recognize rotary position embedding with constant tables.
void populateRopePatterns(mlir::RewritePatternSet &patterns);
/// Recognize attention: contractions, masks and a softmax; see
/// AttentionScores.h.
void populateAttentionPatterns(mlir::RewritePatternSet &patterns);
/// Replace one attention module per head by one attention.
void populateHeadPatterns(mlir::RewritePatternSet &patterns);
/// Factor a projection into equal parts (q, k, v); recognize learned positions.
void populateProjectionPatterns(mlir::RewritePatternSet &patterns);

/// Replace a projection with parts of different sizes by one projection each.
void populateUnequalProjectionPatterns(mlir::RewritePatternSet &patterns);
/// Turn slices of unequal numbers of heads into such parts. Must run before
/// reshapes move.
void populateUnequalHeadPatterns(mlir::RewritePatternSet &patterns);

/// Changes the declared shape of each parameter whose reads are all reshaped to
/// one shape.
void reshapeParams(mlir::ModuleOp module);

/// Permutes the declared dims of each parameter whose reads are all transposed
/// alike for experts.
void transposeExpertParams(mlir::ModuleOp module);

/// Gives the labels of contractions whose right operand is a parameter their
/// usual names: a single row dim m, else batch b and sequence s; summed k;
/// columns n or (head, d) or (part, head, d).
void renameLabels(mlir::ModuleOp module);

/// Reshapes `value` to `shape` unless it has that shape.
mlir::Value reshapeTo(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_PATTERNS_H
