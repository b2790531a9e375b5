//===- Options.h - The flags of a training binary ---------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_OPTIONS_H
#define PCC_RUNTIME_SUPPORT_OPTIONS_H

#include "runtime/Program.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pcc {

/// What the command line says; see the help texts in Options.cpp.
struct TrainingOptions {
  /// Paths, as given: what is read and what is written. Empty: not given.
  std::string data, outputs, valData, save, resume, model, logJson, init;
  std::string exportOnnx, tensorboardDir, trace, traceSteps, report;
  /// One of the names of parseDecay() (LearningRate.h).
  std::string lrSchedule = "cosine";
  /// Numbers of steps; 0 for `steps`: not given; for the others: none, never.
  int64_t steps = 0, warmupSteps = 0, stopAfter = 0;
  int64_t saveEvery = 0, keep = 0, logEvery = 1;
  int64_t evalEvery = 0, evalBatches = 20, seed = 0;
  /// Steps in a row without a finite loss and norm that update nothing instead
  /// of ending the run.
  int64_t skipNonfinite = 0;
  int64_t timeout = 600; ///< seconds; 0: none
  /// What the optimizer computes with; a negative `minLr`: a tenth of `lr`.
  double lr = 6e-4, minLr = -1, weightDecay = 0.1;
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8, clipGrad = 1.0;
  /// Of a program with a scale of the loss: the first one, a power of two, and
  /// how many good steps double it.
  int64_t initialLossScale = PCC_FIRST_LOSS_SCALE;
  int64_t lossScaleWindow = PCC_LOSS_SCALE_WINDOW;
  /// Switches.
  bool shuffle = false, skipEmpty = false, info = false, help = false;
  bool noCudaGraphs = false, cudaGraphs = false;
  bool nvls = false;

  /// The flags that the command line gave, with their values.
  std::map<std::string, std::string> given;
};

/// Reads the command line, both --x=N and --x N. Exits with ExitUsage and one
/// message for what cannot be read or is out of range.
TrainingOptions parseOptions(int argc, char **argv);

/// The steps of --trace-steps A:B; false for text that is none.
bool parseTraceSteps(const std::string &text, int64_t &from, int64_t &to);

/// The text of --help.
std::string helpText(const std::string &program);

/// The flags that decide what is computed, as (name, value) texts, but for what
/// follows from others; a checkpoint keeps them.
std::vector<std::pair<std::string, std::string>>
savedOptions(const TrainingOptions &options);

/// What all ranks of a run have to have alike: flags with their values, such as
/// "--lr 0.1", and which paths are given, "--save" or "no --save". A host may
/// have another path, and what is computed does not depend on other flags.
std::vector<std::string> commonOptions(const TrainingOptions &options);

/// What of these flags differs, as "--lr 0.1 -> 0.2".
std::vector<std::string> changedOptions(const TrainingOptions &before,
                                        const TrainingOptions &after);

/// Sets a flag by name unless the command line gave it; used on --resume.
/// Exits with ExitOutput if `value` is not one.
void restoreOption(TrainingOptions &options, const std::string &name,
                   const std::string &value);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_OPTIONS_H
