//===- Interfaces.h - Interfaces and properties of ops ----------*- C++ -*-===//
//
// Passes ask these predicates instead of listing ops, so a new op cannot be
// missing from a list. A list is right where each op of it has a branch.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_INTERFACES_H
#define PCC_DIALECTS_NN_INTERFACES_H

#include "dialects/NN/Partition.h"
#include "dialects/NN/ShardingRule.h"
#include "dialects/NN/Traits.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/NN/Interfaces.h.inc"

namespace pcc::nn {

/// Wide for ops of other dialects.
inline Precision precisionOf(mlir::Operation *op) {
  auto answer = mlir::dyn_cast<PrecisionInterface>(op);
  return answer ? answer.getPrecision() : Precision::Wide;
}

/// Whether an op is a layer of the model: no layer follows the start of a loss.
inline bool isLayer(mlir::Operation *op) {
  Precision precision = precisionOf(op);
  return precision == Precision::Narrow ||
         precision == Precision::NarrowProduct ||
         precision == Precision::LayerLikeFirst;
}

/// Whether an op sums wide, so that its result may be wide even if its operands
/// are narrow.
inline bool maySumWide(mlir::Operation *op) {
  Precision precision = precisionOf(op);
  return precision == Precision::WideSum ||
         precision == Precision::NarrowProduct;
}

/// General for null and for ops of other dialects than nn and dist.
inline ElementMap elementMapOf(mlir::Operation *op) {
  auto answer = mlir::dyn_cast_if_present<ElementMapInterface>(op);
  return answer ? answer.getElementMap() : ElementMap::General;
}

/// Whether result elements depend only on the operands' elements at the same
/// index.
inline bool isElementwise(mlir::Operation *op) {
  return elementMapOf(op) == ElementMap::Elementwise;
}

/// Whether the result has the elements of the only operand, each once.
inline bool permutesElements(mlir::Operation *op) {
  return elementMapOf(op) == ElementMap::Permutes;
}

/// Whether the result has all elements of the only operand and no others.
inline bool keepsElements(mlir::Operation *op) {
  ElementMap map = elementMapOf(op);
  return map == ElementMap::Permutes || map == ElementMap::Repeats;
}

/// Whether each element of the result is one of the only operand.
inline bool takesElements(mlir::Operation *op) {
  ElementMap map = elementMapOf(op);
  return map >= ElementMap::Permutes && map <= ElementMap::Drops;
}

/// Whether each element of the result is one of the only operand, or zero.
inline bool movesOneOperand(mlir::Operation *op) {
  ElementMap map = elementMapOf(op);
  return map >= ElementMap::Permutes && map <= ElementMap::Fills;
}

/// Whether each element of the result is one of an operand, or zero.
inline bool movesElements(mlir::Operation *op) {
  ElementMap map = elementMapOf(op);
  return map >= ElementMap::Permutes && map <= ElementMap::Joins;
}

/// Whether result i is operand i in another sharding.
inline bool reshards(mlir::Operation *op) {
  return elementMapOf(op) == ElementMap::Reshards;
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_INTERFACES_H
