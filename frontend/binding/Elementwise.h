//===- Elementwise.h - Elementwise operators --------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_BINDING_ELEMENTWISE_H
#define PCC_FRONTEND_BINDING_ELEMENTWISE_H

#include "frontend/binding/Binder.h"

namespace pcc::frontend {

/// The elements of all operands at one index.
using In = llvm::ArrayRef<analysis::Scalar>;

/// Folds by a function for floats and one for integers. Without `ints`, the
/// operator takes no integers. Without `floats`, `ints` also folds operands of
/// floats. The last operand's type decides. `element` is the result's type;
/// null for the last operand's.
mlir::LogicalResult foldWith(Binder &b, mlir::Type element,
                             double (*floats)(In), int64_t (*ints)(In));

/// An import function that folds with the last operand's element type.
template <double (*Floats)(In), int64_t (*Ints)(In)>
mlir::LogicalResult foldMath(Binder &b) {
  return foldWith(b, nullptr, Floats, Ints);
}

/// All operands broadcast to their common shape. From operand `first` on, they
/// have one element type.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
broadcastAll(Binder &b, unsigned first = 0);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_ELEMENTWISE_H
