//===- OptimizerFile.cpp - A rank's optimizer state -----------------------===//

#include "runtime/common/OptimizerFile.h"

#include "runtime/common/Backend.h"
#include "runtime/common/DType.h"
#include "runtime/common/SourceMap.h"

#include <cstring>
#include <nlohmann/json.hpp>

using namespace pcc;

namespace {
/// A tensor of the arena under its name in the file.
struct Saved {
  std::string name;
  const pcc_tensor *tensor;
  Shard shard;
  int64_t bytes;
};
} // namespace

static std::vector<Saved> savedTensors(const TrainingState &state) {
  std::vector<Saved> saved;
  for (int i = 0; i < state.stage.n_tensors; ++i) {
    const pcc_tensor &tensor = state.stage.tensors[i];
    std::string name = tensor.name;
    if (tensor.kind == PCC_PARAM) {
      if (SourceMap(tensor).dtype == tensor.dtype)
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

static std::string fileOf(const std::string &folder) {
  return folder + format("/optim-rank-%05d.safetensors", backend::rank());
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

void pcc::writeOptimizer(const TrainingState &state,
                         const std::string &folder) {
  std::vector<Saved> tensors = savedTensors(state);
  std::vector<SafeTensorsWriter::Entry> entries;
  std::map<std::string, std::string> places;
  for (const Saved &saved : tensors) {
    entries.push_back({saved.name, dtypeName(saved.tensor->dtype),
                       saved.shard.extent, saved.bytes});
    places[saved.name] = placeOf(saved);
  }
  SafeTensorsWriter writer(fileOf(folder), entries, places);
  for (const Saved &saved : tensors) {
    HostView view(state.arena + saved.tensor->arena_offset, saved.bytes,
                  backend::Access::Read);
    writer.write(view.data(), saved.bytes);
  }
  writer.finish();
}

void pcc::readOptimizer(const TrainingState &state, const std::string &folder) {
  SafeTensors file(fileOf(folder), ExitOutput, "optimizer state");
  for (const Saved &saved : savedTensors(state)) {
    const SafeTensors::Tensor *tensor = file.find(saved.name);
    auto place = file.metadata().find(saved.name);
    if (!tensor || place == file.metadata().end() ||
        place->second != placeOf(saved) ||
        tensor->dtype != dtypeName(saved.tensor->dtype) ||
        tensor->bytes != saved.bytes)
      fail(ExitOutput,
           format("'%s' does not hold this rank's shard of '%s'",
                  file.path().c_str(), saved.name.c_str()),
           "resume with a program compiled with the same flags");
    HostView view(state.arena + saved.tensor->arena_offset, saved.bytes,
                  backend::Access::Write);
    memcpy(view.data(), tensor->data, saved.bytes);
  }
}
