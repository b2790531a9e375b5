//===- Weights.cpp - Initial values of the parameters ---------------------===//

#include "runtime/model/Weights.h"

#include "runtime/Backend.h"
#include "runtime/model/FileDigest.h"
#include "runtime/model/SavedFiles.h"
#include "runtime/model/SourceMap.h"
#include "runtime/support/DType.h"
#include "runtime/support/Files.h"
#include "runtime/support/Hash.h"

#include <cstring>
#include <unistd.h>

using namespace pcc;

static const double standardDeviation = 0.02; // GPT-2's, for every matrix

std::set<std::string> pcc::sourceFiles(const pcc_program &program) {
  std::set<std::string> files;
  auto add = [&](const pcc_source &source) {
    if (source.file)
      files.insert(source.file);
  };
  if (program.source && *program.source)
    files.insert(program.source);
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_tensors; ++i) {
      const pcc_tensor &tensor = program.stages[s].tensors[i];
      if (tensor.kind != PCC_PARAM || !tensor.source)
        continue;
      add(*tensor.source);
      for (int c = 0; c < tensor.n_copies; ++c)
        add(tensor.copies[c]);
    }
  return files;
}

std::string SourceFiles::placeOf(const std::string &file) const {
  if (!program.source)
    return file;
  if (file == program.source)
    return model;
  std::string folder = folderOf(program.source);
  if (file.compare(0, folder.size(), folder) == 0)
    return folderOf(model) + file.substr(folder.size());
  return file;
}

/// The folder of this executable, with a slash at its end; empty: not known.
static std::string executableFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? folderOf(std::string(path, length)) : "";
}

std::string SourceFiles::look(const std::string &file) const {
  if (!model.empty())
    return placeOf(file);
  if (exists(file) || file[0] == '/')
    return file;
  std::string beside = executableFolder() + file;
  return exists(beside) ? beside : "";
}

std::vector<std::string> SourceFiles::places() const {
  std::vector<std::string> found;
  for (const std::string &file : sourceFiles(program))
    if (std::string place = look(file); !place.empty())
      found.push_back(place);
  return found;
}

std::string SourceFiles::find(const std::string &file) const {
  if (std::string place = look(file); !place.empty())
    return place;
  char here[4096];
  fail(ExitData,
       format("cannot find model file '%s', looked for in '%s' and '%s'",
              file.c_str(), getcwd(here, sizeof(here)) ? here : ".",
              executableFolder().c_str()),
       "--model FILE says where the model lies; --init random needs none");
}

const char *SourceFiles::tensor(const pcc_source &source, int64_t bytes) {
  std::unique_ptr<MappedFile> &file = files[source.file];
  if (!file) {
    std::string place = find(source.file);
    file = std::make_unique<MappedFile>(
        place, ExitData, "model file",
        "--model FILE says where the model lies; --init random needs none");
    if (file->size() != source.file_size)
      fail(ExitData,
           format("model file '%s' has %lld bytes, but had %lld when the "
                  "program was compiled",
                  place.c_str(), static_cast<long long>(file->size()),
                  static_cast<long long>(source.file_size)),
           "compile again for a changed model");
    if (fileDigest(file->data(), file->size()) != source.file_digest)
      fail(ExitData,
           format("model file '%s' is not the one this program was compiled "
                  "from: its contents differ",
                  place.c_str()),
           "compile again for a changed model");
  }
  if (source.offset < 0 || bytes > file->size() - source.offset)
    fail(ExitData, format("tensor '%s' lies beyond the end of '%s'",
                          source.name, file->path().c_str()));
  return file->data() + source.offset;
}

/// The source tensor in a safetensors file, checked against the program's
/// shape. nullptr: it is not there.
static const SafeTensors::Tensor *
tensorOf(const SafeTensors &tensors, const SourceMap &map, ExitCode code) {
  const SafeTensors::Tensor *tensor = tensors.find(map.name);
  if (tensor && tensor->shape != map.shape) {
    auto text = [](const std::vector<int64_t> &shape) {
      std::string joined;
      for (int64_t size : shape)
        joined += (joined.empty() ? "" : "x") + std::to_string(size);
      return "[" + joined + "]";
    };
    fail(code, format("tensor '%s' of '%s' has shape %s, the program needs %s",
                      map.name.c_str(), tensors.path().c_str(),
                      text(tensor->shape).c_str(), text(map.shape).c_str()));
  }
  return tensor;
}

/// read(begin, end): these bytes of the tensor that the map is of.
template <typename Read>
static void copyShard(const pcc_tensor &tensor, const SourceMap &map,
                      const Shard &shard, Read read, int32_t fromType,
                      char *to) {
  int64_t fromSize = fromType < 0 ? 0 : sizeOf(fromType);
  int64_t toSize = sizeOf(tensor.dtype);
  bool known = fromType >= 0;
  forEachRun(map, shard,
             [&](int64_t local, int64_t index, int64_t count, int64_t stride) {
               int64_t end = index + (count - 1) * stride + 1;
               known =
                   known &&
                   convertAdding(map.excess, to + local * toSize, tensor.dtype,
                                 1, read(index * fromSize, end * fromSize),
                                 fromType, stride, count);
             });
  if (!known)
    fail(ExitData, format("tensor '%s' has a type that cannot become %s",
                          map.name.c_str(), dtypeName(tensor.dtype)));
}

static void drawShard(const pcc_tensor &tensor, const SourceMap &map,
                      const Shard &shard, uint64_t seed, char *to) {
  uint64_t key = mix(seed ^ fnv1a(map.name.data(), map.name.size()));
  int64_t size = sizeOf(tensor.dtype);
  struct Run {
    int64_t local, index, count, stride;
  };
  std::vector<Run> runs;
  forEachRun(map, shard,
             [&](int64_t local, int64_t index, int64_t count, int64_t stride) {
               runs.push_back({local, index, count, stride});
             });
  backend::parallelFor(runs.size(), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      for (int64_t i = 0; i < runs[r].count; ++i) {
        double value = standardDeviation *
                       randomNormal(key, runs[r].index + i * runs[r].stride);
        convert(to + (runs[r].local + i) * size, tensor.dtype, 1, &value,
                PCC_F64, 1, 1);
      }
  });
}

static void fillOnes(const pcc_tensor &tensor, const SourceMap &map,
                     const Shard &shard, char *to) {
  double one = 1;
  int64_t size = sizeOf(tensor.dtype);
  forEachRun(map, shard, [&](int64_t local, int64_t, int64_t count, int64_t) {
    convert(to + local * size, tensor.dtype, 1, &one, PCC_F64, 0, count);
  });
}

static void fillTensor(const pcc_tensor &tensor, const Shard &shard, char *to,
                       const InitialValues &values, SourceFiles &files) {
  SourceMap map(tensor);
  if (tensor.kind == PCC_PARAM && values.kind == InitialValues::FromTensors) {
    const SafeTensors &file = *values.tensors;
    if (const SafeTensors::Tensor *from = tensorOf(file, map, values.code))
      return copyShard(
          tensor, map, shard,
          [&](int64_t begin, int64_t end) {
            return file.read(*from, begin, end);
          },
          dtypeNamed(from->dtype.c_str()), to);
    if (tensor.init != PCC_INIT_FILE)
      fail(values.code,
           format("'%s' has no tensor '%s'", file.path().c_str(),
                  map.name.c_str()),
           "names are those of pcc --list-params with the flags that the "
           "program was compiled with: --norm-plus-one, --tie and --untie "
           "change some");
  }
  bool fromFile =
      tensor.kind == PCC_PARAM && (tensor.init == PCC_INIT_FILE ||
                                   values.kind == InitialValues::FromSource);
  if (fromFile) {
    if (!map.source || !map.source->file)
      fail(ExitData,
           format("parameter '%s' has no values in a model file", tensor.name),
           "the program was compiled without weights: use --init random or "
           "--init FILE.safetensors");
    if (map.source->offset == PCC_ABSENT)
      return;
    const char *from =
        files.tensor(*map.source, map.elements() * sizeOf(map.dtype));
    return copyShard(
        tensor, SourceMap(tensor, SourceMap::File), shard,
        [&](int64_t begin, int64_t) { return from + begin; }, map.dtype, to);
  }
  if (tensor.init == PCC_INIT_NORMAL)
    drawShard(tensor, map, shard, values.seed, to);
  else if (tensor.init == PCC_INIT_ONE)
    fillOnes(tensor, map, shard, to);
}

void pcc::fillParameters(const pcc_program &program, const pcc_stage &stage,
                         const Coordinates &coordinates, char *arena,
                         const InitialValues &values, SourceFiles &files) {
  for (int i = 0; i < stage.n_tensors; ++i) {
    const pcc_tensor &tensor = stage.tensors[i];
    if (tensor.kind == PCC_SCRATCH)
      continue;
    Shard shard = shardOf(program, tensor.layout, coordinates);
    HostView view(arena + tensor.arena_offset,
                  shard.elements() * sizeOf(tensor.dtype),
                  backend::Access::Write);
    fillTensor(tensor, shard, static_cast<char *>(view.data()), values, files);
  }
  if (values.tensors)
    values.tensors->requireWhole();
}

/// True if every parameter of the program has a file to come from.
static bool hasSourceFiles(const pcc_program &program) {
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_tensors; ++i) {
      const pcc_tensor &tensor = program.stages[s].tensors[i];
      if (tensor.kind == PCC_PARAM && (!tensor.source || !tensor.source->file))
        return false;
    }
  return true;
}

InitialValues pcc::initialValues(const pcc_program &program,
                                 const std::string &how, uint64_t seed,
                                 std::unique_ptr<SafeTensors> &file) {
  InitialValues values;
  values.seed = seed;
  if (how == "random" || (how.empty() && !hasSourceFiles(program))) {
    values.kind = InitialValues::Random;
  } else if (!how.empty() && how != "from-onnx") {
    file = openInitial(how);
    values.kind = InitialValues::FromTensors;
    values.tensors = file.get();
  }
  return values;
}
