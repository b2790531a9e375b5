//===- ExportModel.cpp - Trained weights in the source model --------------===//

#include "runtime/common/ExportModel.h"

#include "runtime/common/Backend.h"
#include "runtime/common/DType.h"
#include "runtime/common/Error.h"
#include "runtime/common/Files.h"
#include "runtime/common/SourceTensors.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <unistd.h>

using namespace pcc;

/// Calls visit(source) for all tensors of the source model that are written.
template <typename Visit>
static void forEachSource(const pcc_program &program, Visit visit) {
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_tensors; ++i) {
      const pcc_tensor &tensor = program.stages[s].tensors[i];
      if (tensor.kind != PCC_PARAM || !tensor.source || !tensor.source->file)
        continue;
      visit(*tensor.source);
      for (int c = 0; c < tensor.n_copies; ++c)
        visit(tensor.copies[c]);
    }
}

/// The files of the source model as they were given to pcc: the model file and
/// those of its external data.
static std::set<std::string> filesOf(const pcc_program &program) {
  std::set<std::string> files = {program.source};
  forEachSource(program,
                [&](const pcc_source &source) { files.insert(source.file); });
  return files;
}

/// Parameters that an exporter merged into one tensor have no places of their
/// own. (Those that are parts of one share it, too, but not its elements.)
static void checkPlaces(const pcc_program &program) {
  struct Place {
    const char *name;
    int64_t left; ///< elements that no parameter has
  };
  std::map<std::pair<std::string, int64_t>, Place> places;
  std::set<std::string> seen; // tied ones are in several stages
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_tensors; ++i) {
      const pcc_tensor &tensor = program.stages[s].tensors[i];
      const pcc_source *source = tensor.source;
      if (tensor.kind != PCC_PARAM || !source || !source->file ||
          !seen.insert(tensor.name).second)
        continue;
      SourceMap map(tensor);
      Place &place = places
                         .insert({{source->file, source->offset},
                                  {tensor.name, map.elements()}})
                         .first->second;
      place.left -= map.covered();
      if (place.left < 0)
        fail(ExitOutput,
             format("--export-onnx: '%s' and '%s' are one tensor in '%s', and "
                    "differ after training",
                    place.name, tensor.name, source->file),
             "an exporter merged what was equal: export without folding "
             "(do_constant_folding=False, or optimize=False of the dynamo "
             "exporter); checkpoints have them apart");
    }
}

/// Where a file of the source goes when the model file goes to `target`.
static std::string targetOf(const pcc_program &program, const std::string &file,
                            const std::string &target) {
  if (file == program.source)
    return target;
  std::string folder = folderOf(program.source);
  if (file.compare(0, folder.size(), folder))
    fail(ExitOutput,
         format("cannot export: external data '%s' does not lie beside '%s'",
                file.c_str(), program.source));
  return folderOf(target) + file.substr(folder.size());
}

/// The path without links; as it is where there is no such file.
static std::string resolved(const std::string &path) {
  char *real = realpath(path.c_str(), nullptr);
  std::string text = real ? real : path;
  free(real);
  return text;
}

void pcc::checkExport(const pcc_program &program, const SourceFiles &files,
                      const std::string &target) {
  if (!program.source || !*program.source)
    fail(ExitUsage,
         "--export-onnx: this program was compiled without a model file");
  checkPlaces(program);
  std::set<std::string> sources = filesOf(program);
  for (const std::string &file : sources) {
    std::string to = targetOf(program, file, target);
    for (const std::string &other : sources)
      if (resolved(to) == resolved(files.find(other)))
        fail(ExitOutput,
             format("--export-onnx '%s' would overwrite '%s', which the model "
                    "was compiled from",
                    target.c_str(), to.c_str()),
             "name a file in another folder");
    // What cannot be written is said now, not after hours of training.
    std::string folder = folderOf(to).empty() ? "." : folderOf(to);
    makeFolders(folder);
    if (access(folder.c_str(), W_OK))
      fail(ExitOutput,
           format("cannot write '%s': %s", to.c_str(), strerror(errno)));
  }
}

namespace {
/// A copy of a source file, under a temporary name until it is complete.
class FileCopy {
public:
  FileCopy(const std::string &from, const std::string &to);

  void write(const char *data, int64_t bytes, int64_t offset);
  /// Flushes and puts it at its place.
  void finish();

private:
  [[noreturn]] void cannot() const {
    fail(ExitOutput,
         format("cannot write '%s': %s", temporary.c_str(), strerror(errno)));
  }

  std::string path, temporary;
  int file;
};
} // namespace

FileCopy::FileCopy(const std::string &from, const std::string &to)
    : path(to), temporary(to + ".tmp"),
      file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                0666)) {
  if (file < 0)
    cannot();
  MappedFile source(from, ExitData, "model file", "");
  write(source.data(), source.size(), 0);
}

void FileCopy::write(const char *data, int64_t bytes, int64_t offset) {
  while (bytes > 0) {
    ssize_t done = pwrite(file, data, bytes, offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      cannot();
    data += done;
    bytes -= done;
    offset += done;
  }
}

void FileCopy::finish() {
  if (fsync(file) || close(file))
    cannot();
  replaceFile(temporary, path);
}

/// The values of a copy of a tensor, whose own lie at `from`.
static std::vector<char> valuesOfCopy(const pcc_tensor &tensor,
                                      const pcc_source &copy,
                                      const char *original, const char *from) {
  SourceMap map(tensor);
  int64_t size = sizeOf(map.dtype);
  int rank = tensor.layout.rank;
  Shard whole;
  whole.extent.assign(tensor.layout.shape, tensor.layout.shape + rank);
  whole.start.assign(rank, 0);
  std::vector<char> values(original, original + map.elements() * size);
  forEachRun(map, whole,
             [&](int64_t local, int64_t index, int64_t count, int64_t stride) {
               int64_t to = copy.base;
               for (int dim = rank - 1; dim >= 0; --dim) {
                 to += local % whole.extent[dim] * copy.stride[dim];
                 local /= whole.extent[dim];
               }
               convert(values.data() + to * size, map.dtype,
                       rank ? copy.stride[rank - 1] : 1, from + index * size,
                       map.dtype, stride, count);
             });
  return values;
}

void pcc::exportModel(const TrainingState &state, const std::string &target) {
  const pcc_program &program = state.program;
  std::map<std::string, FileCopy> files;
  if (backend::rank() == 0)
    for (const std::string &file : filesOf(program))
      files.emplace(file, FileCopy(state.files.find(file),
                                   targetOf(program, file, target)));
  gatherSourceTensors(
      state, sourceTensors(program),
      [&](const SourceTensor &tensor, const char *bytes) {
        const pcc_source *source = tensor.map.source;
        if (!source || !source->file)
          return;
        files.at(source->file).write(bytes, tensor.bytes(), source->offset);
        for (const SourceTensor::Piece &piece : tensor.pieces)
          for (int c = 0; c < piece.tensor->n_copies; ++c) {
            const pcc_source &copy = piece.tensor->copies[c];
            const char *original = state.files.tensor(copy, tensor.bytes());
            files.at(copy.file).write(
                valuesOfCopy(*piece.tensor, copy, original, bytes).data(),
                tensor.bytes(), copy.offset);
          }
      });
  // The model file last: what it names is there before it.
  for (auto &[file, copy] : files)
    if (file != program.source)
      copy.finish();
  if (backend::rank() == 0)
    files.at(program.source).finish();
}
