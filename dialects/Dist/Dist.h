//===- Dist.h - The dist dialect --------------------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_DIST_DIST_H
#define PCC_DIALECTS_DIST_DIST_H

#include "dialects/NN/Interfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Dist/Dialect.h.inc"
#include "dialects/Dist/Enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Dist/Attrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Dist/Ops.h.inc"

namespace pcc::dist {

/// Discardable attributes; see Dialect.td.
inline constexpr llvm::StringLiteral kShardingsAttr = "dist.shardings";
inline constexpr llvm::StringLiteral kShardingAttr = "dist.sharding";
inline constexpr llvm::StringLiteral kArgumentsAttr = "dist.arguments";
inline constexpr llvm::StringLiteral kSeedsAttr = "dist.seeds";
inline constexpr llvm::StringLiteral kFactorsAttr = "dist.factors";
inline constexpr llvm::StringLiteral kIdAttr = "dist.id";
inline constexpr llvm::StringLiteral kGlobalAttr = "dist.global";
inline constexpr llvm::StringLiteral kSpmdAttr = "dist.spmd";

/// The role that the name of an axis implies; nullopt if it implies none.
std::optional<AxisRole> impliedRole(llvm::StringRef name);

/// The mesh of the module that `op` is or is in; null if it has none.
MeshOp findMesh(mlir::Operation *op);

} // namespace pcc::dist

#endif // PCC_DIALECTS_DIST_DIST_H
