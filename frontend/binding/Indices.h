//===- Indices.h - Indices as row numbers -----------------------*- C++ -*-===//
//
// Operators that gather or scatter elements by index become row lookups in a
// table, or sums into its rows. Integer arithmetic turns an element's index
// into a row number.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_INDICES_H
#define PCC_FRONTEND_BINDING_INDICES_H

#include "frontend/binding/Arithmetic.h"

namespace pcc::frontend {

/// The row-major number of each element of the data (operand 0) that indices
/// (operand 1) along one axis address. Errors: the shapes do not match.
mlir::FailureOr<mlir::Value> elementNumbers(Binder &b, int64_t axis);

/// The same for indices along one axis of data of shape `from`; the shapes are
/// not checked.
mlir::Value elementNumbers(Binder &b, mlir::Value indices,
                           llvm::ArrayRef<int64_t> from, int64_t axis);

/// Row numbers from indices whose last dim addresses the data's first dims.
struct RowNumbers {
  /// The row number, with the indices' other dims.
  mlir::Value number;
  /// The number of rows, and the shape of one.
  int64_t rows;
  analysis::Shape row;
};

/// Operand 1 as row numbers of operand 0, with `batch` leading dims in common.
/// Errors: the shapes do not match.
mlir::FailureOr<RowNumbers> rowNumbers(Binder &b, int64_t batch);

/// The rows of a tensor along one axis, with that axis moved to the end, and
/// nn.pick and nn.spread on them.
class RowsAlong {
public:
  /// `b` must outlive this.
  RowsAlong(Binder &b, int64_t rank, int64_t axis);

  /// Moves the axis of a tensor to the end, and back.
  mlir::Value toLast(mlir::Value x) { return b.transpose(x, order); }
  mlir::Value fromLast(mlir::Value x) { return b.transpose(x, back); }
  /// The operand that holds indices along the axis, with the axis last.
  /// Negative indices count from the end of `extent`.
  mlir::Value ids(unsigned operand, int64_t extent);
  /// The elements of each row of x that ids choose; the axis is last.
  mlir::Value pick(mlir::Value x, mlir::Value ids);
  /// Zeros in the shape of `rows`, to which x is added at ids; the axis is
  /// last.
  mlir::Value spread(mlir::Value x, mlir::Value ids, mlir::Value rows);

private:
  Binder &b;
  llvm::SmallVector<int64_t> order, back;
};

/// Whether indices (operand 1) along `axis` of data (operand 0) are unknown at
/// compile time, and choose elements of whole rows of the data, at most
/// kMostChosen of each.
bool choosesOfRows(Binder &b, int64_t axis);

/// The most elements of a row that `choosesOfRows` takes for a choice: more are
/// looked up, or added up, by number.
inline constexpr int64_t kMostChosen = 32;

/// Whether integers are indices of an nn.top_k, at most moved and cast: those
/// of each row are different.
bool areOfTopK(mlir::Value indices);

/// The least and greatest of constant integers; (0, -1) if there are none.
std::pair<int64_t, int64_t> rangeOf(const analysis::Tensor &integers);

/// Whether integers may be negative, judged by their ops. Elements of an input,
/// moved or cast, may not: a program rejects data with negative ids.
bool mayBeNegative(mlir::Value integers);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_INDICES_H
