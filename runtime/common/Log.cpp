//===- Log.cpp - What a run tells -----------------------------------------===//

#include "runtime/common/Log.h"

#include "runtime/common/Error.h"

#include <cerrno>
#include <cstring>

using namespace pcc;

Log::Log(const std::string &jsonPath, bool append, int64_t steps,
         int64_t logEvery)
    : path(jsonPath), steps(steps), logEvery(logEvery) {
  if (path.empty())
    return;
  file = fopen(path.c_str(), append ? "a" : "w");
  if (!file)
    fail(ExitOutput,
         format("cannot write '%s': %s", path.c_str(), strerror(errno)));
}

Log::~Log() {
  if (file)
    fclose(file);
}

void Log::writeJson(const std::string &line) {
  // Each line is complete in the file before the next step begins.
  if (file && (fputs(line.c_str(), file) < 0 || fflush(file)))
    fail(ExitOutput,
         format("cannot write '%s': %s", path.c_str(), strerror(errno)));
}

void Log::step(const StepResult &result) {
  double perSecond = result.seconds > 0 ? result.tokens / result.seconds : 0;
  if (result.step % logEvery == 0 || result.step == steps) {
    int width = static_cast<int>(std::to_string(steps).size());
    std::string line = format("step %*lld/%lld | loss %.6f", width,
                              static_cast<long long>(result.step),
                              static_cast<long long>(steps), result.loss);
    if (result.hasNorm)
      line += format(" | norm %.4f", result.norm);
    printf("%s | lr %.2e | %.2f ms | %.0f tok/s\n", line.c_str(), result.lr,
           result.seconds * 1e3, perSecond);
    fflush(stdout);
  }
  // Nine digits tell every float from its neighbours.
  std::string json = format("{\"step\":%lld,\"loss\":%.9g",
                            static_cast<long long>(result.step), result.loss);
  if (result.hasNorm)
    json += format(",\"norm\":%.9g", result.norm);
  writeJson(json + format(",\"lr\":%.17g,\"ms\":%.3f,\"tok_s\":%.1f}\n",
                          result.lr, result.seconds * 1e3, perSecond));
}

void Log::evaluation(int64_t step, double loss) {
  printf("step %lld/%lld | val_loss %.6f\n", static_cast<long long>(step),
         static_cast<long long>(steps), loss);
  fflush(stdout);
  writeJson(format("{\"step\":%lld,\"val_loss\":%.17g}\n",
                   static_cast<long long>(step), loss));
}

std::string pcc::grouped(int64_t number) {
  std::string digits = std::to_string(number);
  int start = digits[0] == '-' ? 1 : 0;
  for (int at = static_cast<int>(digits.size()) - 3; at > start; at -= 3)
    digits.insert(at, ",");
  return digits;
}

std::string pcc::bytesText(int64_t bytes) {
  if (bytes >= int64_t{1} << 30)
    return format("%.2f GiB", bytes / 1073741824.0);
  if (bytes >= 1 << 20)
    return format("%.1f MiB", bytes / 1048576.0);
  return format("%.1f KiB", bytes / 1024.0);
}
