//===- Traits.h - Traits of nn ops ------------------------------*- C++ -*-===//
//
// Properties that every op states in its definition (Interfaces.td), and one
// that it may have.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_TRAITS_H
#define PCC_DIALECTS_NN_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace pcc::nn {

/// What training in bf16 or fp16 makes of an op. Narrow is that type, wide is
/// f32. A layer is never part of a loss, which is computed wide.
enum class Precision {
  /// The op has the type that it declares: parameters, reads, constants.
  Declared,
  /// The operands stay as they are, and the results are wide: cross entropy.
  Either,
  /// Operands and results are wide: quotients, exponentials, sums of many
  /// elements. Also ops that only backward passes and optimizers have.
  Wide,
  /// As Wide. Autodiff may also give it narrow operands, and the result, a sum,
  /// is then narrow or wide: gradients of parameters.
  WideSum,
  /// A layer with narrow operands and a narrow result: attention, lookups.
  Narrow,
  /// As Narrow; the result, a sum, may also be wide: contractions.
  NarrowProduct,
  /// A layer whose operands and result have the type of its first operand:
  /// norms, rotary embeddings.
  LayerLikeFirst,
  /// Operands and result have the type of the first operand: activations, and
  /// ops that move elements.
  LikeFirst,
  /// Narrow if no operand is wide. Otherwise the op computes wide and rounds
  /// its result if any operand is narrow: sums, products.
  LikeOperands,
};

/// How elements of the results depend on elements of the operands, by index
/// alone: a lookup by ids is general. Those from Permutes to Joins only move
/// elements; predicates compare their order.
enum class ElementMap {
  /// Any other way, such as sums and rows; also ops without operands.
  General,
  /// Operands and result have one shape, and an element of the result depends
  /// only on those at the same index.
  Elementwise,
  /// The result has the operand's elements, each once: `nn.transpose`.
  Permutes,
  /// It has each element of the operand at least once: `nn.broadcast`.
  Repeats,
  /// It has some of the operand's elements: `nn.slice`.
  Drops,
  /// It has all of the operand's elements, and zeros: `nn.pad`.
  Fills,
  /// It has all elements of several operands: `nn.concat`.
  Joins,
  /// Result i is operand i in another sharding: the same global tensor. Only
  /// ops of the dist dialect.
  Reshards,
};

/// The op's answer to PrecisionInterface.
template <Precision precision>
struct HasPrecision {
  /// The trait of an op.
  template <typename ConcreteType>
  class Impl : public mlir::OpTrait::TraitBase<
                   ConcreteType, HasPrecision<precision>::template Impl> {
  public:
    static Precision getPrecision() { return precision; }
  };
};

/// The op's answer to ElementMapInterface.
template <ElementMap map>
struct HasElementMap {
  /// The trait of an op.
  template <typename ConcreteType>
  class Impl
      : public mlir::OpTrait::TraitBase<ConcreteType,
                                        HasElementMap<map>::template Impl> {
  public:
    static ElementMap getElementMap() { return map; }
  };
};

/// The op maps zero to zero, so padding with zeros stays zero. Ops that are
/// linear in an operand do so without this trait, see ShardingRule.
template <typename ConcreteType>
class KeepsZero : public mlir::OpTrait::TraitBase<ConcreteType, KeepsZero> {};

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_TRAITS_H
