//===- Options.h - Options of a compilation ---------------------*- C++ -*-===//
//
// All options of a compilation. The driver fills them from the command line and
// Pipelines.cpp turns them into pass options. No pass reads a global.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_OPTIONS_H
#define PCC_PASSES_OPTIONS_H

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace pcc {

/// The options of one compilation. The driver sets them from its flags,
/// completes them with values that the input determines, and passes them to the
/// pipelines.
struct Options {
  // Parallelism.
  /// Degrees of tensor, pipeline, data and context parallelism; at least 1.
  int64_t tp = 1;
  int64_t pp = 1;
  int64_t dp = 1;
  int64_t cp = 1;
  /// Expert parallelism: of the dp replicas, the ranks over which experts are
  /// split; divides dp.
  int64_t ep = 1;
  /// The ranks over which each expert is split: tp, or 1, where the tp ranks
  /// have different experts; 0: tp, until resolveExperts sets it.
  int64_t etp = 0;
  /// Whether activations of norms and residuals are sharded over tp along the
  /// sequence (sequence parallelism).
  bool sequenceParallel = false;
  /// ZeRO stage, "0" to "3"; empty: 1 if dp > 1, else 0. The data axes (dp, cp)
  /// shard optimizer state from stage 1 on, gradients from stage 2 on and
  /// parameters at stage 3.
  std::string zero;
  /// The bytes of gradients from which on a bucket is full.
  int64_t bucketSize = int64_t(25) << 20;
  /// Pipeline schedule: "gpipe" or "1f1b".
  std::string schedule = "1f1b";
  /// "on" or "off": whether communication overlaps with compute.
  std::string overlap = "on";
  /// Communication of context-parallel attention: "a2a" exchanges the sequence
  /// for heads, "allgather" gathers keys and values; "auto": a2a where heads
  /// allow it.
  std::string cpCommType = "auto";
  /// The order of a sequence on context-parallel ranks: "headtail", "none"
  /// (that of the text), or "auto": head-tail where it balances attention.
  std::string cpBalance = "auto";
  /// Activation recomputation: "none", "selective" or "full".
  std::string recompute = "none";
  /// How many chunks of tokens heads and their losses are computed in: a
  /// number, "auto" (by the bytes of the logits) or "off".
  std::string headChunks = "auto";
  /// "on" or "off": whether GEMM epilogues (bias, gelu, sums) are fused on
  /// GPUs.
  std::string epilogues = "on";
  /// The nodes that begin stages 1, 2, ...; empty: cuts that balance the cost.
  std::string stageCut;

  // Batch: globalBatch = microBatch * dp * microbatches; see resolveBatch.
  /// Samples of one microbatch on one replica, and samples of a step over all
  /// replicas; 0: not specified, until resolveBatch derives them.
  int64_t microBatch = 0;
  int64_t globalBatch = 0;
  bool globalBatchGiven = false; ///< specified, not derived
  /// Microbatches of a step on each replica; derived by resolveBatch.
  int64_t microbatches = 0;

  // Model.
  /// Extents of dynamic dims by name.
  std::vector<std::pair<std::string, int64_t>> dims;
  /// Tokens of a sample; 0: not specified.
  int64_t seq = 0;
  /// If the length was not specified: its value and the fact in the file that
  /// bounds it, as text.
  std::string seqSource;
  /// "causal-lm", "cross-entropy" or "mse"; empty: derived from the model.
  std::string loss;
  /// The tokens that end a document; empty: a sample is one.
  std::vector<int64_t> documentEnds;
  /// Whether positions are not reset at documents.
  bool keepPositions = false;
  /// By how much the tokens of a rank's experts may exceed the mean over ranks;
  /// 0: any number is computed.
  double moeCapacity = 0;
  /// The factor of the routers' auxiliary loss; 0: none.
  double moeAuxLoss = 0;
  /// By how much a step changes a router's correction bias; 0: not at all.
  double moeBiasRate = 0;
  /// "adamw" or "sgd".
  std::string optimizer = "adamw";
  /// "f32" or "bf16": the element type of adamw's moments.
  std::string optimizerState = "f32";
  /// "f32", "bf16" or "fp16": the element type of activations and of the
  /// weights' working copies. The driver's default is bf16 for GPU training,
  /// f32 otherwise.
  std::string precision = "f32";
  /// Regular expressions that select parameters by name; see ImportOptions.
  std::string freeze, train, normPlusOne;
  /// Options of the import; see ImportOptions.
  bool randomInit = false;
  bool noDropout = false;
  /// Whether weight matrices of experts may be gathered per token beyond 1 GiB
  /// a rank.
  bool allowGatheredExperts = false;
  bool runningNorms = false;
  /// Unset: the loss determines it.
  std::optional<bool> paddingMask;
  /// Whether the program only computes the model's outputs (no training).
  bool forward = false;

  // Target and output.
  /// The target: "cpu", "cuda" or "cuda-emulated".
  std::string target = "cpu";
  /// The attention backend of GPUs: "auto", "cudnn" or "tiles".
  std::string attention = "auto";
  /// Compute capabilities of GPUs (90, ...) that kernels are compiled for in
  /// addition to the default; ascending.
  std::vector<int> chips;
  /// "native" or LLVM's name of a CPU.
  std::string targetCpu = "native";
  /// f32 lanes of that CPU's widest vector.
  int64_t vectorLanes = 16;
  int64_t memoryLimit = 0; ///< bytes per rank; 0: none
  /// "optimizer": optimizer state is in the host's memory; "optimizer=DIR": in
  /// files in that folder; empty: neither.
  std::string offload;
  int verbosity = 1; ///< 0 with -q, 2 with -v

  /// The number of chunks that was asked for; 0: none was.
  int64_t headChunkCount() const {
    return std::strtoll(headChunks.c_str(), nullptr, 10);
  }
  /// The ZeRO stage, 0 to 3.
  int64_t zeroStage() const {
    return zero.empty() ? dp > 1 : int64_t(zero.front() - '0');
  }
  /// Whether tp splits the experts instead of each expert.
  bool splitsOnlyExperts() const { return etp == 1 && tp > 1; }
  /// Whether kernels run on a GPU, real or emulated.
  bool hasDevice() const { return target != "cpu"; }
  /// The `library` option of --nn-expand-attention.
  std::string attentionLibrary() const {
    return !hasDevice() || attention == "tiles" ? "none" : attention;
  }
  int64_t worldSize() const { return tp * cp * dp * pp; }
  /// The folder for the files of offloaded state; empty: none.
  std::string offloadFolder() const {
    size_t sign = offload.find('=');
    return sign == std::string::npos ? "" : offload.substr(sign + 1);
  }
};

} // namespace pcc

#endif // PCC_PASSES_OPTIONS_H
