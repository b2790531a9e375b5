//===- Options.h - The flags of a training binary ---------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_OPTIONS_H
#define PCC_RUNTIME_SUPPORT_OPTIONS_H

#include "runtime/Program.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pcc {

/// The options of the command line; see the help texts in Options.cpp.
struct TrainingOptions {
  /// Paths of inputs and outputs, as given, and other texts. Empty: not given.
  std::string data, dataWeights, outputs, valData, save, resume, model, logJson,
      init;
  std::string exportOnnx, tensorboardDir, trace, traceSteps, report, offloadDir;
  /// One of the names of parseDecay() (LearningRate.h).
  std::string lrSchedule = "cosine";
  /// "source" or "f32", see SavedTypes in model/SourceTensors.h; a size for
  /// parseBytes().
  std::string saveDtype = "source", maxShardSize = "5GB";
  /// Numbers of steps, checkpoints and batches, and the seed. 0 means: not
  /// given (`steps`), never (`stopAfter`), only at the end (`saveEvery`,
  /// `evalEvery`), all (`keep`).
  int64_t steps = 0, warmupSteps = 0, stopAfter = 0;
  int64_t saveEvery = 0, keep = 0, logEvery = 1;
  int64_t evalEvery = 0, evalBatches = 20, seed = 0;
  /// The number of consecutive steps with a non-finite loss or gradient norm
  /// that are skipped before the run ends.
  int64_t skipNonfinite = 0;
  int64_t timeout = 600; ///< seconds; 0: none
  /// Optimizer and learning rate; a negative `minLr` means a tenth of `lr`.
  double lr = 6e-4, minLr = -1, weightDecay = 0.1;
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8, clipGrad = 1.0;
  /// For a program with a loss scale: its initial value, a power of two, and
  /// the number of steps without overflow after which it is doubled.
  int64_t initialLossScale = PCC_FIRST_LOSS_SCALE;
  int64_t lossScaleWindow = PCC_LOSS_SCALE_WINDOW;
  bool shuffle = false, skipEmpty = false, weightsOnly = false;
  bool info = false, version = false, help = false;
  bool noCudaGraphs = false, cudaGraphs = false;
  bool nvls = false;

  /// The flags given on the command line, with their values.
  std::map<std::string, std::string> given;
};

/// Parses the command line, both --x=N and --x N. Exits with ExitUsage and one
/// message if a flag is unknown, invalid or out of range.
TrainingOptions parseOptions(int argc, char **argv);

/// Parses --trace-steps A:B. Returns false if the text is invalid.
bool parseTraceSteps(const std::string &text, int64_t &from, int64_t &to);

/// Parses a size such as "5GB", "64MiB" or "1000" in bytes; returns nothing if
/// the text is invalid or no bytes.
std::optional<int64_t> parseBytes(const std::string &text);

/// Returns the text of --help.
std::string helpText(const std::string &program);

/// Returns the flags that checkpoints store, as (name, value): the flags that
/// affect the computed values. Flags whose value follows from others are left
/// out.
std::vector<std::pair<std::string, std::string>>
savedOptions(const TrainingOptions &options);

/// Returns the options that must agree on all ranks of a run: flags with
/// values, such as "--lr 0.1" and "--data-weights 3,7", and whether a path or
/// --trace-steps is given,
/// "--save" or "no --save". Paths may differ between hosts. --timeout,
/// --log-every and --model are left out.
std::vector<std::string> commonOptions(const TrainingOptions &options);

/// Returns the saved flags that differ, as "--lr 0.1 -> 0.2" or "--min-lr 0.2,
/// not given before".
std::vector<std::string> changedOptions(const TrainingOptions &before,
                                        const TrainingOptions &after);

/// Sets a flag by name unless the command line gave it; used on --resume. Exits
/// with ExitOutput if there is no such saved flag or `value` is invalid.
void restoreOption(TrainingOptions &options, const std::string &name,
                   const std::string &value);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_OPTIONS_H
