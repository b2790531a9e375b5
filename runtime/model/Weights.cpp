//===- Weights.cpp - Initial values of the parameters ---------------------===//

#include "runtime/model/Weights.h"

#include "runtime/Backend.h"
#include "runtime/model/EncodedTensor.h"
#include "runtime/model/FileDigest.h"
#include "runtime/model/ModelPlaces.h"
#include "runtime/model/SavedFiles.h"
#include "runtime/model/SourceMap.h"
#include "runtime/support/DType.h"
#include "runtime/support/Files.h"
#include "runtime/support/Hash.h"

#include <cstring>
#include <filesystem>

using namespace pcc;

static const double standardDeviation = 0.02; // GPT-2's, for every shape

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

SourceFiles::SourceFiles(const pcc_program &program, std::string model)
    : program(program), model(std::move(model)) {
  if (this->model.empty() || !program.source || !isFolder(this->model))
    return;
  std::string source = program.source;
  this->model += "/" + source.substr(folderOf(source).size());
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

std::string SourceFiles::locate(const std::string &file) const {
  if (!model.empty())
    return placeOf(file);
  for (const std::string &place : modelPlaces(file))
    if (exists(place))
      return place;
  return file[0] == '/' ? file : "";
}

std::string SourceFiles::modelPath() const {
  return program.source && *program.source ? locate(program.source) : model;
}

std::vector<std::string> SourceFiles::places() const {
  std::vector<std::string> found;
  for (const std::string &file : sourceFiles(program))
    if (std::string place = locate(file); !place.empty())
      found.push_back(place);
  return found;
}

std::string SourceFiles::find(const std::string &file) const {
  if (std::string place = locate(file); !place.empty())
    return place;
  std::vector<std::string> places = modelPlaces(file);
  std::string all;
  for (size_t i = 0; i < places.size(); ++i) {
    const char *before = i == 0 ? "" : i + 1 < places.size() ? ", " : " and ";
    all += before + ("'" + std::filesystem::absolute(places[i]).string() + "'");
  }
  fail(ExitData,
       format("cannot find model file '%s', looked for %s", file.c_str(),
              all.c_str()),
       "--model FILE names the model file; --init random needs none");
}

const char *SourceFiles::tensor(const pcc_source &source, int64_t bytes) {
  std::unique_ptr<MappedFile> &file = files[source.file];
  if (!file) {
    std::string place = find(source.file);
    file = std::make_unique<MappedFile>(
        place, ExitData, "model file",
        "--model FILE names the model file; --init random needs none");
    if (file->size() != source.file_size)
      fail(ExitData,
           format("model file '%s' has %lld bytes, but had %lld when the "
                  "program was compiled",
                  place.c_str(), static_cast<long long>(file->size()),
                  static_cast<long long>(source.file_size)),
           "compile again for a changed model");
    if (fileDigest(file->data(), file->size(), MappedFile::release) !=
        source.file_digest)
      fail(ExitData,
           format("model file '%s' is not the one this program was compiled "
                  "from: its contents differ",
                  place.c_str()),
           "compile again for a changed model");
  }
  if (encoded::isEncoded(source.offset))
    return decoded(source, *file, bytes);
  if (source.offset < 0 || bytes > file->size() - source.offset)
    fail(ExitData, format("tensor '%s' extends beyond the end of '%s'",
                          source.name, file->path().c_str()));
  return file->data() + source.offset;
}

const char *SourceFiles::decoded(const pcc_source &source,
                                 const MappedFile &file, int64_t bytes) {
  auto [it, isNew] = elements.insert({{source.file, source.offset}, {}});
  int64_t place = encoded::placeOf(source.offset);
  if (isNew && (place > file.size() ||
                !encoded::decode(file.data() + place, file.data() + file.size(),
                                 source.dtype, bytes / sizeOf(source.dtype),
                                 it->second)))
    fail(ExitData, format("tensor '%s' of '%s' does not hold the elements of "
                          "its shape",
                          source.name, file.path().c_str()));
  return it->second.data();
}

void SourceFiles::release() {
  elements.clear();
  for (auto &[name, file] : files)
    file->release(0, file->size());
}

/// Returns a source tensor in safetensors files, after checking its shape.
static WeightFiles::Found tensorOf(const WeightFiles &tensors,
                                   const SourceMap &map, ExitCode code) {
  WeightFiles::Found found = tensors.find(map);
  if (found.tensor && found.tensor->shape != map.shape) {
    auto text = [](const std::vector<int64_t> &shape) {
      std::string joined;
      for (int64_t size : shape)
        joined += (joined.empty() ? "" : "x") + std::to_string(size);
      return "[" + joined + "]";
    };
    fail(code,
         format("tensor '%s' of '%s' has shape %s, the program needs %s",
                map.name.c_str(), found.file->path().c_str(),
                text(found.tensor->shape).c_str(), text(map.shape).c_str()));
  }
  return found;
}

namespace {
/// The elements of a tensor that a rank fills.
struct Destination {
  const pcc_tensor &tensor;
  Shard shard;
  Span part; ///< of the shard's elements
  char *to;  ///< address of the part's first element

  /// Returns the address of an element of the shard.
  char *at(int64_t local) const {
    return to + (local - part.begin) * sizeOf(tensor.dtype);
  }
  void forEachRun(const SourceMap &map, const VisitRun &run) const {
    pcc::forEachRun(map, shard, part, {0, map.elements()}, run);
  }
};

/// A tensor in a mapped file.
struct MappedTensor {
  int32_t dtype; ///< -1: unknown
  /// Offset of the tensor from a block boundary of the file, in bytes.
  int64_t place;
  /// Whether the bytes are mapped pages of the file, which can be released.
  bool isMapped;
  std::function<const char *(int64_t begin, int64_t end)> read;
};
} // namespace

/// Copies a rank's elements block by block in file order and releases each
/// block of the file afterwards, so that little of the file is in memory at a
/// time.
static void copyShard(const Destination &to, const SourceMap &map,
                      const MappedTensor &from) {
  int64_t size = from.dtype < 0 ? 1 : sizeOf(from.dtype);
  bool known = from.dtype >= 0;
  auto copyBlock = [&](Span window) {
    pcc::forEachRun(
        map, to.shard, to.part, window,
        [&](int64_t local, int64_t index, int64_t count, int64_t stride) {
          int64_t last = index + (count - 1) * stride;
          int64_t begin = std::min(index, last), end = std::max(index, last);
          const char *bytes = from.read(begin * size, (end + 1) * size);
          known =
              known && convertAdding(map.excess, to.at(local), to.tensor.dtype,
                                     1, bytes + (index - begin) * size,
                                     from.dtype, stride, count);
        });
  };
  Span bounds = boundsOf(map, to.shard, to.part);
  const char *start = from.read(0, 0);
  for (int64_t begin = bounds.begin; known && begin < bounds.end;) {
    int64_t block = (from.place + begin * size) / hashedBlock + 1;
    int64_t next = (block * hashedBlock - from.place + size - 1) / size;
    Span window = {begin, std::min(next, bounds.end)};
    copyBlock(window);
    if (from.isMapped)
      MappedFile::release(start + window.begin * size,
                          start + window.end * size);
    begin = next;
  }
  if (!known)
    fail(ExitData,
         format("tensor '%s' has a type that cannot be converted to %s",
                map.name.c_str(), dtypeName(to.tensor.dtype)));
}

static void drawShard(const Destination &to, const SourceMap &map,
                      uint64_t seed) {
  uint64_t key = mix(seed ^ fnv1a(map.name.data(), map.name.size()));
  int64_t size = sizeOf(to.tensor.dtype);
  struct Row {
    int64_t local, index, count, stride;
  };
  std::vector<Row> rows;
  to.forEachRun(
      map, [&](int64_t local, int64_t index, int64_t count, int64_t stride) {
        rows.push_back({local, index, count, stride});
      });
  backend::parallelFor(rows.size(), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      for (int64_t i = 0; i < rows[r].count; ++i) {
        double value = standardDeviation *
                       randomNormal(key, rows[r].index + i * rows[r].stride);
        convert(to.at(rows[r].local) + i * size, to.tensor.dtype, 1, &value,
                PCC_F64, 1, 1);
      }
  });
}

static void fillOnes(const Destination &to, const SourceMap &map) {
  double one = 1;
  to.forEachRun(map, [&](int64_t local, int64_t, int64_t count, int64_t) {
    convert(to.at(local), to.tensor.dtype, 1, &one, PCC_F64, 0, count);
  });
}

static void fillTensor(const Destination &to, const InitialValues &values,
                       SourceFiles &files) {
  const pcc_tensor &tensor = to.tensor;
  SourceMap map(tensor);
  if (tensor.kind == PCC_PARAM && values.kind == InitialValues::FromTensors) {
    const WeightFiles &files = *values.tensors;
    WeightFiles::Found from = tensorOf(files, map, values.code);
    if (from.tensor)
      return copyShard(to, map,
                       {dtypeNamed(from.tensor->dtype.c_str()),
                        from.tensor->place % hashedBlock, /*isMapped=*/true,
                        [&](int64_t begin, int64_t end) {
                          return from.file->read(*from.tensor, begin, end);
                        }});
    if (tensor.init != PCC_INIT_FILE)
      fail(values.code,
           format("%s has no tensor '%s'", files.names().c_str(),
                  map.savedName.c_str()),
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
    bool isEncoded = encoded::isEncoded(map.source->offset);
    return copyShard(to, SourceMap(tensor, SourceMap::File),
                     {map.dtype,
                      isEncoded ? 0 : map.source->offset % hashedBlock,
                      /*isMapped=*/!isEncoded,
                      [&](int64_t begin, int64_t) { return from + begin; }});
  }
  if (tensor.init == PCC_INIT_NORMAL)
    drawShard(to, map, values.seed);
  else if (tensor.init == PCC_INIT_ONE)
    fillOnes(to, map);
}

void pcc::fillParameters(const pcc_program &program, const pcc_stage &stage,
                         const Coordinates &coordinates, char *arena,
                         const InitialValues &values, SourceFiles &files) {
  for (int i = 0; i < stage.n_tensors; ++i) {
    const pcc_tensor &tensor = stage.tensors[i];
    if (tensor.kind != PCC_PARAM && tensor.kind != PCC_STATE)
      continue;
    StoredRange run = storedRange(program, tensor, coordinates);
    HostView view(arena + run.offset,
                  run.elements.size() * sizeOf(tensor.dtype),
                  backend::Access::Write);
    fillTensor({tensor, shardOf(program, tensor.layout, coordinates),
                run.elements, static_cast<char *>(view.data())},
               values, files);
  }
  if (values.tensors)
    values.tensors->requireWhole();
  files.release();
}

void pcc::roundWorkingCopies(const pcc_program &program, const pcc_stage &stage,
                             const Coordinates &coordinates, char *arena) {
  std::map<std::string, const pcc_tensor *> parameters;
  for (int i = 0; i < stage.n_tensors; ++i)
    if (stage.tensors[i].kind == PCC_PARAM)
      parameters[stage.tensors[i].name] = &stage.tensors[i];
  for (int i = 0; i < stage.n_tensors; ++i) {
    const pcc_tensor &copy = stage.tensors[i];
    if (copy.kind != PCC_COPY)
      continue;
    auto from = parameters.find(copy.of ? copy.of : "");
    if (from == parameters.end())
      fail(ExitInternal,
           format("'%s' is a working copy of no parameter of its stage",
                  copy.name));
    const pcc_tensor &parameter = *from->second;
    // Steps gather the working copies of bucketed parameters themselves.
    if (parameter.bucket)
      continue;
    StoredRange whole = storedRange(program, parameter, coordinates),
                own = storedRange(program, copy, coordinates);
    if (!(whole.elements == own.elements))
      fail(ExitInternal, format("working copy '%s' has other elements than the "
                                "rank's shard of '%s'",
                                copy.name, parameter.name));
    int64_t toSize = sizeOf(copy.dtype), fromSize = sizeOf(parameter.dtype);
    HostView to(arena + own.offset, own.elements.size() * toSize,
                backend::Access::Write),
        source(arena + whole.offset, whole.elements.size() * fromSize,
               backend::Access::Read);
    auto *target = static_cast<char *>(to.data());
    auto *values = static_cast<const char *>(source.data());
    backend::parallelFor(own.elements.size(), [&](int64_t begin, int64_t end) {
      convert(target + begin * toSize, copy.dtype, 1, values + begin * fromSize,
              parameter.dtype, 1, end - begin);
    });
  }
}

/// Returns whether every parameter of the program has a source file.
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
                                 std::unique_ptr<WeightFiles> &files) {
  InitialValues values;
  values.seed = seed;
  if (how == "random" || (how.empty() && !hasSourceFiles(program))) {
    values.kind = InitialValues::Random;
  } else if (!how.empty() && how != "from-onnx") {
    files = openInitial(how);
    values.kind = InitialValues::FromTensors;
    values.tensors = files.get();
  }
  return values;
}
