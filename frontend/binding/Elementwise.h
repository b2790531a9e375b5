//===- Elementwise.h - Operators that work place by place -------*- C++ -*-===//

#ifndef PCC_FRONTEND_BINDING_ELEMENTWISE_H
#define PCC_FRONTEND_BINDING_ELEMENTWISE_H

#include "frontend/binding/Binder.h"

namespace pcc::frontend {

/// The elements of all operands at one place.
using In = llvm::ArrayRef<analysis::Scalar>;

/// Folds by one function for floats and one for integers; a null one means
/// that the operator does not take such elements. `element` is that of the
/// result, null for the last operand's.
mlir::LogicalResult foldWith(Binder &b, mlir::Type element,
                             double (*floats)(In), int64_t (*ints)(In));

/// As a function of the import table, with the last operand's element type.
template <double (*Floats)(In), int64_t (*Ints)(In)>
mlir::LogicalResult foldMath(Binder &b) {
  return foldWith(b, nullptr, Floats, Ints);
}

/// All operands as values of their common shape; from `first` on they have one
/// element type.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
broadcastAll(Binder &b, unsigned first = 0);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_ELEMENTWISE_H
