//===- NN.h - The nn dialect ------------------------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_NN_H
#define PCC_DIALECTS_NN_NN_H

#include "dialects/NN/Partition.h"
#include "dialects/NN/ShardingRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/NN/Dialect.h.inc"
#include "dialects/NN/Enums.h.inc"
#include "dialects/NN/Interfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/NN/Attrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/NN/Ops.h.inc"

namespace pcc::nn {

/// Marks an op that autodiff created, as opposed to the forward pass.
inline constexpr llvm::StringLiteral kBackwardAttr = "nn.bwd";
/// The pipeline stage an op belongs to, i64; absent: there are no stages.
inline constexpr llvm::StringLiteral kStageAttr = "nn.stage";
/// On @forward: the model computes its loss itself. A list, one dictionary for
/// each term {factor, divided, mean, unclear, assumed}: @forward returns the
/// term's sum and, if divided, its divisor (see --nn-attach-loss). A unit: a
/// sum and how many targets it is of; between import and the search for terms,
/// the loss.
inline constexpr llvm::StringLiteral kHasLossAttr = "nn.has_loss";
/// Argument attributes of entry functions: what the runtime puts there, and
/// the model's name of it.
inline constexpr llvm::StringLiteral kRoleAttr = "nn.role";
inline constexpr llvm::StringLiteral kNameAttr = "nn.name";

/// The type of a value of an nn op.
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_NN_H
