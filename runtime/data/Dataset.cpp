//===- Dataset.cpp - Training and validation data -------------------------===//

#include "runtime/data/Dataset.h"

#include "runtime/data/ArrayDataset.h"
#include "runtime/data/Roles.h"
#include "runtime/data/TokenDataset.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <algorithm>

using namespace pcc;

std::string pcc::boundText(const pcc_input &ids) {
  if (!ids.looked_up_by || !*ids.looked_up_by)
    return "";
  return std::string(", by '") + ids.looked_up_by + "'";
}

/// Returns an input that token files cannot feed; nullptr if there is none.
static const pcc_input *findOther(const pcc_program &program) {
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_inputs; ++i) {
      const pcc_input &input = program.stages[s].inputs[i];
      Role role = roleOf(input);
      if (!isFromDataset(role))
        continue;
      // Token files have no padding, so they can feed it with ones.
      if (isPaddingMask(input))
        continue;
      if (isNamed(role) || input.layout.rank != 2 || input.sequence_dim < 0 ||
          input.layout.shape[input.sequence_dim] != program.seq ||
          (input.dtype != PCC_I64 && input.dtype != PCC_I32))
        return &input;
    }
  return nullptr;
}

std::vector<std::string> pcc::dataFiles(const std::string &paths) {
  std::vector<std::string> files;
  for (const std::string &path : splitPaths(paths)) {
    if (isFolder(path)) {
      for (const std::string &name : listFolder(path))
        files.push_back(path + "/" + name);
      continue;
    }
    files.push_back(path);
    // Megatron's index of a token file, and the token file of an index.
    size_t dot = path.rfind('.');
    for (const char *suffix : {".idx", ".bin"})
      files.push_back(path.substr(0, dot) + suffix);
  }
  return files;
}

std::string
Dataset::findMissingTargets(const std::vector<int64_t> &samples) const {
  if (auto labels = findValues(samples, /*ofLabels=*/true))
    for (const ArrayValues &array : *labels) {
      if (array.isFound)
        continue;
      std::string where;
      for (const ArrayValues::File &file : array.files)
        where += (where.empty() ? "" : " or ") + file.samples + " in '" +
                 file.path + "'";
      return format("no label of %s is a valid target%s: all are negative",
                    where.c_str(), array.bound.c_str());
    }
  return "";
}

bool Dataset::mayHaveTargets(const std::vector<int64_t> &samples) const {
  auto labels = findValues(samples, /*ofLabels=*/true);
  return !labels || labels->empty() ||
         std::any_of(labels->begin(), labels->end(),
                     [](const ArrayValues &array) { return array.isFound; });
}

std::string Dataset::findZeros(const std::vector<int64_t> &samples,
                               const std::vector<int64_t> &before) const {
  auto arrays = findValues(samples, /*ofLabels=*/false);
  if (!arrays)
    return "";
  // An array that was all 0 before, such as token types, is not the cause.
  std::optional<std::vector<ArrayValues>> earlier;
  if (!before.empty())
    earlier = findValues(before, /*ofLabels=*/false);
  for (const ArrayValues &array : *arrays) {
    bool hadValues =
        !earlier ||
        std::any_of(earlier->begin(), earlier->end(),
                    [&](const ArrayValues &was) {
                      return was.input == array.input && was.isFound;
                    });
    if (array.isFound || !hadValues)
      continue;
    std::string paths;
    for (const ArrayValues::File &file : array.files)
      paths += (paths.empty() ? "'" : " and '") + file.path + "'";
    return paths + (array.files.size() == 1 ? " is" : " are") +
           " all 0 in this step: a quotient by its sum divides by 0";
  }
  return "";
}

std::string pcc::describeWantedData(const pcc_program &program) {
  return (findOther(program) ? "a folder of "
                             : "token files, or a folder of ") +
         describeArrays(program);
}

std::unique_ptr<Dataset> pcc::openDataset(const pcc_program &program,
                                          const std::string &paths,
                                          const char *flag) {
  if (isFolder(paths))
    return std::make_unique<ArrayDataset>(program, paths);
  if (const pcc_input *other = findOther(program)) {
    std::string wanted =
        format("--%s DIR takes a folder of ", flag) + describeArrays(program);
    if (!exists(paths))
      fail(ExitData, "there is no data folder '" + paths + "'", wanted);
    fail(ExitData,
         format("--%s: token files cannot feed input '%s' of this model", flag,
                other->name),
         wanted);
  }
  return std::make_unique<TokenDataset>(program, paths, splitPaths(paths));
}
