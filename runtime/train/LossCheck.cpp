//===- LossCheck.cpp - Why a step has no loss -----------------------------===//

#include "runtime/train/LossCheck.h"

#include "runtime/support/Error.h"
#include "runtime/train/Outputs.h"

#include <cstring>

using namespace pcc;

std::string LossCheck::findZeros(const std::vector<std::string> &counts) const {
  std::string found;
  for (const std::string &name : counts) {
    float count = 1;
    readOutput(program, coordinates, arena, false, name.c_str(), count);
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

std::string LossCheck::findUncounted(int64_t step) const {
  std::vector<std::string> counts = outputNames(program, PCC_COUNT_PREFIX);
  std::string zeros = findZeros(counts);
  // A program that tells its counts knows better than the labels.
  if (zeros.empty() && !counts.empty())
    return "";
  std::vector<int64_t> samples = order.samplesOf(step);
  std::string labels = data.findUncounted(samples);
  return labels.empty() ? zeros : labels;
}

std::string LossCheck::findBadData(int64_t step, bool hadOneBefore) const {
  std::vector<int64_t> samples = order.samplesOf(step), before;
  for (int64_t sample : samples)
    if (std::string found = data.findNotFinite(sample); !found.empty())
      return found;
  std::vector<std::string> counts = outputNames(program, PCC_COUNT_PREFIX);
  // What is 0 did no harm where no count is.
  if (!counts.empty() && findZeros(counts).empty())
    return "";
  if (hadOneBefore)
    before = order.samplesOf(step - 1);
  return data.findZeros(samples, before);
}
