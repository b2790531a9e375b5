//===- Expressions.h - Constants that stay expressions ----------*- C++ -*-===//
//
// Constants are folded unless they are far larger than their operands: a mask
// of 32,768 queries and keys has 2^30 elements, the positions that it compares
// 2^16. Such a value stays an expression: nn ops on constants of one dim.
// Recognition reads it line by line (Lines.h). It is computed as a whole only
// for an operator that does more than compare, combine and move elements, and,
// if it is small, to find a regular pattern (passes/Training/Regularity.h).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_ANALYSIS_EXPRESSIONS_H
#define PCC_ANALYSIS_EXPRESSIONS_H

#include "analysis/Tensor.h"

namespace pcc::analysis {

/// An op on constants is always folded if its result has at most this number of
/// elements. An op on an expression is not.
inline constexpr int64_t kLargestFolded = 1 << 16;

/// Whether a node with known operands should stay an expression instead of
/// being folded. Such a node is elementwise or moves elements and has the same
/// result at run time. If an operand is an expression, no constant operand is
/// large; otherwise the result is large and larger than each operand.
/// `operands` are constants, or nullopt for expressions. `isFloat`: one of them
/// has a float type.
bool staysExpression(llvm::StringRef op,
                     llvm::ArrayRef<std::optional<Tensor>> operands,
                     bool isFloat);

/// The elements of an expression; nullopt if some are not known or there are
/// too many. More than kLargestFolded are stored by distance (see Tensor) if
/// they depend on it only.
std::optional<Tensor> computeWhole(mlir::Value expression);

/// Builds a large matrix by distance as a chain of selections, one for each
/// change between neighbouring distances; null if there are too many changes.
/// Its dims are those of the tensor's core.
mlir::Value buildSteps(mlir::OpBuilder &builder, mlir::Location loc,
                       const Tensor &tensor);

/// Builds a condition on rows i and columns j: low <= j - i <= high.
mlir::Value buildBand(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::ArrayRef<int64_t> shape, int64_t low, int64_t high);

/// A matrix (leading dims are 1) with one value in a band and another outside.
struct Band {
  /// The band: elements with low <= column - row <= high.
  int64_t low, high;
  /// The two values, in the element type's representation.
  Scalar inside, outside;
};

/// The band that the elements of a file form, read row by row; nullopt if they
/// form none, or are few.
std::optional<Band> findBand(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                             llvm::StringRef bytes);
/// Builds the band as a selection between its two values by a condition, or as
/// the condition itself if the values are true inside and false outside.
mlir::Value buildBand(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::RankedTensorType type, const Band &band);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_EXPRESSIONS_H
