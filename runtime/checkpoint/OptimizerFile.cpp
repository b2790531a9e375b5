//===- OptimizerFile.cpp - The optimizer state on disk --------------------===//

#include "runtime/checkpoint/OptimizerFile.h"

#include "runtime/Backend.h"
#include "runtime/model/SourceMap.h"
#include "runtime/support/DType.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

using namespace pcc;

namespace {
/// A tensor of the arena under its name in the files.
struct Saved {
  std::string name;
  const pcc_tensor *tensor;
  Shard shard;
  int64_t bytes;
};

/// A shard in a file, and where it lies in the whole.
struct Piece {
  const SafeTensors *file;
  const SafeTensors::Tensor *tensor;
  int32_t dtype;
  std::vector<int64_t> shape; ///< of the whole
  Shard shard;
};
} // namespace

static std::vector<Saved> savedTensors(const TrainingState &state) {
  std::vector<Saved> saved;
  for (int i = 0; i < state.stage.n_tensors; ++i) {
    const pcc_tensor &tensor = state.stage.tensors[i];
    std::string name = tensor.name;
    if (tensor.kind == PCC_PARAM) {
      SourceMap map(tensor);
      if (map.dtype == tensor.dtype && !map.excess)
        continue;
      name = "master." + name;
    } else if (tensor.kind != PCC_STATE) {
      continue;
    }
    Shard shard = shardOf(state.program, tensor.layout, state.coordinates);
    saved.push_back(
        {name, &tensor, shard, shard.elements() * sizeOf(tensor.dtype)});
  }
  return saved;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// True if this rank is the one that writes its shard: the first of those that
/// hold it, in the first stage that does (a tied parameter is in several).
static bool writes(const TrainingState &state, const pcc_tensor &tensor) {
  for (const pcc_stage *stage = state.program.stages; stage != &state.stage;
       ++stage)
    for (int i = 0; i < stage->n_tensors; ++i)
      if (!strcmp(stage->tensors[i].name, tensor.name))
        return false;
  return ownsShard(state.program, tensor.layout, state.coordinates);
}

/// Where a shard lies, as the metadata says it.
static std::string placeOf(const Saved &saved) {
  const pcc_layout &layout = saved.tensor->layout;
  nlohmann::ordered_json place;
  place["shape"] =
      std::vector<int64_t>(layout.shape, layout.shape + layout.rank);
  place["offset"] = saved.shard.start;
  return place.dump();
}

std::string pcc::writeOptimizer(const TrainingState &state, int64_t step,
                                const std::string &folder,
                                FileHashes &written) {
  std::vector<Saved> tensors = savedTensors(state);
  tensors.erase(std::remove_if(tensors.begin(), tensors.end(),
                               [&](const Saved &saved) {
                                 return !writes(state, *saved.tensor);
                               }),
                tensors.end());
  if (tensors.empty())
    return "";
  std::vector<SafeTensorsWriter::Entry> entries;
  std::map<std::string, std::string> places = {{"step", std::to_string(step)}};
  for (const Saved &saved : tensors) {
    entries.push_back({saved.name, dtypeName(saved.tensor->dtype),
                       saved.shard.extent, saved.bytes});
    places[saved.name] = placeOf(saved);
  }
  SafeTensorsWriter writer(folder + "/" + optimizerFile(backend::rank()),
                           entries, places);
  for (const Saved &saved : tensors) {
    HostView view(state.arena + saved.tensor->arena_offset, saved.bytes,
                  backend::Access::Read);
    writer.write(view.data(), saved.bytes);
  }
  return writer.finish(written);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

using Pieces = std::map<std::string, std::vector<Piece>>;

/// The list of whole numbers called `key`; false if it is none.
static bool readList(const nlohmann::json &place, const char *key,
                     std::vector<int64_t> &list) {
  auto found = place.find(key);
  if (found == place.end() || !found->is_array())
    return false;
  for (const nlohmann::json &item : *found) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > INT64_MAX)
      return false;
    list.push_back(item.get<int64_t>());
  }
  return true;
}

static void addPieces(const SafeTensors &file, Pieces &pieces) {
  for (auto &[name, text] : file.metadata()) {
    const SafeTensors::Tensor *tensor = file.find(name);
    if (!tensor)
      continue; // a note such as "format"
    auto place = nlohmann::json::parse(text, nullptr, false);
    Piece piece = {&file, tensor, dtypeNamed(tensor->dtype.c_str()), {}, {}};
    piece.shard.extent = tensor->shape;
    bool good = place.is_object() && readList(place, "shape", piece.shape) &&
                readList(place, "offset", piece.shard.start) &&
                piece.shape.size() == tensor->shape.size() &&
                piece.shard.start.size() == tensor->shape.size() &&
                piece.dtype >= 0;
    for (size_t dim = 0; good && dim < piece.shape.size(); ++dim)
      good = piece.shard.start[dim] <= piece.shape[dim] &&
             tensor->shape[dim] <= piece.shape[dim] - piece.shard.start[dim];
    if (!good)
      fail(ExitOutput, format("'%s' does not say where tensor '%s' lies",
                              file.path().c_str(), name.c_str()));
    pieces[name].push_back(piece);
  }
}

/// Both describe the same whole: they may be padded differently, but agree on
/// what is not padding.
static bool sameWhole(const SourceMap &map, const pcc_layout &layout,
                      const Piece &piece) {
  if (static_cast<int32_t>(piece.shape.size()) != layout.rank)
    return false;
  for (int dim = 0; dim < layout.rank; ++dim)
    if (piece.shape[dim] != layout.shape[dim] &&
        std::min(piece.shape[dim], layout.shape[dim]) < map.valid[dim])
      return false;
  return true;
}

/// Row-major index of an element within a shard.
static int64_t indexIn(const Shard &shard, const std::vector<int64_t> &at) {
  int64_t index = 0;
  for (size_t dim = 0; dim < at.size(); ++dim)
    index = index * shard.extent[dim] + at[dim] - shard.start[dim];
  return index;
}

/// Copies what a piece has of a shard. Returns the number of elements; -1 if
/// their types do not convert.
static int64_t copyCommon(const SourceMap &map, const Saved &saved,
                          const Piece &piece, char *to) {
  int rank = static_cast<int>(map.valid.size());
  std::vector<int64_t> begin(rank), end(rank);
  int64_t rows = 1, row = 1;
  for (int dim = 0; dim < rank; ++dim) {
    const Shard &a = saved.shard, &b = piece.shard;
    begin[dim] = std::max(a.start[dim], b.start[dim]);
    end[dim] = std::min({a.start[dim] + a.extent[dim],
                         b.start[dim] + b.extent[dim], map.valid[dim]});
    if (begin[dim] >= end[dim])
      return 0;
    (dim == rank - 1 ? row : rows) *= end[dim] - begin[dim];
  }
  int64_t toSize = sizeOf(saved.tensor->dtype), fromSize = sizeOf(piece.dtype);
  std::vector<int64_t> at = begin;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t from = indexIn(piece.shard, at) * fromSize;
    if (!convert(to + indexIn(saved.shard, at) * toSize, saved.tensor->dtype, 1,
                 piece.file->read(*piece.tensor, from, from + row * fromSize),
                 piece.dtype, 1, row))
      return -1;
    for (int dim = rank - 2; dim >= 0 && ++at[dim] == end[dim]; --dim)
      at[dim] = begin[dim];
  }
  return rows * row;
}

/// The elements of a shard that are not padding.
static int64_t validElements(const SourceMap &map, const Shard &shard) {
  int64_t count = 1;
  for (size_t dim = 0; dim < map.valid.size(); ++dim)
    count *= std::clamp<int64_t>(map.valid[dim] - shard.start[dim], 0,
                                 shard.extent[dim]);
  return count;
}

static void readShard(const TrainingState &state, const std::string &folder,
                      const Saved &saved, const std::vector<Piece> &pieces) {
  SourceMap map(*saved.tensor);
  HostView view(state.arena + saved.tensor->arena_offset, saved.bytes,
                backend::Access::Write);
  int64_t found = 0;
  std::set<std::vector<int64_t>> seen;
  for (const Piece &piece : pieces) {
    if (!sameWhole(map, saved.tensor->layout, piece))
      fail(ExitOutput,
           format("checkpoint '%s' has '%s' in another shape", folder.c_str(),
                  saved.name.c_str()),
           "was it written by a program for another model?");
    // Stages that share a parameter may both have written it.
    if (!seen.insert(piece.shard.start).second)
      continue;
    int64_t copied =
        copyCommon(map, saved, piece, static_cast<char *>(view.data()));
    if (copied < 0)
      fail(ExitOutput,
           format("checkpoint '%s' has '%s' as %s, which cannot become %s",
                  folder.c_str(), saved.name.c_str(), dtypeName(piece.dtype),
                  dtypeName(saved.tensor->dtype)));
    found += copied;
  }
  int64_t needed = validElements(map, saved.shard);
  if (found != needed)
    fail(ExitOutput,
         format("checkpoint '%s' has %lld of the %lld elements of '%s' that "
                "this rank needs",
                folder.c_str(), static_cast<long long>(found),
                static_cast<long long>(needed), saved.name.c_str()),
         "is a file of it missing, or was it trained with another optimizer?");
}

void pcc::readOptimizer(const TrainingState &state,
                        const SavedFiles &checkpoint) {
  std::vector<std::unique_ptr<SafeTensors>> files;
  Pieces pieces;
  for (const std::string &name : checkpoint.optimizerFiles()) {
    files.push_back(checkpoint.open(name, "optimizer state"));
    addPieces(*files.back(), pieces);
  }
  for (const Saved &saved : savedTensors(state))
    readShard(state, checkpoint.folder(), saved, pieces[saved.name]);
  for (const std::unique_ptr<SafeTensors> &file : files)
    file->requireWhole();
}
