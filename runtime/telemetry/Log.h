//===- Log.h - What a run tells ---------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TELEMETRY_LOG_H
#define PCC_RUNTIME_TELEMETRY_LOG_H

#include "runtime/support/Options.h"
#include "runtime/telemetry/EventFile.h"
#include "runtime/telemetry/ProgressBar.h"

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
  bool skipped = false; ///< nothing counted, nothing was updated
  float lossScale = 0;  ///< the gradients' in the step; 0: there is none
  /// Whether they were too large with it, and nothing was updated.
  bool overflows = false;
  /// The how-manieth step in a row, and of all, it is that was skipped since
  /// its loss or norm is not finite; 0: it was not.
  int64_t nonfiniteInRow = 0, nonfinite = 0;
  double lr = 0, seconds = 0;
  int64_t items = 0; ///< of the global batch: tokens, or samples where the
                     ///< model takes none
};

/// Writes the step lines, the JSON log and TensorBoard's events, and shows a
/// progress bar; only rank 0 has one.
class Log {
public:
  /// `done`: the steps that came before; a resumed run appends to its
  /// --log-json. `last`: the step it ends with. `tokens`: whether the items of
  /// a step are tokens. `columns`: of the terminal, 0 for none.
  Log(const TrainingOptions &options, int64_t done, int64_t last, bool tokens,
      int columns);
  ~Log();
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;

  /// Tells of a finished step: a line where --log-every has its turn, an entry
  /// of the other logs always.
  void step(const StepResult &result);
  /// Tells of the loss on --val-data after a step.
  void evaluation(int64_t step, double loss);
  /// Prints a line of other news.
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

/// A number by a printf format; NaN as "nan", without the sign that printf
/// gives it.
std::string numberText(const char *format, double number);

/// A whole number with commas: 1234567 as "1,234,567".
std::string grouped(int64_t number);

/// "1.25 GiB", "310.5 MiB" or "12.0 KiB".
std::string bytesText(int64_t bytes);

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_LOG_H
