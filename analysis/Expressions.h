//===- Expressions.h - Constants that stay expressions ----------*- C++ -*-===//
//
// Constants are folded, but for those that are far larger than what they follow
// from: a mask of 32,768 queries and keys has 2^30 elements, the positions that
// it compares 2^16. Such a value stays as the nn ops that compute it, of
// constants of one dim; recognition reads it line by line (Lines.h). It is
// computed whole only for an operator that does more than compare, combine and
// move elements.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_ANALYSIS_EXPRESSIONS_H
#define PCC_ANALYSIS_EXPRESSIONS_H

#include "analysis/Tensor.h"

namespace pcc::analysis {

/// Constants of at most so many elements are always folded.
inline constexpr int64_t kLargestFolded = 1 << 16;

/// Whether a node, all of whose operands are known, should be built, not
/// folded: it works place by place, or moves elements, with the same result at
/// run time, and has no large constant among its operands. `operands` are
/// constants, or nothing for expressions.
bool staysExpression(llvm::StringRef op,
                     llvm::ArrayRef<std::optional<Tensor>> operands,
                     bool isFloat);

/// The elements of an expression, by distance if they are; nothing if they are
/// too many to hold.
std::optional<Tensor> computeWhole(mlir::Value expression);

/// The elements of a large matrix by distance, as steps between them; null if
/// they are too many. Its dims are those of the tensor's core.
mlir::Value buildSteps(mlir::OpBuilder &builder, mlir::Location loc,
                       const Tensor &tensor);

/// A condition on rows i and columns j: low <= j - i <= high.
mlir::Value buildBand(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::ArrayRef<int64_t> shape, int64_t low, int64_t high);

/// A matrix, of leading dims 1, one value in a band and another outside.
struct Band {
  /// Where the band is: elements whose column less their row is from `low` to
  /// `high`.
  int64_t low, high;
  /// The two values, as the element type has them.
  Scalar inside, outside;
};

/// The band that the elements of a file are, read row by row; nothing if they
/// are none, or few.
std::optional<Band> findBand(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                             llvm::StringRef bytes);
/// The band as a selection between its two values by a condition.
mlir::Value buildBand(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::RankedTensorType type, const Band &band);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_EXPRESSIONS_H
