//===- Options.h - What a user may choose -----------------------*- C++ -*-===//
//
// The one place where choices live. The driver fills it from the command line,
// Pipelines.cpp turns it into pass options; no pass reads a global.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_OPTIONS_H
#define PCC_PASSES_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// What a compile is to make: set by the flags of pcc, completed by what the
/// input says, read by the pipelines.
struct Options {
  // Parallelism: how many ranks share what.
  /// Sizes of tensor, pipeline, data and context parallelism, from 1.
  int64_t tp = 1;
  int64_t pp = 1;
  int64_t dp = 1;
  int64_t cp = 1;
  /// Whether norms and residuals are split over tp along the sequence.
  bool sequenceParallel = false;
  /// What ranks along the data axes keep a part of each, instead of all: "0",
  /// nothing; "1", the optimizer's state; empty: 1 if dp is more than 1.
  std::string zero;
  /// How many bytes of gradients are reduced at once, at least.
  int64_t bucketSize = int64_t(25) << 20;
  /// "gpipe" or "1f1b".
  std::string schedule = "1f1b";
  /// "on", or "off": whether ranks compute while they communicate.
  std::string overlap = "on";
  /// "none", "selective" or "full": what backward passes compute anew instead
  /// of keeping it.
  std::string recompute = "none";
  /// "on", or "off": whether a device's library makes what follows a product.
  std::string epilogues = "on";
  /// Nodes that begin a new stage; empty: cuts that balance the cost.
  std::string stageCut;

  // Batch: globalBatch = microBatch * dp * microbatches; see resolveBatch.
  /// Samples of one replica at once, and of a step over all replicas; 0: not
  /// given, until resolveBatch has derived it.
  int64_t microBatch = 0;
  int64_t globalBatch = 0;
  bool globalBatchGiven = false; ///< asked for, not derived
  /// Microbatches of a step on each replica; derived.
  int64_t microbatches = 0;

  // Model.
  /// Extents of dynamic dims by name.
  std::vector<std::pair<std::string, int64_t>> dims;
  /// Tokens of a sample; 0: not given.
  int64_t seq = 0;
  /// Where nobody gave it: what told how long it may be, in words.
  std::string seqSource;
  /// "causal-lm", "cross-entropy" or "mse"; empty: what the model shows.
  std::string loss;
  /// "adamw" or "sgd".
  std::string optimizer = "adamw";
  /// "f32", or "bf16": the type of activations and of what computes with them.
  std::string precision = "f32";
  /// Regular expressions on names of parameters, as ImportOptions has them.
  std::string freeze, train, normPlusOne;
  /// What an import makes of the file: see ImportOptions for each.
  bool randomInit = false;
  bool noDropout = false;
  bool runningNorms = false;
  /// Nothing for what the loss suggests.
  std::optional<bool> paddingMask;
  /// A program that computes the model's outputs and trains nothing.
  bool forward = false;

  // Target and output.
  /// "cpu", "cuda" or "cuda-emulated": what the program runs on.
  std::string target = "cpu";
  /// "auto", "cudnn" or "tiles": what makes attention on GPUs.
  std::string attention = "auto";
  /// GPUs that kernels run on, by number, beside the default.
  std::vector<int> chips;
  /// "native", or LLVM's name of a processor.
  std::string targetCpu = "native";
  /// f32 numbers of this processor's widest vector.
  int64_t vectorLanes = 16;
  int64_t memoryLimit = 0; ///< bytes per rank; 0: none
  int verbosity = 1;       ///< 0 with -q, 2 with -v

  /// The stage of ZeRO.
  int64_t zeroStage() const {
    return zero.empty() ? dp > 1 : int64_t(zero.front() - '0');
  }
  /// Whether kernels run on a device beside the host.
  bool hasDevice() const { return target != "cpu"; }
  /// What --nn-expand-attention is told of the library.
  std::string attentionLibrary() const {
    return !hasDevice() || attention == "tiles" ? "none" : attention;
  }
  /// The number of ranks.
  int64_t worldSize() const { return tp * cp * dp * pp; }
};

} // namespace pcc

#endif // PCC_PASSES_OPTIONS_H
