//===- SourceTensors.cpp - Parameters in the source's layout --------------===//

#include "runtime/model/SourceTensors.h"

#include "runtime/Backend.h"
#include "runtime/support/DType.h"

#include <cstring>
#include <map>
#include <set>

using namespace pcc;

int64_t SourceTensor::bytes() const {
  return map.elements() * sizeOf(map.dtype);
}

std::vector<SourceTensor> pcc::sourceTensors(const pcc_program &program) {
  std::vector<SourceTensor> sources;
  std::map<std::string, size_t> known;
  std::set<std::string> seen;
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_tensors; ++i) {
      const pcc_tensor &tensor = program.stages[s].tensors[i];
      // A tied parameter is held by several stages, equal in all of them.
      if (tensor.kind != PCC_PARAM || !seen.insert(tensor.name).second)
        continue;
      SourceMap map(tensor);
      auto [it, first] = known.insert({map.name, sources.size()});
      if (first)
        sources.push_back({map, {}});
      sources[it->second].pieces.push_back({s, &tensor});
    }
  return sources;
}

/// Puts a rank's shard into the source tensor.
static void scatter(const SourceMap &map, const Shard &shard,
                    const pcc_tensor &tensor, const char *from, char *to) {
  int64_t size = sizeOf(map.dtype), localSize = sizeOf(tensor.dtype);
  bool known = true;
  forEachRun(map, shard,
             [&](int64_t local, int64_t index, int64_t count, int64_t stride) {
               known = known &&
                       convertAdding(-map.excess, to + index * size, map.dtype,
                                     stride, from + local * localSize,
                                     tensor.dtype, 1, count);
             });
  if (!known)
    fail(ExitInternal, format("parameter '%s' cannot return to type %s",
                              tensor.name, dtypeName(map.dtype)));
}

/// Elements that no program tensor holds keep the source's values.
static void fillUncovered(const TrainingState &state,
                          const SourceTensor &tensor, char *to) {
  int64_t covered = 0;
  for (const SourceTensor::Piece &piece : tensor.pieces)
    covered += SourceMap(*piece.tensor).covered();
  if (covered >= tensor.map.elements() || !tensor.map.source ||
      !tensor.map.source->file || tensor.map.source->offset == PCC_ABSENT)
    return;
  const char *from = state.files.tensor(*tensor.map.source, tensor.bytes());
  int32_t dtype = tensor.map.dtype;
  if (tensor.map.source->transposed)
    transpose(from, tensor.map.shape[1], tensor.map.shape[0], sizeOf(dtype),
              to);
  else
    convertAdding(-tensor.map.excess, to, dtype, 1, from, dtype, 1,
                  tensor.map.elements());
}

/// Gathers a source tensor on rank 0, into `to`; the others send their parts.
static void gather(const TrainingState &state, const SourceTensor &tensor,
                   char *to) {
  std::vector<char> buffer;
  for (const SourceTensor::Piece &piece : tensor.pieces) {
    SourceMap map(*piece.tensor);
    for (int rank = 0; rank < backend::size(); ++rank) {
      Coordinates at = coordinatesOf(state.program, rank);
      if (stageOf(state.program, at) != piece.stage ||
          !ownsShard(state.program, piece.tensor->layout, at))
        continue;
      Shard shard = shardOf(state.program, piece.tensor->layout, at);
      int64_t bytes = shard.elements() * sizeOf(piece.tensor->dtype);
      if (rank == backend::rank()) {
        HostView view(state.arena + piece.tensor->arena_offset, bytes,
                      backend::Access::Read);
        auto *from = static_cast<const char *>(view.data());
        if (rank == 0)
          scatter(map, shard, *piece.tensor, from, to);
        else
          backend::send(from, bytes, 0);
      } else if (backend::rank() == 0) {
        buffer.resize(bytes);
        backend::receive(buffer.data(), bytes, rank);
        scatter(map, shard, *piece.tensor, buffer.data(), to);
      }
    }
  }
}

void pcc::gatherSourceTensors(
    const TrainingState &state, const std::vector<SourceTensor> &sources,
    const std::function<void(const SourceTensor &, const char *)> &visit) {
  std::vector<char> buffer;
  for (const SourceTensor &tensor : sources) {
    if (backend::rank() != 0) {
      gather(state, tensor, nullptr);
      continue;
    }
    buffer.assign(tensor.bytes(), 0);
    fillUncovered(state, tensor, buffer.data());
    gather(state, tensor, buffer.data());
    visit(tensor, buffer.data());
  }
}
