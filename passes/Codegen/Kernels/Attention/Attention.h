//===- Attention.h - Tiled attention ----------------------------*- C++ -*-===//
//
// Attention without a [b, h, s, t] value in memory, for CPUs; Gpu/Attention is
// the version for devices. An `nn.attention` or `nn.attention_grad` that is not
// expanded is a kernel of its own, together with the views through which it
// reads its operands (q, for example, as a part of the GEMM of q, k and v).
//
// Forward, a work item is a head of a sample and a tile of queries. It goes
// through the keys tile by tile and keeps the running maximum score m and the
// sum l of exp(score - m). If a tile has a higher maximum, the accumulated
// values are multiplied by exp(old m - new m):
//
//     for each tile of keys:                  query ->
//       S = scale k q^T                     | s s s s |  key
//       m, l, P = exp(S - m)                | s s s s |   |
//       o^T = o^T * exp(old m - m) + v^T P  | s s s s |   v
//     o = (o^T)^T / l, lse = m + log(l)
//
// Vectors run along queries, so maxima and sums are elementwise on vectors, and
// keys and values are read in place if they are f32. In bf16/fp16 they are
// converted to f32 tile by tile.
//
// Backward, a work item is a key head of a sample (dbias, if it is used, has
// further ones; see Backward.cpp). It recomputes P from lse.
// Gradients of keys and values accumulate in private memory, per tile of keys;
// contributions to dq are added to memory tile by tile, in a fixed order. So
// there are five matrix products, not seven. Vectors run along keys here.
//
// Tiles in which no query may see a key are skipped by their positions.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_ATTENTION_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_ATTENTION_H

#include "passes/Codegen/Kernels/Attention/Operands.h"
#include "passes/Codegen/Kernels/Emit.h"

namespace pcc::codegen {

/// The `nn.attention` or `nn.attention_grad` among ops, or among the producers
/// of results; else null.
mlir::Operation *findAttention(llvm::ArrayRef<mlir::Operation *> ops);
mlir::Operation *findAttention(llvm::ArrayRef<mlir::Value> results);

/// The reason why an attention must be expanded into matrix products instead of
/// lowered to tiles; empty if tiles are possible. For a CPU or, with
/// `sharedBytes` bytes of shared memory per block, for a device.
llvm::StringRef whyExpanded(mlir::Operation *attention, bool isOnDevice,
                            int64_t sharedBytes);

/// The reason why an attention kernel cannot be lowered for a CPU, or empty.
llvm::StringRef whyNotOnCpu(mlir::Operation *attention);

/// Whether an attention has the form of its kernel: operands that tiles can
/// read in place, in `arguments` or constants. `why` gets the reason if not.
bool hasTileForm(mlir::Operation *attention,
                 llvm::ArrayRef<mlir::Value> arguments,
                 std::string *why = nullptr);

/// The work items of an attention kernel.
struct AttentionWorkItems {
  /// Of the whole kernel.
  int64_t count;
  /// Work items that are worth a thread.
  int64_t grain;
};
/// The work items of an `nn.attention` or `nn.attention_grad`.
AttentionWorkItems getAttentionWorkItems(mlir::Operation *attention,
                                         const KernelChoices &choices);

/// Builds one work item of an attention at the insertion point. `outs` are the
/// buffers of the op's results, null for results without uses.
void emitAttention(ScalarBuilder &b, mlir::Operation *attention,
                   const KernelChoices &choices, mlir::Value unit,
                   const OperandMap &operands, llvm::ArrayRef<Operand> outs);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_ATTENTION_H
