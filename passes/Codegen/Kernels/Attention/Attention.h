//===- Attention.h - Attention by tiles -------------------------*- C++ -*-===//
//
// Attention without a value of [b, h, s, t] in memory, for CPUs; Gpu/Attention
// has that of devices. An
// `nn.attention` or `nn.attention_grad` that is not expanded is a kernel of its
// own, together with the views through which it reads its operands (q as a part
// of the product that makes q, k and v).
//
// Forward, a unit is a head of a sample and a tile of queries. It goes through
// the keys tile by tile, with the highest score m and the sum l of exp(score -
// m) of what it has seen; when a tile has a higher one, what was added up
// before is multiplied by exp(old m - new m):
//
//     for each tile of keys:                  query ->
//       S = k (scale q)^T                   | s s s s |  key
//       m, l, P = exp(S - m)                | s s s s |   |
//       o^T = o^T * exp(old m - m) + v^T P  | s s s s |   v
//     o = (o^T)^T / l, lse = m + log(l)
//
// Queries lie along the vectors: highest scores and sums are those of whole
// vectors, and keys and values are read where they lie.
//
// Backward, a unit is a key head of a sample. It has P again from lse, and what
// the products of keys and values with all queries add up to stays private to
// its tile of keys; what they add to dq goes to memory tile by tile, in one
// order, so that there are five products and not seven. Keys lie along the
// vectors here.
//
// Tiles in which no query may see a key are skipped by their positions.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_ATTENTION_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_ATTENTION_H

#include "passes/Codegen/Kernels/Attention/Operands.h"
#include "passes/Codegen/Kernels/Emit.h"

namespace pcc::codegen {

/// The `nn.attention` or `nn.attention_grad` among ops, or among those that
/// make results; or null.
mlir::Operation *findAttention(llvm::ArrayRef<mlir::Operation *> ops);
mlir::Operation *findAttention(llvm::ArrayRef<mlir::Value> results);

/// What stands against making an attention by tiles, so that it is expanded
/// into products; empty: nothing. On a CPU or, where a block has `sharedBytes`
/// bytes of shared memory, on a device.
llvm::StringRef whyExpanded(mlir::Operation *attention, bool isOnDevice,
                            int64_t sharedBytes);

/// What stands against an attention kernel on a CPU; empty: nothing.
llvm::StringRef whyNotOnCpu(mlir::Operation *attention);

/// Whether an attention is as its kernel wants it: operands that tiles can read
/// as they lie in `arguments` or in constants. `why` says what is not so.
bool hasTileForm(mlir::Operation *attention,
                 llvm::ArrayRef<mlir::Value> arguments,
                 std::string *why = nullptr);

/// What is known of an attention kernel before its code.
struct AttentionUnits {
  /// Of the whole kernel.
  int64_t count;
  /// Units worth a thread.
  int64_t grain;
};
/// The units of an `nn.attention` or `nn.attention_grad`.
AttentionUnits getAttentionUnits(mlir::Operation *attention,
                                 const KernelChoices &choices);

/// Builds what one unit of an attention does at the builder's place. `outs` are
/// the buffers of the op's results, null where nobody asks for one.
void emitAttention(ScalarBuilder &b, mlir::Operation *attention,
                   const KernelChoices &choices, mlir::Value unit,
                   const OperandMap &operands, llvm::ArrayRef<Operand> outs);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_ATTENTION_H
