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

/// The least and greatest of constant integers; (0, -1) if there are none.
std::pair<int64_t, int64_t> rangeOf(const analysis::Tensor &integers);

/// Whether integers may be negative, judged by their ops. Elements of an input,
/// moved or cast, may not: a program rejects data with negative ids.
bool mayBeNegative(mlir::Value integers);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_INDICES_H
