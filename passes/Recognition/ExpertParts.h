//===- ExpertParts.h - Pieces of experts by primitives ----------*- C++ -*-===//
//
// Exporters compute a mixture of experts with a weight matrix per pair of a
// token and one of its choices:
//
//     %g = embedding %ids, %w                [t k, n, h], from %w [e, n, h]
//     %u = contract "pnh,ph->pn" %g, %xs     %xs: x, k times each token
//
// Exporters reshape these values in many ways. A reshape keeps the row-major
// order of elements, so the functions here ignore it: they take a value of
// any dims as [pairs, columns], pairs in the order of [t, k].
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_RECOGNITION_EXPERTPARTS_H
#define PCC_PASSES_RECOGNITION_EXPERTPARTS_H

#include "dialects/NN/NN.h"

namespace pcc::recognition {

/// The value that `value` has the elements of, in the same order: without
/// reshapes and ops that only add or remove dims of extent 1.
mlir::Value withoutViews(mlir::Value value);

/// The product of extents.
int64_t countOf(llvm::ArrayRef<int64_t> shape);

/// A lookup of rows by experts' numbers.
struct ExpertLookup {
  /// The experts of the pairs, different ones for each token: a result of
  /// top_k, or several in turn.
  mlir::Value ids;
  /// [experts, ..].
  mlir::Value table;
  int64_t experts;
};
/// The lookup that computes `value`; nothing if the rows are chosen otherwise.
std::optional<ExpertLookup> findLookup(mlir::Value value);

/// A product of each pair's row with the matrix of its expert, plus its bias.
struct ExpertProduct {
  ExpertLookup weights;
  /// Whether the table is [experts, inputs, outputs], not [experts, outputs,
  /// inputs].
  bool isTransposed;
  int64_t outputs, inputs;
  /// [pairs, inputs].
  mlir::Value input;
  std::optional<ExpertLookup> bias;
};
/// The product that computes `value`, [pairs, outputs]; nothing if another op
/// does, or if its bias is another expert's.
std::optional<ExpertProduct> findProduct(mlir::Value value, int64_t pairs);

/// The tensor [tokens, h] of which `value`, [tokens choices, h], has each row
/// `choices` times in turn; null if it has not.
mlir::Value findRepeated(mlir::Value value, int64_t tokens, int64_t choices);

/// Columns of [pairs, columns]: first, first + step, ...
struct Columns {
  mlir::Value whole;
  int64_t first = 0, step = 1;
  /// Of the part and of the whole.
  int64_t count, all;
};
/// The columns that `value` takes of another value; all of its own if it is no
/// slice or selection.
Columns findColumns(mlir::Value value, int64_t pairs);

/// The activation of a gated or plain MLP, as nn.experts has it.
struct ExpertActivation {
  nn::Activation kind;
  double alpha = 1, shift = 0;
  std::optional<double> limit;
  /// u[0], and u[1] of a gated MLP, else null.
  mlir::Value gate, up;
};
/// The activation that computes `value`.
std::optional<ExpertActivation> findActivation(mlir::Value value);

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_EXPERTPARTS_H
