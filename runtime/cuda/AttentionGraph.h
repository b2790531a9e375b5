//===- AttentionGraph.h - Attention as cuDNN is asked for it ----*- C++ -*-===//
//
// cuDNN knows attention as a graph of small operations between tensors, most of
// which are virtual: they are in nobody's memory. It has an engine for graphs
// that look like this; tensors are [batch, heads, rows, columns].
//
//     S = Q K^T                          rows sums: delta = sum(dO * O)
//     S = scale * S, -inf behind         P = exp(scale * S - stats)
//     P = exp(S - max) / sum             dV = P^T dO
//     stats = max + log(sum)             dS = scale * P * (dO V^T - delta)
//     O = P V                            dK = dS^T Q, dQ = dS K
//
// dQ is the product itself. With a sum in f32 between them, dQ would be added
// up by atomics, in any order; without, the library keeps dS in its workspace,
// and gives the same bits every time. That is how its own frontend asks for a
// deterministic backward pass up to sm_90; engines bear no mark that tells.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CUDA_ATTENTIONGRAPH_H
#define PCC_RUNTIME_CUDA_ATTENTIONGRAPH_H

#include "runtime/Program.h"
#include "runtime/cuda/Dnn.h"

namespace pcc::cuda {

/// The numbers of the tensors that have memory; virtual ones count up behind.
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
  Delta, ///< f32 of [batch, heads, queries], in the workspace
  // Numbers that the host has.
  Scale,
  One,
  Masked,
  End
};

/// What the library's workspace begins at a multiple of, in bytes.
inline constexpr int64_t kScratchAlignment = 256;

/// How many samples one execution does, and how many key heads and heads of
/// each.
int64_t samplesOf(const pcc_attention_desc &desc);
int64_t keyHeadsOf(const pcc_attention_desc &desc);
int64_t headsOf(const pcc_attention_desc &desc);
/// Bytes of Delta, which the library's workspace lies behind, a multiple of
/// kScratchAlignment.
int64_t deltaBytes(const pcc_attention_desc &desc);

/// Bytes that the program must have for an engine that takes so many.
int64_t workspaceNeeded(const pcc_attention_desc &desc, int64_t engine);

/// A way to make an attention that the library's heuristic has chosen.
struct AttentionEngine {
  /// An engine configuration.
  cudnnBackendDescriptor_t config = nullptr;
  /// Bytes of the library's workspace.
  int64_t workspace = 0;
};

/// Builds the graph of `desc` and has the heuristic propose engines for the
/// device that `device`, a descriptor of its properties, describes: at least
/// one, the best first. Nothing is timed. All of it belongs to `builder`, which
/// knows what failed.
std::vector<AttentionEngine>
findAttentionEngines(DnnBuilder &builder, const pcc_attention_desc &desc,
                     cudnnBackendDescriptor_t device);

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_ATTENTIONGRAPH_H
