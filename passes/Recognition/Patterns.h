//===- Patterns.h - Rewrites of nn to nn ------------------------*- C++ -*-===//

#ifndef PCC_PASSES_RECOGNITION_PATTERNS_H
#define PCC_PASSES_RECOGNITION_PATTERNS_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace pcc::recognition {

/// Transposes and scales into and out of contractions; sums made n-ary.
void populateContractPatterns(mlir::RewritePatternSet &patterns);
/// Reshapes that split dims move towards parameters and inputs.
void populateReshapePatterns(mlir::RewritePatternSet &patterns);
/// Cross entropy from its primitives: log softmax, a selection by target.
void populateLossPatterns(mlir::RewritePatternSet &patterns);
/// gelu and silu, found by the values of an expression of one tensor.
void populateActivationPatterns(mlir::RewritePatternSet &patterns);
/// layer_norm and rms_norm from primitives.
void populateNormPatterns(mlir::RewritePatternSet &patterns);
/// Rotary position embedding from constant tables.
void populateRopePatterns(mlir::RewritePatternSet &patterns);
/// Attention from products, masks and a softmax; see AttentionScores.h.
void populateAttentionPatterns(mlir::RewritePatternSet &patterns);
/// One attention in place of a module for each head.
void populateHeadPatterns(mlir::RewritePatternSet &patterns);
/// One projection for several parts, and learned positions.
void populateProjectionPatterns(mlir::RewritePatternSet &patterns);

/// One projection for several parts that differ in size.
void populatePartedProjectionPatterns(mlir::RewritePatternSet &patterns);
/// Heads of several kinds become such parts: ahead of moving reshapes.
void populateUnequalHeadPatterns(mlir::RewritePatternSet &patterns);

/// Declares parameters that are only read to be reshaped, all in one way, with
/// that shape.
void reshapeParams(mlir::ModuleOp module);

/// Names the labels of contractions with a parameter as people do: batch b,
/// sequence s, summed k, columns n or (heads, d) or (part, head, d).
void renameLabels(mlir::ModuleOp module);

/// `value` in this shape, by a reshape unless it has it.
mlir::Value reshapeTo(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_PATTERNS_H
