//===- Indices.h - Indices as row numbers -----------------------*- C++ -*-===//
//
// Operators that take or put elements by index are row look-ups in a table, or
// sums into its rows: the index of an element is made a row number by integer
// arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_INDICES_H
#define PCC_FRONTEND_BINDING_INDICES_H

#include "frontend/binding/Arithmetic.h"

namespace pcc::frontend {

/// For indices (operand 1) along one axis of the data (operand 0): the
/// row-major number of each element that they name. Errors: the shapes do not
/// fit.
mlir::FailureOr<mlir::Value> elementNumbers(Binder &b, int64_t axis);

/// The same for indices along one axis of data of the shape `from`; neither
/// shape is checked.
mlir::Value elementNumbers(Binder &b, mlir::Value indices,
                           llvm::ArrayRef<int64_t> from, int64_t axis);

/// Indices whose last dim names the first dims of the data.
struct RowNumbers {
  /// Of the indices' other dims.
  mlir::Value number;
  /// How many rows there are, and what one row holds.
  int64_t rows;
  analysis::Shape row;
};

/// Operand 1 as row numbers of operand 0; `batch` leading dims are the same
/// for both. Errors: the shapes do not fit.
mlir::FailureOr<RowNumbers> rowNumbers(Binder &b, int64_t batch);

/// The least and the greatest of known integers; (0, -1) if there are none.
std::pair<int64_t, int64_t> rangeOf(const analysis::Tensor &integers);

/// Whether integers may be negative as far as their ops show. Those of an
/// input, moved or cast, are not: a program refuses data with negative ids.
bool mayBeNegative(mlir::Value integers);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_INDICES_H
