//===- Traits.h - Traits of nn ops ------------------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_TRAITS_H
#define PCC_DIALECTS_NN_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace pcc::nn {

/// The op maps zero to zero, so padding with zeros stays zero. Ops that are
/// linear in an operand do so without this trait, see ShardingRule.
template <typename ConcreteType>
class KeepsZero : public mlir::OpTrait::TraitBase<ConcreteType, KeepsZero> {};

/// Whether result elements depend only on the operands' elements at the same
/// index.
inline bool isElementwise(mlir::Operation *op) {
  return op->hasTrait<mlir::OpTrait::Elementwise>();
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_TRAITS_H
