//===- Log.h - Logs of a training run ---------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TELEMETRY_LOG_H
#define PCC_RUNTIME_TELEMETRY_LOG_H

#include "runtime/support/Options.h"
#include "runtime/telemetry/EventFile.h"
#include "runtime/telemetry/ProgressBar.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace pcc {

/// The results of one step.
struct StepResult {
  /// The step's number, from 1.
  int64_t step = 0;
  /// The mean loss of the global batch, and the gradient norm before clipping
  /// if the program computes it, as `hasNorm` says.
  float loss = 0, norm = 0;
  bool hasNorm = false;
  bool skipped = false; ///< no valid targets: nothing was updated
  float lossScale = 0;  ///< of the step; 0: the program has none
  /// The mean auxiliary loss, and the largest number of tokens of an expert
  /// over the mean; NaN: the program has none.
  float aux = NAN, load = NAN;
  /// Whether gradients overflowed at this loss scale, so nothing was updated.
  bool overflows = false;
  /// The number of skipped steps with a non-finite loss or norm up to this one:
  /// in a row, and in all. 0 in a row if this step was not skipped for that
  /// reason.
  int64_t nonfiniteInRow = 0, nonfinite = 0;
  double lr = 0, seconds = 0;
  int64_t items = 0; ///< tokens of the global batch; samples if the model takes
                     ///< no tokens
};

/// Writes the step lines, the JSON log and TensorBoard's events, and shows a
/// progress bar. Only rank 0 has a Log.
class Log {
public:
  /// `done`: the steps before this run; if not 0, --log-json is appended to.
  /// `last`: the last step of the run. `tokens`: whether the items of a step
  /// are tokens. `columns`: width of the terminal, 0 for none.
  Log(const TrainingOptions &options, int64_t done, int64_t last, bool tokens,
      int columns);
  ~Log();
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;

  /// Logs a finished step. The other logs get an entry for every step. A line
  /// is printed every --log-every steps, for the last of --steps, and for a
  /// step that is skipped because of an overflow or a non-finite value.
  void step(const StepResult &result);
  /// Logs the loss on --val-data after a step.
  void evaluation(int64_t step, double loss);
  /// Prints any other line.
  void say(const std::string &line);

private:
  void writeJson(const std::string &line);

  std::string path;
  FILE *file = nullptr;
  int64_t steps, logEvery;
  bool tokens;
  std::unique_ptr<EventFile> events;
  ProgressBar bar;
};

/// Formats a number with a printf format. NaN is always "nan", without a sign.
std::string numberText(const char *format, double number);

/// Returns an integer with commas: "1,234,567" for 1234567.
std::string grouped(int64_t number);

/// Returns a number of bytes as "1.25 GiB", "310.5 MiB" or "12.0 KiB".
std::string bytesText(int64_t bytes);

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_LOG_H
