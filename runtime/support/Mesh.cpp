//===- Mesh.cpp - Ranks, coordinates and shards ---------------------------===//

#include "runtime/support/Mesh.h"

#include "runtime/support/Error.h"

using namespace pcc;

int64_t pcc::worldSize(const pcc_program &program) {
  int64_t size = 1;
  for (int axis = 0; axis < program.n_axes; ++axis)
    size *= program.axes[axis].size;
  return size;
}

std::string pcc::meshText(const pcc_program &program) {
  std::string text;
  for (int axis = 0; axis < program.n_axes; ++axis)
    text += format("%s%s=%lld", axis ? " " : "", program.axes[axis].name,
                   static_cast<long long>(program.axes[axis].size));
  return text.empty() ? "one rank" : text;
}

Coordinates pcc::coordinatesOf(const pcc_program &program, int64_t rank) {
  Coordinates coordinates(program.n_axes);
  for (int axis = program.n_axes - 1; axis >= 0; --axis) {
    coordinates[axis] = rank % program.axes[axis].size;
    rank /= program.axes[axis].size;
  }
  return coordinates;
}

int64_t pcc::rankOf(const pcc_program &program,
                    const Coordinates &coordinates) {
  int64_t rank = 0;
  for (int axis = 0; axis < program.n_axes; ++axis)
    rank = rank * program.axes[axis].size + coordinates[axis];
  return rank;
}

std::vector<int> pcc::membersOf(const pcc_program &program,
                                const std::vector<int> &axes,
                                const Coordinates &own, int &index) {
  int64_t count = 1;
  for (int axis : axes)
    count *= program.axes[axis].size;
  std::vector<int> members;
  Coordinates at = own;
  for (int64_t number = 0; number < count; ++number) {
    int64_t left = number;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      at[*axis] = left % program.axes[*axis].size;
      left /= program.axes[*axis].size;
    }
    members.push_back(static_cast<int>(rankOf(program, at)));
    if (at == own)
      index = static_cast<int>(number);
  }
  return members;
}

std::string pcc::axesText(const pcc_program &program,
                          const std::vector<int> &axes) {
  std::string over;
  for (int axis : axes)
    over +=
        (over.empty() ? " over " : " ") + std::string(program.axes[axis].name);
  return over;
}

std::string pcc::ranksText(const std::vector<int> &ranks) {
  const size_t count = ranks.size(), most = 8;
  if (count == 1)
    return format("rank %d", ranks[0]);
  if (count > 3 && ranks.back() - ranks[0] == static_cast<int>(count) - 1)
    return format("ranks %d to %d", ranks[0], ranks.back());
  std::string text = "ranks ";
  for (size_t i = 0; i < count && i < most; ++i)
    text += (i == 0           ? ""
             : i + 1 == count ? " and "
                              : ", ") +
            std::to_string(ranks[i]);
  return text + (count > most ? format(" and %zu others", count - most) : "");
}

int pcc::stageAxis(const pcc_program &program) {
  for (int axis = 0; axis < program.n_axes; ++axis)
    if (program.axes[axis].role == PCC_PIPELINE_AXIS)
      return axis;
  return -1;
}

int64_t pcc::stageOf(const pcc_program &program,
                     const Coordinates &coordinates) {
  int axis = stageAxis(program);
  return axis < 0 ? 0 : coordinates[axis];
}

int64_t Shard::elements() const {
  int64_t count = 1;
  for (int64_t size : extent)
    count *= size;
  return count;
}

Shard pcc::shardOf(const pcc_program &program, const pcc_layout &layout,
                   const Coordinates &coordinates) {
  Shard shard;
  for (int dim = 0; dim < layout.rank; ++dim) {
    int64_t parts = 1, index = 0;
    for (int i = layout.axis_begin[dim]; i < layout.axis_begin[dim + 1]; ++i) {
      int64_t size = program.axes[layout.axes[i]].size;
      parts *= size;
      index = index * size + coordinates[layout.axes[i]];
    }
    if (layout.shape[dim] % parts != 0)
      fail(ExitInternal,
           format("a dim of %lld elements does not divide into %lld equal "
                  "shards",
                  static_cast<long long>(layout.shape[dim]),
                  static_cast<long long>(parts)));
    shard.extent.push_back(layout.shape[dim] / parts);
    shard.start.push_back(index * shard.extent.back());
  }
  return shard;
}
