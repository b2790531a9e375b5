//===- SourceTensors.cpp - Parameters in the source's layout --------------===//

#include "runtime/model/SourceTensors.h"

#include "runtime/Backend.h"
#include "runtime/support/DType.h"

#include <map>
#include <set>

using namespace pcc;

int32_t pcc::savedType(const SourceMap &map, SavedTypes types) {
  if (types == SavedTypes::File || !map.source)
    return map.dtype;
  int32_t dtype = map.source->saved_dtype;
  bool isHalf = dtype == PCC_BF16 || dtype == PCC_F16;
  return types == SavedTypes::F32 && isHalf ? PCC_F32 : dtype;
}

bool pcc::isHeldBy(int32_t dtype, int32_t other) {
  bool isHalf = dtype == PCC_BF16 || dtype == PCC_F16;
  return dtype == other || (other == PCC_F32 && isHalf) ||
         (other == PCC_F64 && isFloat(dtype));
}

int64_t SourceTensor::bytes() const {
  return map.elements() * sizeOf(map.dtype);
}

std::vector<SourceTensor> pcc::sourceTensors(const pcc_program &program,
                                             SavedTypes types) {
  std::vector<SourceTensor> sources;
  std::map<std::string, size_t> known;
  std::set<std::string> seen;
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_tensors; ++i) {
      const pcc_tensor &tensor = program.stages[s].tensors[i];
      // Several stages may hold a tied parameter, with equal values.
      if (tensor.kind != PCC_PARAM || !seen.insert(tensor.name).second)
        continue;
      SourceMap map(tensor);
      map.dtype = savedType(map, types);
      auto [it, first] = known.insert({map.name, sources.size()});
      if (first)
        sources.push_back({map, {}});
      sources[it->second].pieces.push_back({s, i, &tensor, map});
    }
  return sources;
}

bool SourceTensor::isFromFile() const {
  int64_t covered = 0;
  for (const Piece &piece : pieces)
    covered += piece.map.covered();
  return covered < map.elements() && map.source && map.source->file &&
         map.source->offset != PCC_ABSENT;
}

std::vector<SourcePart> pcc::partsOf(const pcc_program &program,
                                     const WriteShares &division,
                                     const SourceTensor &source) {
  std::vector<SourcePart> parts;
  for (const SourceTensor::Piece &piece : source.pieces)
    for (int rank = 0; rank < worldSize(program); ++rank) {
      Coordinates at = coordinatesOf(program, rank);
      if (stageOf(program, at) != piece.stage)
        continue;
      Span share = division.sharesOf(rank)[piece.index];
      Shard shard = shardOf(program, piece.tensor->layout, at);
      Span bounds = boundsOf(piece.map, shard, share);
      if (!bounds.isEmpty())
        parts.push_back({rank, &source, &piece, shard,
                         storedRange(program, *piece.tensor, at), share,
                         bounds});
    }
  return parts;
}

int64_t pcc::packedBytes(const SourcePart &part, Span window) {
  int64_t elements = 0;
  forEachRun(
      part.piece->map, part.shard, part.elements, window,
      [&](int64_t, int64_t, int64_t count, int64_t) { elements += count; });
  return elements * sizeOf(part.source->map.dtype);
}

void pcc::pack(char *arena, const SourcePart &part, Span window,
               std::vector<char> &to) {
  const pcc_tensor &tensor = *part.piece->tensor;
  const SourceMap &map = part.piece->map;
  int64_t size = sizeOf(map.dtype), localSize = sizeOf(tensor.dtype);
  int64_t first = part.elements.begin - part.kept.elements.begin;
  HostView view(arena + part.kept.offset + first * localSize,
                part.elements.size() * localSize, backend::Access::Read);
  auto *from = static_cast<const char *>(view.data());
  bool known = true;
  forEachRun(map, part.shard, part.elements, window,
             [&](int64_t local, int64_t, int64_t count, int64_t) {
               size_t end = to.size();
               to.resize(end + count * size);
               known =
                   known && convertAdding(-map.excess, &to[end], map.dtype, 1,
                                          from + (local - part.elements.begin) *
                                                     localSize,
                                          tensor.dtype, 1, count);
             });
  if (!known)
    fail(ExitInternal,
         format("parameter '%s' cannot be converted back to type %s",
                tensor.name, dtypeName(map.dtype)));
}

const char *pcc::unpack(const SourcePart &part, Span window, const char *from,
                        char *to) {
  int32_t dtype = part.source->map.dtype;
  int64_t size = sizeOf(dtype);
  forEachRun(part.piece->map, part.shard, part.elements, window,
             [&](int64_t, int64_t index, int64_t count, int64_t stride) {
               convert(to + (index - window.begin) * size, dtype, stride, from,
                       dtype, 1, count);
               from += count * size;
             });
  return from;
}

void pcc::fillFromFile(SourceFiles &files, const SourceTensor &source,
                       Span window, char *to) {
  const SourceMap &map = source.map;
  int32_t dtype = map.source->dtype;
  int64_t size = sizeOf(map.dtype), fileSize = sizeOf(dtype);
  const char *from = files.tensor(*map.source, map.elements() * fileSize);
  if (!map.source->transposed) {
    convertAdding(-map.excess, to, map.dtype, 1, from + window.begin * fileSize,
                  dtype, 1, window.size());
    return;
  }
  // A row of the model's matrix is a column of the file's.
  int64_t columns = map.shape[1], rows = map.shape[0];
  for (int64_t at = window.begin; at < window.end;) {
    int64_t row = at / columns, column = at % columns;
    int64_t count = std::min(columns - column, window.end - at);
    convertAdding(-map.excess, to + (at - window.begin) * size, map.dtype, 1,
                  from + (column * rows + row) * fileSize, dtype, rows, count);
    at += count;
  }
}

/// Gathers a source tensor on rank 0, into `to`; other ranks send their parts.
static void gather(const TrainingState &state, const WriteShares &division,
                   const SourceTensor &source, char *to) {
  Span whole = {0, source.map.elements()};
  std::vector<char> packed;
  for (const SourcePart &part : partsOf(state.program, division, source)) {
    packed.clear();
    if (part.rank == backend::rank()) {
      pack(state.arena, part, whole, packed);
      if (backend::rank() != 0)
        backend::send(packed.data(), packed.size(), 0);
    } else if (backend::rank() == 0) {
      packed.resize(packedBytes(part, whole));
      backend::receive(packed.data(), packed.size(), part.rank);
    }
    if (backend::rank() == 0)
      unpack(part, whole, packed.data(), to);
  }
}

void pcc::gatherSourceTensors(
    const TrainingState &state, const std::vector<SourceTensor> &sources,
    const std::function<void(const SourceTensor &, const char *)> &visit) {
  std::vector<bool> all(worldSize(state.program), true);
  WriteShares division(state.program, all);
  std::vector<char> buffer;
  for (const SourceTensor &source : sources) {
    if (backend::rank() != 0) {
      gather(state, division, source, nullptr);
      continue;
    }
    buffer.assign(source.bytes(), 0);
    if (source.isFromFile())
      fillFromFile(state.files, source, {0, source.map.elements()},
                   buffer.data());
    gather(state, division, source, buffer.data());
    visit(source, buffer.data());
  }
}
