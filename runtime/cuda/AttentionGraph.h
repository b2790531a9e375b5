//===- AttentionGraph.h - Attention as a cuDNN graph ------------*- C++ -*-===//
//
// cuDNN represents attention as a graph of small operations between tensors,
// most of which are virtual: they have no memory. It has an engine for graphs
// of this form; tensors are [batch, heads, rows, columns].
//
//     forward                            backward
//     S = Q K^T                          delta = sum over a row of dO * O
//     S = scale * S, -inf if masked      P = exp(scale * S - stats)
//     P = exp(S - max) / sum             dV = P^T dO
//     stats = max + log(sum)             dS = scale * P * (dO V^T - delta)
//     O = P V                            dK = dS^T Q, dQ = dS K
//
// dQ is the matmul's result itself. With an f32 sum in between, the library
// would accumulate dQ by atomics, in a nondeterministic order. Without it, the
// library keeps dS in its workspace, and results are bitwise reproducible, but
// only up to sm_90 (repeatsAttention()). Its own frontend requests a
// deterministic backward pass in this way there; engines carry no flag that
// tells.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CUDA_ATTENTIONGRAPH_H
#define PCC_RUNTIME_CUDA_ATTENTIONGRAPH_H

#include "runtime/Program.h"
#include "runtime/cuda/Dnn.h"

namespace pcc::cuda {

/// The numbers of the tensors with memory; virtual ones follow.
enum class AttentionTensor : int64_t {
  Q = 1,
  K,
  V,
  O,
  Stats,
  DO,
  DQ,
  DK,
  DV,
  Delta, ///< f32 of [samples, heads, queries] of one execution, in the
         ///< workspace
  // Scalars in host memory.
  Scale,
  One,
  Masked,
  End
};

/// The alignment of the library's workspace, in bytes.
inline constexpr int64_t kScratchAlignment = 256;

/// The samples of one execution, its key heads per sample, and its heads per
/// sample.
int64_t samplesOf(const pcc_attention_desc &desc);
int64_t keyHeadsOf(const pcc_attention_desc &desc);
int64_t headsOf(const pcc_attention_desc &desc);
/// The bytes of Delta, rounded up to kScratchAlignment; the library's workspace
/// follows it.
int64_t deltaBytes(const pcc_attention_desc &desc);

/// The workspace of the program for an engine that needs `engine` bytes.
int64_t workspaceNeeded(const pcc_attention_desc &desc, int64_t engine);

/// An engine that the library's heuristic proposed for an attention.
struct AttentionEngine {
  /// An engine configuration.
  cudnnBackendDescriptor_t config = nullptr;
  /// In bytes.
  int64_t workspace = 0;
};

/// Builds the graph of `desc` and queries the heuristic for engines on the
/// device that `device`, a descriptor of its properties, describes: the best
/// first, at least one unless `builder` records a failure. Nothing is timed.
/// All descriptors belong to `builder`.
std::vector<AttentionEngine>
findAttentionEngines(DnnBuilder &builder, const pcc_attention_desc &desc,
                     cudnnBackendDescriptor_t device);

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_ATTENTIONGRAPH_H
