//===- LossCheck.cpp - The cause of a loss that is not finite -------------===//

#include "runtime/train/LossCheck.h"

#include "runtime/data/Inputs.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace pcc;

std::string LossCheck::findZeros(const std::vector<std::string> &counts) const {
  std::string found;
  for (const std::string &name : counts) {
    float count = 1;
    outputs.read(name.c_str(), count);
    if (count == 0)
      found += (found.empty() ? "" : " and ") +
               name.substr(strlen(PCC_COUNT_PREFIX));
  }
  if (found.empty())
    return "";
  return format("the model's loss is divided by %s, which is 0 for the samples "
                "of this step",
                found.c_str());
}

bool LossCheck::lackTargets(const std::vector<int64_t> &samples) const {
  return program.n_document_ends > 0 &&
         std::none_of(samples.begin(), samples.end(), [&](int64_t sample) {
           return hasTargets(program, data, sample);
         });
}

std::string LossCheck::findMissingTargets(int64_t step) const {
  std::vector<std::string> counts = outputs.names(PCC_COUNT_PREFIX);
  std::string zeros = findZeros(counts);
  // The program's counts are more reliable than the labels.
  if (zeros.empty() && !counts.empty())
    return "";
  std::vector<int64_t> samples = order.samplesOf(step);
  std::string labels = data.findMissingTargets(samples);
  if (labels.empty() && zeros.empty() && lackTargets(samples))
    return "each target of its samples follows the end of a document";
  return labels.empty() ? zeros : labels;
}

std::string LossCheck::findBadData(int64_t step, bool hadOneBefore) const {
  std::vector<int64_t> samples = order.samplesOf(step), before;
  for (int64_t sample : samples)
    if (std::string found = data.findNotFinite(sample); !found.empty())
      return found;
  std::vector<std::string> counts = outputs.names(PCC_COUNT_PREFIX);
  // Zeros in the data are harmless if no count is 0.
  if (!counts.empty() && findZeros(counts).empty())
    return "";
  if (hadOneBefore)
    before = order.samplesOf(step - 1);
  return data.findZeros(samples, before);
}

bool LossCheck::isEmpty(const StepResult &result) const {
  // The program updates nothing if the norm is NaN.
  return result.hasNorm && std::isnan(result.norm) &&
         !findMissingTargets(result.step).empty();
}

std::string LossCheck::findNonfinite(const StepResult &result) {
  bool isLoss = !std::isfinite(result.loss);
  if (!isLoss && (!result.hasNorm || std::isfinite(result.norm)))
    return "";
  return format("the %s of step %lld is ", isLoss ? "loss" : "gradient norm",
                static_cast<long long>(result.step)) +
         numberText("%g", isLoss ? result.loss : result.norm);
}

void LossCheck::requireCapacity(int64_t step, int64_t saved) const {
  for (const std::string &name : outputs.names(PCC_OVERFLOW_PREFIX)) {
    float count = 0;
    outputs.read(name.c_str(), count);
    if (!(count > 0))
      continue;
    std::string note =
        "compile with a larger --moe-capacity, or without it, which has room "
        "for every choice";
    if (saved > 0)
      note += format("; the last checkpoint is of step %lld",
                     static_cast<long long>(saved));
    fail(ExitNonFinite,
         format("step %lld: tokens chose the experts of a rank more often than "
                "--moe-capacity %s allows",
                static_cast<long long>(step),
                name.substr(strlen(PCC_OVERFLOW_PREFIX)).c_str()),
         note);
  }
}

void LossCheck::requireFinite(const StepResult &result, int64_t first,
                              int64_t saved, int64_t skipped) const {
  std::string what = findNonfinite(result);
  if (what.empty())
    return;
  std::string uncounted = findMissingTargets(result.step);
  std::string note = findBadData(result.step, result.step > first);
  if (note.empty() && !uncounted.empty())
    note = uncounted + "; --skip-empty skips the update of such a step";
  if (note.empty())
    note = result.step == first
               ? "it is the first step of this run: check the values that it "
                 "started from"
               : "a lower --lr or a longer --warmup-steps often helps";
  bool isLoss = !std::isfinite(result.loss);
  if (isLoss && uncounted.empty() && result.lossScale > 0)
    note += "; fp16 overflows above 65504, --precision bf16 does not";
  if (skipped > 0)
    note += format("; of the steps before it %lld in a row were skipped, as "
                   "many as --skip-nonfinite allows",
                   static_cast<long long>(skipped));
  else if (result.step > first && uncounted.empty())
    note += "; --skip-nonfinite N skips the updates of up to N such steps "
            "in a row";
  if (saved > 0)
    note += format("; the last checkpoint is of step %lld",
                   static_cast<long long>(saved));
  fail(ExitNonFinite,
       what +
           (!isLoss && result.lossScale > 0 ? ", at a loss scale of 1" : "") +
           (uncounted.empty() ? "" : ": its samples have no valid targets"),
       note);
}
