//===- Choice.h - Choice of the attention backend ---------------*- C++ -*-===//
//
// Decides once for each attention whether the library computes it, generated
// tiles, or matrix products around a softmax. The summary reports the choice
// and the reasons.
//
// The library saves stats for its backward pass in its own format, so an
// attention and its gradient use the same backend:
//
//     %o, %lse = nn.attention ...        -> @value.7
//     nn.attention_grad ... lse @value.7    both, or neither
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ATTENTION_CHOICE_H
#define PCC_PASSES_CODEGEN_KERNELS_ATTENTION_CHOICE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include <string>

namespace pcc::codegen {

/// On an `nn.attention` or `nn.attention_grad` that the library computes.
inline constexpr llvm::StringLiteral kByLibraryAttr = "rt.by_library";

/// Whether the library computes an op.
bool isByLibrary(mlir::Operation *op);

/// The backend of an attention.
enum class AttentionBackend { Library, Tiles, Products };

/// The backend of an attention, and why the others were not chosen.
struct AttentionChoice {
  AttentionBackend maker;
  /// Why the library cannot compute it; empty if it can, or was not requested.
  std::string whyNoLibrary;
  /// Why tiles cannot compute it; empty if they can.
  std::string whyNoTiles;
};

/// The available backends.
struct AttentionTarget {
  /// Whether the target is a device rather than a CPU.
  bool onDevice;
  /// Whether the library may be used.
  bool library;
  /// The chips that a device may be, in addition to kDefaultChip.
  llvm::ArrayRef<int> chips;
};

/// Chooses for every `nn.attention` and `nn.attention_grad` of a module, in
/// program order.
llvm::MapVector<mlir::Operation *, AttentionChoice>
chooseAttention(mlir::ModuleOp module, AttentionTarget makers);

/// The batching of a backward pass in the library.
struct AttentionWork {
  /// The samples per call, and the key heads of each per call, with the query
  /// heads that share them.
  int64_t samples, keyHeads;
  /// In bytes.
  int64_t workspace;
};
/// The batching of an `nn.attention_grad` that the library computes.
AttentionWork getAttentionWork(mlir::Operation *attention);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_CHOICE_H
