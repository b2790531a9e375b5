//===- NN.h - The nn dialect ------------------------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_NN_H
#define PCC_DIALECTS_NN_NN_H

#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Attrs.h"
#include "dialects/NN/Interfaces.h"
#include "dialects/NN/Partition.h"
#include "dialects/NN/Record.h"
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
#define GET_OP_CLASSES
#include "dialects/NN/Ops.h.inc"

namespace pcc::nn {

/// The type of a value of an nn op.
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_NN_H
