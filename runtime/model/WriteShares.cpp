//===- WriteShares.cpp - Distribution of checkpoint writes ----------------===//

#include "runtime/model/WriteShares.h"

#include <set>
#include <string>

using namespace pcc;

WriteShares::WriteShares(const pcc_program &program, std::vector<bool> writers)
    : program(program), writers(std::move(writers)) {
  std::set<std::string> known;
  for (int s = 0; s < program.n_stages; ++s) {
    const pcc_stage &stage = program.stages[s];
    isFirst.emplace_back(stage.n_tensors);
    for (int i = 0; i < stage.n_tensors; ++i)
      isFirst[s][i] = stage.tensors[i].kind != PCC_SCRATCH &&
                      stage.tensors[i].kind != PCC_COPY &&
                      stage.tensors[i].kind != PCC_NUMBER &&
                      known.insert(stage.tensors[i].name).second;
  }
}

const std::vector<Span> &WriteShares::sharesOf(int rank) const {
  auto [it, isNew] = shares.insert({rank, {}});
  if (isNew)
    it->second = divide(rank);
  return it->second;
}

std::vector<int> WriteShares::replicasOf(const Coordinates &at,
                                         const std::vector<bool> &axes) const {
  std::vector<int> all, able;
  Coordinates other = at;
  for (int axis = 0; axis < program.n_axes; ++axis)
    if (axes[axis])
      other[axis] = 0;
  while (true) {
    int rank = static_cast<int>(rankOf(program, other));
    all.push_back(rank);
    if (writers[rank])
      able.push_back(rank);
    int axis = program.n_axes - 1;
    for (; axis >= 0; --axis) {
      if (!axes[axis])
        continue;
      if (++other[axis] < program.axes[axis].size)
        break;
      other[axis] = 0;
    }
    if (axis < 0)
      return able.empty() ? all : able;
  }
}

/// Returns by axis whether a tensor is replicated along it within a stage.
static std::vector<bool> freeAxes(const pcc_program &program,
                                  const pcc_tensor &tensor) {
  std::vector<bool> free(program.n_axes, true);
  if (int stages = stageAxis(program); stages >= 0)
    free[stages] = false;
  const pcc_layout &layout = tensor.layout;
  if (layout.rank > 0)
    for (int i = 0; i < layout.axis_begin[layout.rank]; ++i)
      free[layout.axes[i]] = false;
  if (tensor.bucket)
    for (int i = 0; i < tensor.bucket->n_axes; ++i)
      free[tensor.bucket->axes[i]] = false;
  return free;
}

std::vector<Span> WriteShares::divide(int rank) const {
  Coordinates at = coordinatesOf(program, rank);
  int64_t number = stageOf(program, at);
  const pcc_stage &stage = program.stages[number];
  std::vector<Span> found(stage.n_tensors), kept(stage.n_tensors);
  // Tensors of one kind with the same replicas form a group. Model file and
  // optimizer files are thus each divided evenly.
  std::map<std::pair<int32_t, std::vector<bool>>, std::vector<int>> groups;
  for (int i = 0; i < stage.n_tensors; ++i) {
    const pcc_tensor &tensor = stage.tensors[i];
    if (!isFirst[number][i])
      continue;
    kept[i] = storedRange(program, tensor, at).elements;
    groups[{tensor.kind, freeAxes(program, tensor)}].push_back(i);
  }
  for (auto &[alike, members] : groups) {
    std::vector<int> replicas = replicasOf(at, alike.second);
    auto own = std::find(replicas.begin(), replicas.end(), rank);
    if (own == replicas.end())
      continue;
    int64_t count = replicas.size(), index = own - replicas.begin(), total = 0;
    for (int i : members)
      total += kept[i].size();
    auto cut = [&](int64_t part) {
      // Computes total * part / count without overflow.
      return total / count * part + total % count * part / count;
    };
    Span share = {cut(index), cut(index + 1)};
    int64_t before = 0; // elements of the group's preceding tensors
    for (int i : members) {
      int64_t size = kept[i].size();
      Span part = common(share, {before, before + size});
      if (!part.isEmpty())
        found[i] = {part.begin - before + kept[i].begin,
                    part.end - before + kept[i].begin};
      before += size;
    }
  }
  return found;
}
