//===- Fusions.h - Fusion of ops into GEMM epilogues ------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_FUSIONS_H
#define PCC_PASSES_CODEGEN_LOWER_FUSIONS_H

#include "passes/Codegen/Kernels/FusedGemm.h"

namespace pcc {

/// A contraction of a body and the ops that can be fused into its GEMM
/// epilogue.
struct Fusion {
  rt::Epilogue epilogue;
  /// The fused ops, including the contraction, in block order.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The values that the ops read, each once; the contraction's operands first.
  llvm::SmallVector<mlir::Value> arguments;
  /// The results of the ops that are used, in the order of FusedGemm.h.
  llvm::SmallVector<mlir::Value> results;
  /// The op before which the call can be inserted.
  mlir::Operation *place;
};

/// The kinds of fusions, the one that fuses most ops first.
enum class FusionKind { Gelu, Sum, GeluGrad, Sums };
/// All kinds, in this order.
inline constexpr FusionKind kFusionKinds[] = {
    FusionKind::Gelu, FusionKind::Sum, FusionKind::GeluGrad, FusionKind::Sums};

/// Returns the fusion of a kind with a contraction of a body whose in-place
/// sums are marked. The library must support the fusion on contiguous buffers
/// with the same semantics. So a bias of a value that is partial, and a bias
/// gradient that would be rounded, are not fused.
std::optional<Fusion> findFusion(nn::ContractOp contract, FusionKind kind);

/// Replaces the ops of a fusion by a call of `callee`, which need not exist
/// yet.
mlir::Operation *applyFusion(const Fusion &fusion, llvm::StringRef callee);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_FUSIONS_H
