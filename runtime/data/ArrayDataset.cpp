//===- ArrayDataset.cpp - Arrays by name as a dataset ---------------------===//

#include "runtime/data/ArrayDataset.h"

#include "runtime/data/Roles.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/FileNames.h"
#include "runtime/support/Files.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace pcc;

static const int64_t ignoredLabel = -100;

static bool isReal(const pcc_input &input) { return isFloat(input.dtype); }

static bool isTargetsByRole(const pcc_input &input) {
  Role role = roleOf(input);
  return role == Role::Targets || role == Role::Labels;
}

static bool isTargets(const pcc_input &input) {
  return isTargetsByRole(input) || !strcmp(input.name, "targets");
}

/// Whether its elements are classes, of which negative ones are not counted.
static bool isLabels(const pcc_input &input) {
  return (isTargets(input) || input.of_loss) && !isReal(input);
}

static bool isArray(const std::string &name) {
  return name.size() > 4 && name.substr(name.size() - 4) == ".npy";
}

/// Where the model's own name of an input is not that of a file.
static std::string usualFile(const pcc_input &input) {
  return arrayFile(isTargets(input) ? "labels" : input.name);
}

/// Whether each sample has its own values.
static bool isPerSample(const pcc_input &input) { return input.batch_dim >= 0; }

/// The extents of one sample, or of all if they share the values.
static std::vector<int64_t> shapeOfOne(const pcc_input &input) {
  std::vector<int64_t> shape(input.layout.shape,
                             input.layout.shape + input.layout.rank);
  if (isPerSample(input))
    shape.erase(shape.begin() + input.batch_dim);
  return shape;
}

/// Such as "[samples, 3, 16, 16]".
static std::string wantedShape(const pcc_input &input) {
  std::string sizes = shapeText(shapeOfOne(input));
  if (!isPerSample(input))
    return sizes;
  return "[samples" + (input.layout.rank == 1 ? "]" : ", " + sizes.substr(1));
}

std::string pcc::describeArrays(const pcc_program &program) {
  std::map<std::string, std::string> arrays;
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_inputs; ++i) {
      const pcc_input &input = program.stages[s].inputs[i];
      if (!isFromDataset(roleOf(input)))
        continue;
      std::string name = usualFile(input), &text = arrays[name];
      text = name + " " + wantedShape(input) +
             (isReal(input) ? " of numbers" : " of whole numbers");
      if (input.vocab)
        text += " below " + grouped(input.vocab);
      if (!isPerSample(input))
        text += ", the same for all samples";
    }
  std::string all;
  for (const auto &[name, text] : arrays)
    all += (all.empty() ? "" : ", ") + text;
  return all;
}

ArrayDataset::ArrayDataset(const pcc_program &program,
                           const std::string &folder)
    : program(program), folder(folder) {
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_inputs; ++i)
      if (isFromDataset(roleOf(program.stages[s].inputs[i])))
        add(program, program.stages[s].inputs[i]);
  if (count < 0)
    fail(ExitInternal, "the program has no input that data feeds");
}

std::string ArrayDataset::fileOf(const pcc_input &input) const {
  std::string own = arrayFile(input.name);
  return exists(folder + "/" + own) ? own : usualFile(input);
}

void ArrayDataset::add(const pcc_program &program, const pcc_input &input) {
  std::string name = fileOf(input), path = folder + "/" + name;
  Array &array = arrays[name];
  // Of several stages one input may be the same.
  if (array.file &&
      (array.input != input.name || array.isTargets != isTargetsByRole(input)))
    fail(ExitData,
         format("inputs '%s' and '%s' would both be read from '%s'",
                array.input.c_str(), input.name, path.c_str()),
         array.input == input.name
             ? "rename the model's input, for the loss adds targets"
             : "the targets may be in a file of their own name");
  array.input = input.name;
  array.isTargets = isTargetsByRole(input);
  if (!array.file) {
    if (!exists(path)) {
      std::string held;
      for (const std::string &entry : listFolder(folder))
        if (isArray(entry))
          held += (held.empty() ? "" : ", ") + entry;
      fail(ExitData,
           format("data folder '%s' has no '%s' for input '%s'", folder.c_str(),
                  name.c_str(), input.name),
           held.empty() ? "it has no .npy files" : "it has " + held);
    }
    array.file = std::make_unique<NpyFile>(path);
  }
  std::vector<int64_t> wanted = shapeOfOne(input);
  std::vector<int64_t> shape = array.file->shape();
  array.perSample = isPerSample(input);
  int64_t rows = program.micro_batch * program.data_parallel;
  int64_t own = array.perSample ? input.layout.shape[input.batch_dim] : rows;
  if (own != rows)
    fail(ExitInternal,
         format("input '%s' of role '%s' has %lld rows, a microbatch has %lld "
                "samples",
                input.name, input.role, static_cast<long long>(own),
                static_cast<long long>(rows)),
         "what is the same for all samples has the role 'shared'");
  bool hasSamples = array.perSample && !shape.empty();
  if (hasSamples)
    shape.erase(shape.begin());
  if (shape != wanted || hasSamples != array.perSample)
    fail(ExitData,
         format("array '%s' has shape %s, input '%s' needs %s", path.c_str(),
                shapeText(array.file->shape()).c_str(), input.name,
                wantedShape(input).c_str()),
         array.perSample
             ? ""
             : format("it is the same for all samples, or else compile with "
                      "--per-sample %s",
                      input.name));
  char probe[8];
  Elements none = array.file->elements();
  if (!copyElements(none, 0, 0, 1, input.dtype, probe))
    fail(ExitData, format("array '%s' holds %s, input '%s' needs whole numbers",
                          path.c_str(), infoOf(none.type).numpy, input.name));
  array.isLabels = isLabels(input);
  if (input.vocab && (!array.vocab || input.vocab < array.vocab)) {
    array.vocab = input.vocab;
    array.bound = boundText(input);
  }
  array.sampleElements = 1;
  for (int64_t size : shape)
    array.sampleElements *= size;
  if (!array.perSample)
    return;
  int64_t held = array.file->shape()[0];
  if (count >= 0 && held != count) {
    const std::string &one = held == 1 ? input.name : counted;
    fail(ExitData,
         format("the arrays of '%s' differ in their samples: '%s' has %s, the "
                "ones before %s",
                folder.c_str(), name.c_str(), grouped(held).c_str(),
                grouped(count).c_str()),
         held == 1 || count == 1
             ? format("if '%s' is the same for all samples, compile with "
                      "--shared-input %s",
                      one.c_str(), one.c_str())
             : "");
  }
  counted = input.name;
  count = held;
}

std::string ArrayDataset::describe() const {
  std::string names;
  for (const auto &[name, array] : arrays)
    names += (names.empty() ? "" : ", ") + name;
  std::string others;
  for (const std::string &entry : listFolder(folder))
    if (isArray(entry) && !arrays.count(entry))
      others += (others.empty() ? ", not " : ", ") + entry;
  return folder + ": " + names + others;
}

std::string ArrayDataset::needed(int64_t samples) const {
  return "at least " + grouped(samples) + " samples are needed";
}

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
              array.isLabels ? ", and -100 for what is not counted" : ""));
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
  // A few bytes an element, as many as of the ids that are checked at the
  // start.
  int64_t end = std::min(elements.count, int64_t{1} << 27);
  bool isShared = file.shape().size() < 2 || file.shape()[0] == 1;
  for (int64_t i = 0; i < end; ++i) {
    double wanted = implied.ones ? 1 : i % row, value = elements.real(i);
    if (value == wanted)
      continue;
    if (implied.ones)
      return warn(format("'%s' is not read: the program was compiled to take "
                         "%s as ones; pcc --padding-mask has it fed",
                         path.c_str(), implied.name));
    fail(ExitData,
         format("'%s' holds %g as element %lld, but the program was compiled "
                "to take %s as 0, 1, ... in every sample",
                path.c_str(), value, static_cast<long long>(i), implied.name),
         format("compile with --%s %s to feed it, or remove the file",
                isShared ? "shared-input" : "per-sample", implied.name));
  }
}

bool ArrayDataset::check(int64_t budget) const {
  for (int i = 0; i < program.n_implied; ++i)
    checkImplied(program.implied[i]);
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

bool ArrayDataset::counts(const Array &array,
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

/// "samples 8 to 15", "sample 3" or "samples 3, 9, 1 and 5 others".
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

std::string
ArrayDataset::findUncounted(const std::vector<int64_t> &samples) const {
  for (const auto &[name, array] : arrays)
    if (array.isLabels && array.perSample && !counts(array, samples))
      return format("no label of %s in '%s' counts%s, for all are negative",
                    samplesText(samples).c_str(), array.file->path().c_str(),
                    array.bound.c_str());
  return "";
}

bool ArrayDataset::mayCount(const std::vector<int64_t> &samples) const {
  bool hasLabels = false;
  for (const auto &[name, array] : arrays) {
    if (!array.isLabels || !array.perSample)
      continue;
    if (counts(array, samples))
      return true;
    hasLabels = true;
  }
  return !hasLabels;
}

std::string ArrayDataset::findZeros(const std::vector<int64_t> &samples,
                                    const std::vector<int64_t> &before) const {
  for (const auto &[name, array] : arrays) {
    if (array.isLabels || !array.perSample || counts(array, samples))
      continue;
    // Such as types of tokens, all 0, which did no harm so far.
    if (before.empty() || counts(array, before))
      return format("'%s' holds nothing but 0 for this step: what is divided "
                    "by its sum is divided by 0",
                    array.file->path().c_str());
  }
  return "";
}

const ArrayDataset::Array &ArrayDataset::arrayOf(const pcc_input &input) const {
  return arrays.at(fileOf(input));
}

/// Copies the part of a row-major array [sizes...] from element `base` on that
/// the dims of a shard cover, but the dim of samples.
static void copyPart(const Elements &from, int64_t base, const pcc_input &input,
                     const Shard &shard, char *to) {
  std::vector<int> dims;
  for (int dim = 0; dim < input.layout.rank; ++dim) {
    if (dim == input.batch_dim)
      continue;
    if (shard.extent[dim] == 0)
      return;
    dims.push_back(dim);
  }
  if (dims.empty()) {
    copyElements(from, base, 1, 1, input.dtype, to);
    return;
  }
  std::vector<int64_t> index(input.layout.rank, 0);
  int64_t run = shard.extent[dims.back()];
  while (true) {
    int64_t at = 0;
    for (int dim : dims)
      at = at * input.layout.shape[dim] + shard.start[dim] + index[dim];
    copyElements(from, base + at, run, 1, input.dtype, to);
    to += run * sizeOf(input.dtype);
    int i = static_cast<int>(dims.size()) - 2;
    while (i >= 0 && ++index[dims[i]] == shard.extent[dims[i]])
      index[dims[i--]] = 0;
    if (i < 0)
      return;
  }
}

void ArrayDataset::copySample(const pcc_input &input, const Shard &shard,
                              int64_t sample, char *to) const {
  const Array &array = arrayOf(input);
  copyPart(array.file->elements(), sample * array.sampleElements, input, shard,
           to);
}

bool ArrayDataset::copyConstant(const pcc_input &input, const Shard &shard,
                                char *to) const {
  const Array &array = arrayOf(input);
  if (array.perSample)
    return false;
  copyPart(array.file->elements(), 0, input, shard, to);
  return true;
}
