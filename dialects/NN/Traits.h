//===- Traits.h - Traits of nn ops ------------------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_TRAITS_H
#define PCC_DIALECTS_NN_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace pcc::nn {

/// Gives zero for zeros: what pads its operand pads its result. Ops that are
/// linear in an operand do so anyway, see ShardingRule.
template <typename ConcreteType>
class KeepsZero : public mlir::OpTrait::TraitBase<ConcreteType, KeepsZero> {};

/// Whether each element of the result is computed from those of the operands at
/// its place.
inline bool isElementwise(mlir::Operation *op) {
  return op->hasTrait<mlir::OpTrait::Elementwise>();
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_TRAITS_H
