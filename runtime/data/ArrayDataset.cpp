//===- ArrayDataset.cpp - Arrays by name as a dataset ---------------------===//

#include "runtime/data/ArrayDataset.h"

#include "runtime/data/Digest.h"
#include "runtime/data/Roles.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/FileNames.h"
#include "runtime/support/Files.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cstring>

using namespace pcc;

static bool isReal(const pcc_input &input) { return isFloat(input.dtype); }

static bool isTargetsByRole(const pcc_input &input) {
  Role role = roleOf(input);
  return role == Role::Targets || role == Role::Labels;
}

static bool isTargets(const pcc_input &input) {
  return isTargetsByRole(input) || !strcmp(input.name, "targets");
}

/// Returns whether its elements are class labels; negative ones are ignored.
static bool isLabels(const pcc_input &input) {
  return (isTargets(input) || input.of_loss) && !isReal(input);
}

static bool isArray(const std::string &name) {
  return name.size() > 4 && name.substr(name.size() - 4) == ".npy";
}

/// Returns the file of an input for which the folder has none named after it:
/// labels.npy for targets and labels; else the file named after the input.
static std::string usualFile(const pcc_input &input) {
  return arrayFile(isTargets(input) ? "labels" : input.name);
}

/// Returns whether each sample has its own values.
static bool isPerSample(const pcc_input &input) { return input.batch_dim >= 0; }

/// Returns the extents of one sample, or of the values that all samples share.
static std::vector<int64_t> shapeOfOne(const pcc_input &input) {
  std::vector<int64_t> shape(input.layout.shape,
                             input.layout.shape + input.layout.rank);
  if (isPerSample(input))
    shape.erase(shape.begin() + input.batch_dim);
  return shape;
}

/// Returns the expected shape, such as "[samples, 3, 16, 16]".
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
  // Several stages may read the same input.
  if (array.file &&
      (array.input != input.name || array.isTargets != isTargetsByRole(input)))
    fail(ExitData,
         format("inputs '%s' and '%s' would both be read from '%s'",
                array.input.c_str(), input.name, path.c_str()),
         array.input == input.name
             ? "rename the model's input: the loss adds an input of this name"
             : "the targets may be in a file of their own name");
  array.input = input.name;
  array.isTargets = isTargetsByRole(input);
  array.dtype = input.dtype;
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
         "an input that is the same for all samples needs the role 'shared'");
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
             : format("the input is the same for all samples; if each has its "
                      "own values, compile with --per-sample %s",
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
    const std::string &one = held == 1 ? input.name : countedBy;
    fail(ExitData,
         format("the arrays of '%s' differ in their number of samples: '%s' "
                "has %s, the ones before %s",
                folder.c_str(), name.c_str(), grouped(held).c_str(),
                grouped(count).c_str()),
         held == 1 || count == 1
             ? format("if '%s' is the same for all samples, compile with "
                      "--shared-input %s",
                      one.c_str(), one.c_str())
             : "");
  }
  countedBy = input.name;
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

std::string ArrayDataset::digest() const {
  Digest digest;
  for (const auto &[name, array] : arrays) {
    digest.add(name.data(), static_cast<int64_t>(name.size()));
    digest.addSampled(array.file->elements());
  }
  return digest.text();
}

const ArrayDataset::Array &ArrayDataset::arrayOf(const pcc_input &input) const {
  return arrays.at(fileOf(input));
}

/// Copies a shard of one sample, which begins at element `base` of a row-major
/// array. All dims but the batch dim are sharded as `shard` says.
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

std::vector<char> ArrayDataset::documentEnds(int64_t sample) const {
  std::vector<char> ends(program.seq);
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_inputs; ++i) {
      const pcc_input &input = program.stages[s].inputs[i];
      if (roleOf(input) != Role::Tokens)
        continue;
      const Array &array = arrayOf(input);
      int64_t first = array.perSample ? sample * array.sampleElements : 0;
      for (int64_t at = 0; at < program.seq; ++at) {
        int64_t token = array.file->elements().integer(first + at);
        for (int end = 0; end < program.n_document_ends; ++end)
          ends[at] |= token == program.document_ends[end];
      }
      return ends;
    }
  return ends;
}

bool ArrayDataset::copyConstant(const pcc_input &input, const Shard &shard,
                                char *to) const {
  const Array &array = arrayOf(input);
  if (array.perSample)
    return false;
  copyPart(array.file->elements(), 0, input, shard, to);
  return true;
}
