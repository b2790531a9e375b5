//===- Fusions.h - Ops that a product's epilogue could do -------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_FUSIONS_H
#define PCC_PASSES_CODEGEN_LOWER_FUSIONS_H

#include "passes/Codegen/Kernels/Product.h"

namespace pcc {

/// A product of a body and the ops that the library could do with it.
struct Fusion {
  /// What the product then ends with.
  rt::Epilogue epilogue;
  /// In block order, the contraction among them.
  llvm::SmallVector<mlir::Operation *> ops;
  /// What they read, each value once: the contraction's factors first.
  llvm::SmallVector<mlir::Value> arguments;
  /// What is needed of what they make, in the order of Product.h.
  llvm::SmallVector<mlir::Value> results;
  /// Where the call can stand: ahead of this op.
  mlir::Operation *place;
};

/// Ways to fuse, the one that takes most first.
enum class FusionKind { Gelu, Sum, GeluGrad, Sums };
/// All of them, in that order.
inline constexpr FusionKind kFusionKinds[] = {
    FusionKind::Gelu, FusionKind::Sum, FusionKind::GeluGrad, FusionKind::Sums};

/// What can be fused so with a contraction of a body whose sums in place are
/// marked. Only what the library can do on buffers without holes, and means the
/// same: no bias in parts of a sum, no gradient of a bias that would be
/// rounded.
std::optional<Fusion> findFusion(nn::ContractOp contract, FusionKind kind);

/// Puts a call of `callee`, perhaps not there yet, in place of a fusion's ops.
mlir::Operation *applyFusion(const Fusion &fusion, llvm::StringRef callee);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_FUSIONS_H
