//===- ArrayChecks.cpp - Checks of the values of arrays -------------------===//

#include "runtime/data/ArrayDataset.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/FileNames.h"
#include "runtime/support/Files.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cmath>

using namespace pcc;

static const int64_t ignoredLabel = -100;

static std::string whereText(bool perSample, int64_t sampleElements,
                             int64_t element) {
  return perSample ? format("sample %lld",
                            static_cast<long long>(element / sampleElements))
                   : format("element %lld", static_cast<long long>(element));
}

void ArrayDataset::refuse(const Array &array, int64_t element) const {
  long long value = array.file->elements().integer(element);
  std::string where = whereText(array.perSample, array.sampleElements, element);
  fail(ExitData,
       format("%s %lld in %s of '%s' is outside the %s of %lld",
              array.isLabels ? "label" : "id", value, where.c_str(),
              array.file->path().c_str(),
              array.isLabels ? "classes" : "vocabulary",
              static_cast<long long>(array.vocab)),
       format("valid values are 0 to %lld%s%s",
              static_cast<long long>(array.vocab - 1), array.bound.c_str(),
              array.isLabels ? ", and -100 for ignored targets" : ""));
}

void ArrayDataset::checkRange(const Array &array, int64_t first,
                              int64_t count) const {
  const Elements &elements = array.file->elements();
  int64_t found =
      elements.firstOutside(first, first + count, array.vocab,
                            array.isLabels ? ignoredLabel : array.vocab - 1);
  if (found >= 0)
    refuse(array, found);
}

void ArrayDataset::checkImplied(const pcc_implied &implied) const {
  std::string path = folder + "/" + arrayFile(implied.name);
  if (!exists(path))
    return;
  NpyFile file(path);
  const Elements &elements = file.elements();
  int64_t row = file.shape().empty() ? 1 : file.shape().back();
  // Bounds the time: a few bytes per element, about as many bytes as of the ids
  // that are checked at start.
  int64_t end = std::min(elements.count, int64_t{1} << 27);
  bool isShared = file.shape().size() < 2 || file.shape()[0] == 1;
  for (int64_t i = 0; i < end; ++i) {
    double wanted = implied.ones ? 1 : i % row, value = elements.real(i);
    if (value == wanted)
      continue;
    if (implied.ones)
      return warn(format("'%s' is not read: the program was compiled to take "
                         "%s as ones; compile with --padding-mask to feed it",
                         path.c_str(), implied.name));
    fail(ExitData,
         format("'%s' holds %g as element %lld, but the program was compiled "
                "to take %s as 0, 1, ... in every sample",
                path.c_str(), value, static_cast<long long>(i), implied.name),
         format("compile with --%s %s to feed it, or remove the file",
                isShared ? "shared-input" : "per-sample", implied.name));
  }
}

void ArrayDataset::checkWidth(const Array &array, int64_t first,
                              int64_t count) const {
  const Elements &elements = array.file->elements();
  int64_t wide = firstTooWide(elements, first, count, array.dtype);
  if (wide >= 0)
    fail(ExitData,
         format("%s of '%s' holds %lld, which input '%s' of type %s cannot "
                "represent",
                whereText(array.perSample, array.sampleElements, wide).c_str(),
                array.file->path().c_str(),
                static_cast<long long>(elements.integer(wide)),
                array.input.c_str(), infoOf(array.dtype).numpy));
}

bool ArrayDataset::check(int64_t &budget) const {
  for (int i = 0; i < program.n_implied; ++i)
    checkImplied(program.implied[i]);
  for (const auto &[name, array] : arrays)
    if (!array.perSample)
      checkWidth(array, 0, array.sampleElements);
  for (const auto &[name, array] : arrays) {
    const Elements &elements = array.file->elements();
    if (!array.vocab || infoOf(elements.type).isFloat)
      continue;
    int64_t width = infoOf(elements.type).bytes;
    int64_t end = std::min(elements.count, budget / width);
    checkRange(array, 0, end);
    if (end < elements.count)
      return false;
    budget -= end * width;
  }
  return true;
}

void ArrayDataset::checkSample(int64_t sample) const {
  for (const auto &[name, array] : arrays)
    if (array.perSample)
      checkWidth(array, sample * array.sampleElements, array.sampleElements);
  for (const auto &[name, array] : arrays)
    if (array.vocab && array.perSample &&
        !infoOf(array.file->elements().type).isFloat)
      checkRange(array, sample * array.sampleElements, array.sampleElements);
}

std::string ArrayDataset::findNotFinite(int64_t sample) const {
  for (const auto &[name, array] : arrays) {
    const Elements &elements = array.file->elements();
    if (!infoOf(elements.type).isFloat)
      continue;
    int64_t first = array.perSample ? sample * array.sampleElements : 0;
    for (int64_t i = first; i < first + array.sampleElements; ++i)
      if (double value = elements.real(i); !std::isfinite(value))
        return format(
            "%s of '%s' holds %s",
            whereText(array.perSample, array.sampleElements, i).c_str(),
            array.file->path().c_str(), numberText("%g", value).c_str());
  }
  return "";
}

bool ArrayDataset::hasValues(const Array &array,
                             const std::vector<int64_t> &samples) {
  const Elements &elements = array.file->elements();
  return std::any_of(samples.begin(), samples.end(), [&](int64_t sample) {
    int64_t first = sample * array.sampleElements;
    for (int64_t i = first; i < first + array.sampleElements; ++i)
      if (array.isLabels ? elements.integer(i) >= 0 : elements.real(i) != 0)
        return true;
    return false;
  });
}

/// Returns "samples 8 to 15", "sample 3" or "samples 3, 9, 1 and 5 others".
static std::string samplesText(const std::vector<int64_t> &samples) {
  size_t count = samples.size();
  bool inOrder = true;
  for (size_t i = 1; i < count; ++i)
    inOrder &= samples[i] == samples[i - 1] + 1;
  std::string text =
      (count == 1 ? "sample " : "samples ") + grouped(samples[0]);
  if (count > 1 && inOrder)
    return text + " to " + grouped(samples.back());
  for (size_t i = 1; i < std::min<size_t>(count, 3); ++i)
    text += ", " + grouped(samples[i]);
  return count > 3 ? text + " and " + grouped(count - 3) + " others" : text;
}

std::optional<std::vector<ArrayValues>>
ArrayDataset::findValues(const std::vector<int64_t> &samples,
                         bool ofLabels) const {
  std::vector<ArrayValues> all;
  for (const auto &[name, array] : arrays)
    if (array.isLabels == ofLabels && array.perSample)
      all.push_back({array.input,
                     hasValues(array, samples),
                     array.bound,
                     {{array.file->path(), samplesText(samples)}}});
  return all;
}
