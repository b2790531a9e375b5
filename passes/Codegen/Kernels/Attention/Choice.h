//===- Choice.h - Who makes attention ---------------------------*- C++ -*-===//
//
// Of each attention it is decided here, once, whether the library makes it,
// generated tiles, or products around a softmax; the summary says so, and why.
//
// The library saves stats for its backward pass as it likes them, so an
// attention and its gradient have one maker:
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

/// On an `nn.attention` or `nn.attention_grad`: the library makes it.
inline constexpr llvm::StringLiteral kByLibraryAttr = "rt.by_library";

/// Whether the library makes an op.
bool isByLibrary(mlir::Operation *op);

/// Who makes an attention.
enum class AttentionMaker { Library, Tiles, Products };

/// How an attention is made, and why not in another way.
struct AttentionChoice {
  AttentionMaker maker; ///< who makes it
  /// What stands against the library; empty: nothing, or it was not asked.
  std::string whyNoLibrary;
  /// What stands against tiles; empty: nothing.
  std::string whyNoTiles;
};

/// What there is to choose from.
struct AttentionMakers {
  /// Whether a device computes, or else a CPU.
  bool onDevice;
  /// Whether the library is asked.
  bool library;
  /// The chips that a device may be, beside kDefaultChip.
  llvm::ArrayRef<int> chips;
};

/// Chooses for every `nn.attention` and `nn.attention_grad` of a module, in the
/// order in which they stand.
llvm::MapVector<mlir::Operation *, AttentionChoice>
chooseAttention(mlir::ModuleOp module, AttentionMakers makers);

/// What the library is given for a backward pass.
struct AttentionWork {
  /// How many samples it does at a time, and how many key heads of each with
  /// the heads that share them.
  int64_t samples, keyHeads;
  /// Bytes of the workspace.
  int64_t workspace;
};
/// The work of an `nn.attention_grad` that the library makes.
AttentionWork getAttentionWork(mlir::Operation *attention);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ATTENTION_CHOICE_H
