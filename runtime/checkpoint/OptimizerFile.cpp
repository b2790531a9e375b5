//===- OptimizerFile.cpp - The optimizer state on disk --------------------===//

#include "runtime/checkpoint/OptimizerFile.h"

#include "runtime/Backend.h"
#include "runtime/checkpoint/OptimizerPiece.h"
#include "runtime/launch/Machine.h"
#include "runtime/model/WriteShares.h"
#include "runtime/support/DType.h"

#include <algorithm>
#include <functional>

using namespace pcc;

namespace {
/// A tensor of the arena, with its name in the optimizer files.
struct Saved {
  std::string name;
  int index; ///< among the stage's tensors
  const pcc_tensor *tensor;
};

/// A piece that an opened file contains.
struct Stored {
  const SafeTensors *file;
  const SafeTensors::Tensor *tensor;
  int32_t dtype;
  OptimizerPiece piece;
};
} // namespace

/// Returns the tensors of this rank's stage that are in the optimizer files.
/// typeOf(map): the type of a parameter in the model's files.
static std::vector<Saved>
savedTensors(const TrainingState &state,
             const std::function<int32_t(const SourceMap &)> &typeOf) {
  std::vector<Saved> saved;
  for (int i = 0; i < state.stage.n_tensors; ++i) {
    const pcc_tensor &tensor = state.stage.tensors[i];
    std::string name = tensor.name;
    if (tensor.kind == PCC_PARAM) {
      SourceMap map(tensor);
      if (isHeldBy(tensor.dtype, typeOf(map)) && !map.excess)
        continue;
      name = "master." + name;
    } else if (tensor.kind != PCC_STATE) {
      continue;
    }
    saved.push_back({name, i, &tensor});
  }
  return saved;
}

/// The piece of a tensor with these elements of this rank's shard.
static OptimizerPiece pieceOf(const TrainingState &state,
                              const pcc_tensor &tensor, Span elements) {
  const pcc_layout &layout = tensor.layout;
  return {{layout.shape, layout.shape + layout.rank},
          shardOf(state.program, layout, state.coordinates),
          elements};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string pcc::writeOptimizer(const TrainingState &state, int64_t step,
                                const std::string &folder,
                                const std::vector<bool> &writers,
                                SavedTypes types, WrittenFile &written) {
  WriteShares division(state.program, writers);
  const std::vector<Span> &shares = division.sharesOf(backend::rank());
  std::vector<Saved> tensors = savedTensors(
      state, [&](const SourceMap &map) { return savedType(map, types); });
  tensors.erase(std::remove_if(tensors.begin(), tensors.end(),
                               [&](const Saved &saved) {
                                 return shares[saved.index].isEmpty();
                               }),
                tensors.end());
  if (tensors.empty())
    return "";
  if (!writers[backend::rank()])
    return format("host %s does not see '%s', and no rank that does holds the "
                  "same shards of the optimizer state: give --save a folder "
                  "that all hosts share",
                  hostName().c_str(), folder.c_str());
  std::vector<SafeTensorsEntry> entries;
  std::map<std::string, std::string> notes = {{"step", std::to_string(step)}};
  for (const Saved &saved : tensors) {
    OptimizerPiece piece = pieceOf(state, *saved.tensor, shares[saved.index]);
    int32_t dtype = saved.tensor->dtype;
    entries.push_back({saved.name, dtypeName(dtype), piece.storedShape(),
                       piece.elements.size() * sizeOf(dtype)});
    notes[saved.name] = written.pieces[saved.name] = piece.text();
  }
  SafeTensorsWriter writer(folder + "/" + optimizerFile(backend::rank()),
                           entries, notes);
  for (const Saved &saved : tensors) {
    int64_t size = sizeOf(saved.tensor->dtype);
    StoredRange run =
        storedRange(state.program, *saved.tensor, state.coordinates);
    Span share = shares[saved.index];
    int64_t skipped = share.begin - run.elements.begin;
    HostView view(state.arena + run.offset + skipped * size,
                  share.size() * size, backend::Access::Read);
    writer.write(view.data(), share.size() * size);
  }
  return writer.finish(written.hashes);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

using Pieces = std::map<std::string, std::vector<Stored>>;

/// Bytes of a mapped file that are kept in memory before they are released.
static const int64_t mappedBytes = 16 << 20;

static void addPieces(const SafeTensors &file, Pieces &pieces) {
  for (auto &[name, text] : file.metadata()) {
    const SafeTensors::Tensor *tensor = file.find(name);
    if (!tensor)
      continue; // a note such as "format"
    std::optional<OptimizerPiece> piece = readPiece(text, &tensor->shape);
    int32_t dtype = dtypeNamed(tensor->dtype.c_str());
    if (!piece || dtype < 0)
      fail(ExitOutput,
           format("the metadata of '%s' give no valid piece for tensor '%s'",
                  file.path().c_str(), name.c_str()));
    pieces[name].push_back({&file, tensor, dtype, *piece});
  }
}

/// Returns whether a tensor and a saved piece are of one global shape: they may
/// be padded differently, but the extents without padding agree.
static bool sameWhole(const SourceMap &map, const pcc_layout &layout,
                      const OptimizerPiece &piece) {
  if (static_cast<int32_t>(piece.shape.size()) != layout.rank)
    return false;
  for (int dim = 0; dim < layout.rank; ++dim)
    if (piece.shape[dim] != layout.shape[dim] &&
        std::min(piece.shape[dim], layout.shape[dim]) < map.valid[dim])
      return false;
  return true;
}

namespace {
/// The elements of a shard that were found, as spans. A span that continues the
/// last one extends it. Spans may overlap: files may contain an element twice.
class Found {
public:
  void add(Span span) {
    if (!spans.empty() && spans.back().end == span.begin)
      spans.back().end = span.end;
    else
      spans.push_back(span);
  }
  int64_t count() {
    std::sort(spans.begin(), spans.end(),
              [](Span a, Span b) { return a.begin < b.begin; });
    int64_t found = 0, end = 0;
    for (Span span : spans) {
      found += Span{std::max(span.begin, end), span.end}.size();
      end = std::max(end, span.end);
    }
    return found;
  }

private:
  std::vector<Span> spans;
};
} // namespace

/// Copies the elements that a stored piece shares with `own`, whose first
/// element is at `to`. Returns false if the types cannot be converted.
static bool copyCommon(const SourceMap &map, const OptimizerPiece &own,
                       int32_t dtype, const Stored &stored, char *to,
                       Found &found) {
  int64_t toSize = sizeOf(dtype), fromSize = sizeOf(stored.dtype), held = 0;
  bool known = true;
  forEachCommon(
      own, stored.piece, map.valid,
      [&](int64_t inOwn, int64_t inStored, int64_t count) {
        int64_t from = (inStored - stored.piece.elements.begin) * fromSize;
        int64_t end = from + count * fromSize;
        known =
            known && convert(to + (inOwn - own.elements.begin) * toSize, dtype,
                             1, stored.file->read(*stored.tensor, from, end),
                             stored.dtype, 1, count);
        found.add({inOwn, inOwn + count});
        if (end - held < mappedBytes)
          return;
        stored.file->release(*stored.tensor, held, end);
        held = end;
      });
  stored.file->release(*stored.tensor, held, stored.tensor->bytes);
  return known;
}

/// Returns the number of elements of a piece that are not padding.
static int64_t validElements(const SourceMap &map, const OptimizerPiece &own) {
  int64_t count = 0;
  forEachCommon(own, own, map.valid,
                [&](int64_t, int64_t, int64_t part) { count += part; });
  return count;
}

static void readShard(const TrainingState &state, const std::string &folder,
                      const Saved &saved, const std::vector<Stored> &pieces) {
  const pcc_tensor &tensor = *saved.tensor;
  SourceMap map(tensor);
  StoredRange run = storedRange(state.program, tensor, state.coordinates);
  OptimizerPiece own = pieceOf(state, tensor, run.elements);
  HostView view(state.arena + run.offset,
                run.elements.size() * sizeOf(tensor.dtype),
                backend::Access::Write);
  Found found;
  for (const Stored &stored : pieces) {
    if (!sameWhole(map, tensor.layout, stored.piece))
      fail(ExitOutput,
           format("checkpoint '%s' has '%s' in another shape", folder.c_str(),
                  saved.name.c_str()),
           "was it written by a program for another model?");
    if (!copyCommon(map, own, tensor.dtype, stored,
                    static_cast<char *>(view.data()), found))
      fail(
          ExitOutput,
          format(
              "checkpoint '%s' has '%s' as %s, which cannot be converted to %s",
              folder.c_str(), saved.name.c_str(), dtypeName(stored.dtype),
              dtypeName(tensor.dtype)));
  }
  int64_t needed = validElements(map, own), count = found.count();
  if (count != needed)
    fail(ExitOutput,
         format("checkpoint '%s' has %lld of the %lld elements of '%s' that "
                "this rank needs",
                folder.c_str(), static_cast<long long>(count),
                static_cast<long long>(needed), saved.name.c_str()),
         "is a file of it missing, or was it trained with another optimizer?");
}

/// Returns whether a file may contain elements of these tensors' shards.
static bool isNeeded(const TrainingState &state,
                     const std::vector<Saved> &tensors,
                     const SavedFiles &checkpoint, const std::string &file) {
  const OptimizerIndex *index = checkpoint.piecesOf(file);
  if (!index)
    return true; // written by an older version, without an index
  return std::any_of(tensors.begin(), tensors.end(), [&](const Saved &saved) {
    auto entry = index->find(saved.name);
    if (entry == index->end())
      return false;
    std::optional<OptimizerPiece> piece = readPiece(entry->second, nullptr);
    StoredRange run =
        storedRange(state.program, *saved.tensor, state.coordinates);
    return !piece || piece->shape.size() != size_t(saved.tensor->layout.rank) ||
           mayShare(pieceOf(state, *saved.tensor, run.elements), *piece);
  });
}

void pcc::readOptimizer(const TrainingState &state,
                        const SavedFiles &checkpoint,
                        const WeightFiles &model) {
  std::vector<Saved> tensors = savedTensors(state, [&](const SourceMap &map) {
    const SafeTensors::Tensor *tensor = model.find(map).tensor;
    return tensor ? dtypeNamed(tensor->dtype) : map.dtype;
  });
  std::vector<std::unique_ptr<SafeTensors>> files;
  Pieces pieces;
  for (const std::string &name : checkpoint.optimizerFiles()) {
    if (!isNeeded(state, tensors, checkpoint, name))
      continue;
    files.push_back(checkpoint.open(name, "optimizer state"));
    addPieces(*files.back(), pieces);
  }
  for (const Saved &saved : tensors)
    readShard(state, checkpoint.folder(), saved, pieces[saved.name]);
  for (const std::unique_ptr<SafeTensors> &file : files)
    file->requireWhole();
}
