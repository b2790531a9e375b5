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

struct Options {
  // Parallelism: how many ranks share what.
  int64_t tp = 1;
  int64_t pp = 1;
  int64_t dp = 1;
  int64_t cp = 1;
  bool sequenceParallel = false;
  /// "gpipe" or "1f1b".
  std::string schedule = "1f1b";
  /// Nodes that begin a new stage; empty: cuts that balance the cost.
  std::string stageCut;

  // Batch: globalBatch = microBatch * dp * microbatches; see resolveBatch.
  int64_t microBatch = 0;
  int64_t globalBatch = 0;
  bool globalBatchGiven = false; ///< asked for, not derived
  int64_t microbatches = 0;

  // Model.
  std::vector<std::pair<std::string, int64_t>> dims;
  int64_t seq = 0;
  /// Where nobody gave it: what told how long it may be, in words.
  std::string seqSource;
  /// "causal-lm", "cross-entropy" or "mse"; empty: what the model shows.
  std::string loss;
  /// "adamw" or "sgd".
  std::string optimizer = "adamw";
  std::string freeze, train, normPlusOne;
  bool randomInit = false;
  bool noDropout = false;
  bool runningNorms = false;
  bool paddingMask = false;
  /// A program that computes the model's outputs and trains nothing.
  bool forward = false;

  // Target and output.
  /// "native", or LLVM's name of a processor.
  std::string targetCpu = "native";
  int64_t memoryLimit = 0; ///< bytes per rank; 0: none
  int verbosity = 1;       ///< 0 with -q, 2 with -v

  int64_t worldSize() const { return tp * cp * dp * pp; }
};

} // namespace pcc

#endif // PCC_PASSES_OPTIONS_H
