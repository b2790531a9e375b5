//===- Log.cpp - Logs of a training run -----------------------------------===//

#include "runtime/telemetry/Log.h"

#include "runtime/support/Error.h"
#include "runtime/telemetry/Console.h"

#include <cerrno>
#include <cmath>
#include <cstring>

using namespace pcc;

Log::Log(const TrainingOptions &options, int64_t done, int64_t last,
         bool tokens, int columns)
    : path(options.logJson), steps(options.steps), logEvery(options.logEvery),
      tokens(tokens), bar(columns, done, last) {
  if (!options.tensorboardDir.empty())
    events = std::make_unique<EventFile>(options.tensorboardDir, done);
  if (path.empty())
    return;
  file = fopen(path.c_str(), done > 0 ? "a" : "w");
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

/// Returns a number for JSON, which cannot represent inf and nan: null for
/// them.
static std::string jsonNumber(const char *fmt, double number) {
  return std::isfinite(number) ? numberText(fmt, number) : "null";
}

void Log::step(const StepResult &result) {
  double perSecond = result.seconds > 0 ? result.items / result.seconds : 0;
  bool isSkipped = result.skipped || result.overflows || result.nonfiniteInRow;
  if (result.step % logEvery == 0 || result.step == steps || result.overflows ||
      result.nonfiniteInRow) {
    int width = static_cast<int>(std::to_string(steps).size());
    std::string line =
        format("step %*lld/%lld", width, static_cast<long long>(result.step),
               static_cast<long long>(steps));
    line += result.skipped ? " | skipped: no valid targets"
                           : " | loss " + numberText("%.6f", result.loss);
    if (result.overflows)
      line += format(" | skipped: gradients overflow at scale %.0f",
                     result.lossScale);
    else if (result.hasNorm && !result.skipped)
      line += " | norm " + numberText("%.4f", result.norm);
    if (!std::isnan(result.aux))
      line += " | aux " + numberText("%.6f", result.aux);
    if (!std::isnan(result.load))
      line += " | load " + numberText("%.2f", result.load);
    if (result.nonfiniteInRow)
      line += format(" | skipped: not finite, %lld in a row, %lld in all",
                     static_cast<long long>(result.nonfiniteInRow),
                     static_cast<long long>(result.nonfinite));
    say(line + format(" | lr %.2e | %.2f ms | %.0f %s/s", result.lr,
                      result.seconds * 1e3, perSecond,
                      tokens ? "tok" : "samples"));
  }
  // Nine digits represent a float exactly.
  std::string json =
      format("{\"step\":%lld,\"loss\":", static_cast<long long>(result.step)) +
      jsonNumber("%.9g", result.loss);
  if (result.hasNorm)
    json += ",\"norm\":" + jsonNumber("%.9g", result.norm);
  if (!std::isnan(result.aux))
    json += ",\"aux\":" + jsonNumber("%.9g", result.aux);
  if (!std::isnan(result.load))
    json += ",\"load\":" + jsonNumber("%.6g", result.load);
  if (result.lossScale > 0)
    json += format(",\"loss_scale\":%.0f", result.lossScale);
  if (isSkipped)
    json += ",\"skipped\":true";
  if (result.nonfiniteInRow)
    json += format(",\"nonfinite_in_row\":%lld,\"nonfinite\":%lld",
                   static_cast<long long>(result.nonfiniteInRow),
                   static_cast<long long>(result.nonfinite));
  writeJson(json + format(",\"lr\":%.17g,\"ms\":%.3f,\"%s\":%.1f}\n", result.lr,
                          result.seconds * 1e3, tokens ? "tok_s" : "samples_s",
                          perSecond));
  if (events) {
    std::vector<std::pair<const char *, double>> values = {
        {"train/lr", result.lr},
        {tokens ? "perf/tokens_per_sec" : "perf/samples_per_sec", perSecond}};
    if (!result.skipped && !result.nonfiniteInRow)
      values.insert(values.begin(), {"train/loss", result.loss});
    if (result.hasNorm && !isSkipped)
      values.push_back({"train/grad_norm", result.norm});
    if (result.lossScale > 0)
      values.push_back({"train/loss_scale", result.lossScale});
    if (!std::isnan(result.aux))
      values.push_back({"train/aux_loss", result.aux});
    if (!std::isnan(result.load))
      values.push_back({"train/expert_load", result.load});
    events->scalars(result.step, values);
  }
  bar.show(result.step);
}

void Log::say(const std::string &line) {
  bar.hide();
  print(line + "\n");
}

void Log::evaluation(int64_t step, double loss) {
  int width = static_cast<int>(std::to_string(steps).size());
  say(format("step %*lld/%lld | val_loss ", width, static_cast<long long>(step),
             static_cast<long long>(steps)) +
      numberText("%.6f", loss));
  if (events)
    events->scalars(step, {{"val/loss", loss}});
  writeJson(format("{\"step\":%lld,\"val_loss\":%s}\n",
                   static_cast<long long>(step),
                   jsonNumber("%.17g", loss).c_str()));
}

std::string pcc::numberText(const char *fmt, double number) {
  if (std::isnan(number))
    return "nan";
  char text[512];
  snprintf(text, sizeof(text), fmt, number);
  return text;
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
