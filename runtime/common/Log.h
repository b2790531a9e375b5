//===- Log.h - What a run tells ---------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_COMMON_LOG_H
#define PCC_RUNTIME_COMMON_LOG_H

#include "runtime/common/Options.h"

#include <cstdint>
#include <cstdio>
#include <string>

namespace pcc {

/// The results of one step.
struct StepResult {
  int64_t step = 0;
  float loss = 0, norm = 0;
  bool hasNorm = false;
  double lr = 0, seconds = 0;
  int64_t items = 0; ///< of the global batch: tokens, or samples where the
                     ///< model takes none
};

/// Writes the step lines and the JSON log; only rank 0 has one.
class Log {
public:
  /// A resumed run appends to its --log-json. `tokens`: whether the items of a
  /// step are tokens.
  Log(const Options &options, bool append, bool tokens);
  ~Log();
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;

  void step(const StepResult &result);
  void evaluation(int64_t step, double loss);

private:
  void writeJson(const std::string &line);

  std::string path;
  FILE *file = nullptr;
  int64_t steps, logEvery;
  bool tokens;
};

/// A number by a printf format; NaN as "nan", without the sign that printf
/// gives it.
std::string numberText(const char *format, double number);

/// 1234567 as "1,234,567".
std::string grouped(int64_t number);

/// "1.25 GiB", "310.5 MiB" or "12.0 KiB".
std::string bytesText(int64_t bytes);

} // namespace pcc

#endif // PCC_RUNTIME_COMMON_LOG_H
