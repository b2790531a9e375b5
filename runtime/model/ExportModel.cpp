//===- ExportModel.cpp - Trained weights in the source model --------------===//

#include "runtime/model/ExportModel.h"

#include "runtime/Backend.h"
#include "runtime/model/EncodedTensor.h"
#include "runtime/model/OnnxRewrite.h"
#include "runtime/model/SourceTensors.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"
#include "runtime/support/Progress.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <unistd.h>

using namespace pcc;

/// Returns the initializers that the exported file needs in addition: for
/// tensors that share an offset of the file with another one, because an
/// exporter merged equal tensors; for tensors without one, because it removed
/// zeros; and for encoded tensors, which are replaced by raw bytes. (Program
/// tensors that are parts of one source tensor have its name.)
static std::vector<NewInitializer> newTensors(const pcc_program &program) {
  std::vector<NewInitializer> added;
  std::set<std::pair<std::string, int64_t>> places;
  std::vector<SourceTensor> sources = sourceTensors(program, SavedTypes::File);
  auto add = [&](const pcc_source &source) -> NewInitializer & {
    NewInitializer made = {
        source.name, source.dtype, {}, sizeOf(source.dtype), {}};
    made.shape.assign(source.shape, source.shape + source.rank);
    for (int64_t extent : made.shape)
      made.bytes *= extent;
    return added.emplace_back(made);
  };
  auto addReplaced = [&](const pcc_source &source) {
    add(source).replaced = encoded::placeOf(source.offset);
  };
  // Tensors without recorded uses come first: they cannot be moved, so they
  // keep the shared offset.
  for (bool canMove : {false, true})
    for (const SourceTensor &tensor : sources) {
      const pcc_source *source = tensor.map.source;
      const pcc_tensor &held = *tensor.pieces[0].tensor;
      if (!source || !source->file || (held.n_uses > 0) != canMove)
        continue;
      bool isNew = places.insert({source->file, source->offset}).second;
      bool isEncoded = encoded::isEncoded(source->offset);
      if (isNew && isEncoded)
        addReplaced(*source);
      if (isNew && source->offset != PCC_ABSENT)
        continue;
      if (!canMove)
        fail(ExitInternal,
             format("no uses are recorded for '%s', which shares its offset in "
                    "'%s' with another tensor",
                    source->name, source->file));
      add(*source).uses.assign(held.uses, held.uses + held.n_uses);
    }
  for (const SourceTensor &tensor : sources)
    for (const SourceTensor::Piece &piece : tensor.pieces)
      for (int c = 0; c < piece.tensor->n_copies; ++c) {
        const pcc_source &copy = piece.tensor->copies[c];
        if (encoded::isEncoded(copy.offset) &&
            places.insert({copy.file, copy.offset}).second)
          addReplaced(copy);
      }
  return added;
}

namespace {
/// The source model file, and the offsets of tensors in its copy.
class SourceModel {
public:
  /// Exits with ExitData if the new initializers cannot be added.
  SourceModel(const pcc_program &program, const SourceFiles &files);

  const OnnxRewrite &rewrite() const { return *change; }
  /// Return the file of a model's tensor, as given to pcc, and its offset in
  /// the copy of the file.
  std::string fileOf(const SourceTensor &tensor) const;
  int64_t placeOf(const SourceTensor &tensor) const;
  /// Returns the offset in the copy of a tensor stored in the source.
  int64_t placeOf(const pcc_source &source) const;

private:
  const pcc_program &program;
  MappedFile file;
  /// Indices of new initializers: by name, and by the offset of the encoded
  /// tensor that one replaces.
  std::map<std::string, size_t> added;
  std::map<int64_t, size_t> replaced;
  std::unique_ptr<OnnxRewrite> change;
};
} // namespace

SourceModel::SourceModel(const pcc_program &program, const SourceFiles &files)
    : program(program),
      file(files.find(program.source), ExitData, "model file", "") {
  std::vector<NewInitializer> tensors = newTensors(program);
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].replaced < 0)
      added.insert({tensors[i].name, i});
    else
      replaced.insert({tensors[i].replaced, i});
  std::string error;
  change =
      std::make_unique<OnnxRewrite>(file.data(), file.size(), tensors, error);
  if (!error.empty())
    fail(ExitData, format("cannot add initializers to '%s' for parameters that "
                          "an exporter merged, removed or did not store as raw "
                          "bytes: ",
                          file.path().c_str()) +
                       error);
}

std::string SourceModel::fileOf(const SourceTensor &tensor) const {
  return added.count(tensor.map.name) ? program.source
                                      : tensor.map.source->file;
}

int64_t SourceModel::placeOf(const SourceTensor &tensor) const {
  auto found = added.find(tensor.map.name);
  return found == added.end() ? placeOf(*tensor.map.source)
                              : change->offsetOfNew(found->second);
}

int64_t SourceModel::placeOf(const pcc_source &source) const {
  if (encoded::isEncoded(source.offset))
    return change->offsetOfNew(replaced.at(encoded::placeOf(source.offset)));
  return !strcmp(source.file, program.source) ? change->placeOf(source.offset)
                                              : source.offset;
}

/// Returns the path of a source file's copy when the model file is copied to
/// `target`.
static std::string targetOf(const pcc_program &program, const std::string &file,
                            const std::string &target) {
  if (file == program.source)
    return target;
  std::string folder = folderOf(program.source);
  if (file.compare(0, folder.size(), folder))
    fail(
        ExitOutput,
        format("cannot export: external data '%s' is not in the folder of '%s'",
               file.c_str(), program.source));
  return folderOf(target) + file.substr(folder.size());
}

std::vector<std::string> pcc::exportTargets(const pcc_program &program,
                                            const std::string &target) {
  if (!program.source || !*program.source)
    fail(ExitUsage,
         "--export-onnx: this program was compiled without a model file");
  std::vector<std::string> targets;
  for (const std::string &file : sourceFiles(program))
    targets.push_back(targetOf(program, file, target));
  return targets;
}

void pcc::checkExport(const pcc_program &program, const SourceFiles &files,
                      const std::string &target) {
  for (const std::string &to : exportTargets(program, target)) {
    if (isDevice(to))
      fail(ExitOutput,
           format("cannot write '%s': not a regular file", to.c_str()));
    makeFolders(folderOf(to).empty() ? "." : folderOf(to));
  }
  SourceModel model(program, files);
}

namespace {
/// The copies of the source files, under temporary names until all of them are
/// complete.
class Copies {
public:
  /// Adds a copy of `from` at `to`, or the file that `rewrite` yields.
  void add(const std::string &file, const std::string &from,
           const std::string &to, const OnnxRewrite *rewrite);
  void write(const std::string &file, const char *data, int64_t bytes,
             int64_t offset);
  /// Flushes all copies and renames them to their paths, `last` at the end.
  void finish(const std::string &last);

private:
  struct Copy {
    std::string path, temporary;
    int descriptor;
  };
  void put(const Copy &copy);
  [[noreturn]] void cannot(const Copy &copy) const;

  std::map<std::string, Copy> copies;
};
} // namespace

/// Removes the temporary files and exits with the cause in errno.
void Copies::cannot(const Copy &failed) const {
  std::string cause = strerror(errno);
  for (auto &[file, copy] : copies)
    unlink(copy.temporary.c_str());
  fail(ExitOutput, format("cannot write '%s': %s", failed.temporary.c_str(),
                          cause.c_str()));
}

void Copies::add(const std::string &file, const std::string &from,
                 const std::string &to, const OnnxRewrite *rewrite) {
  std::string temporary = to + ".tmp";
  int descriptor = createDescriptor(temporary);
  Copy &copy = copies[file] = {to, temporary, descriptor};
  if (descriptor < 0)
    cannot(copy);
  if (rewrite) {
    rewrite->forEachPart([&](const char *data, int64_t bytes, int64_t place) {
      write(file, data, bytes, place);
    });
    return;
  }
  MappedFile source(from, ExitData, "model file", "");
  const int64_t atOnce = 16 << 20;
  for (int64_t at = 0; at < source.size(); at += atOnce) {
    int64_t bytes = std::min(atOnce, source.size() - at);
    write(file, source.data() + at, bytes, at);
    source.release(at, at + bytes);
  }
}

void Copies::write(const std::string &file, const char *data, int64_t bytes,
                   int64_t offset) {
  const Copy &copy = copies.at(file);
  if (!writeAt(copy.descriptor, copy.temporary, data, bytes, offset))
    cannot(copy);
}

void Copies::put(const Copy &copy) {
  Operation operation("flush", copy.temporary, Activity::Flushes);
  if (fsync(copy.descriptor) || close(copy.descriptor) ||
      rename(copy.temporary.c_str(), copy.path.c_str()))
    cannot(copy);
}

void Copies::finish(const std::string &last) {
  for (auto &[file, copy] : copies)
    if (file != last)
      put(copy);
  put(copies.at(last));
}

/// Returns the values of another copy of a tensor in the source files. `from`:
/// the tensor's own values. The copy may be of another type and layout.
static std::vector<char> valuesOfDuplicate(const pcc_tensor &tensor,
                                           const pcc_source &copy,
                                           SourceFiles &files,
                                           const char *from) {
  SourceMap map(tensor);
  int64_t size = sizeOf(copy.dtype), bytes = map.elements() * size;
  const char *original = files.tensor(copy, bytes);
  int rank = tensor.layout.rank;
  Shard whole;
  whole.extent.assign(tensor.layout.shape, tensor.layout.shape + rank);
  whole.start.assign(rank, 0);
  std::vector<char> values(original, original + bytes);
  forEachRun(map, whole,
             [&](int64_t local, int64_t index, int64_t count, int64_t stride) {
               int64_t to = copy.base;
               for (int dim = rank - 1; dim >= 0; --dim) {
                 to += local % whole.extent[dim] * copy.stride[dim];
                 local /= whole.extent[dim];
               }
               convert(values.data() + to * size, copy.dtype,
                       rank ? copy.stride[rank - 1] : 1,
                       from + index * sizeOf(map.dtype), map.dtype, stride,
                       count);
             });
  return values;
}

void pcc::exportModel(const TrainingState &state, const std::string &target) {
  const pcc_program &program = state.program;
  std::unique_ptr<SourceModel> model;
  Copies copies;
  if (backend::rank() == 0) {
    model = std::make_unique<SourceModel>(program, state.files);
    for (const std::string &file : sourceFiles(program))
      copies.add(file, state.files.find(file), targetOf(program, file, target),
                 file == program.source ? &model->rewrite() : nullptr);
  }
  std::vector<char> whole, turned;
  gatherSourceTensors(
      state, sourceTensors(program, SavedTypes::File),
      [&](const SourceTensor &tensor, const char *bytes) {
        const pcc_source *source = tensor.map.source;
        if (!source || !source->file)
          return;
        // Converts to the file's elements, still in the model's layout.
        if (tensor.map.excess) {
          whole.resize(tensor.bytes());
          convertAdding(tensor.map.excess, whole.data(), source->dtype, 1,
                        bytes, source->dtype, 1, tensor.map.elements());
          bytes = whole.data();
        }
        const char *inFile = bytes;
        if (source->transposed) {
          turned.resize(tensor.bytes());
          transpose(bytes, tensor.map.shape[0], tensor.map.shape[1],
                    sizeOf(source->dtype), turned.data());
          inFile = turned.data();
        }
        copies.write(model->fileOf(tensor), inFile, tensor.bytes(),
                     model->placeOf(tensor));
        for (const SourceTensor::Piece &piece : tensor.pieces)
          for (int c = 0; c < piece.tensor->n_copies; ++c) {
            const pcc_source &copy = piece.tensor->copies[c];
            std::vector<char> values =
                valuesOfDuplicate(*piece.tensor, copy, state.files, bytes);
            copies.write(copy.file, values.data(), values.size(),
                         model->placeOf(copy));
          }
      });
  // The model file comes last: the external data that it names exist by then.
  if (backend::rank() == 0)
    copies.finish(program.source);
}
