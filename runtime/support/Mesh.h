//===- Mesh.h - Ranks, coordinates and shards -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_MESH_H
#define PCC_RUNTIME_SUPPORT_MESH_H

#include "runtime/Program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// A rank's index along each axis, in the order of pcc_program.axes.
using Coordinates = std::vector<int64_t>;

/// Returns the number of ranks that the program was built for.
int64_t worldSize(const pcc_program &program);

/// Returns the mesh as text: "pp=2 tp=4", or "one rank".
std::string meshText(const pcc_program &program);

/// Returns the coordinates of a rank, by the formula at pcc_axis.
Coordinates coordinatesOf(const pcc_program &program, int64_t rank);
/// Returns the rank with these coordinates.
int64_t rankOf(const pcc_program &program, const Coordinates &coordinates);

/// Returns the ranks that differ from the one with coordinates `own` only in
/// these axes, ordered by their index on them, first axis major; sets `index`
/// to that rank's.
std::vector<int> membersOf(const pcc_program &program,
                           const std::vector<int> &axes, const Coordinates &own,
                           int &index);

/// Returns axes as text: " over pp tp"; empty for none.
std::string axesText(const pcc_program &program, const std::vector<int> &axes);

/// Returns ascending ranks as text: "rank 3", "ranks 0, 1 and 5", "ranks 0 to
/// 6", or the first eight of many: "ranks 0, 2, 4, 6, 8, 10, 12, 14 and 8
/// others".
std::string ranksText(const std::vector<int> &ranks);

/// Returns the index of the pipeline axis; -1 if there is one stage.
int stageAxis(const pcc_program &program);

/// Returns the pipeline stage of a rank: its coordinate on that axis, or 0.
int64_t stageOf(const pcc_program &program, const Coordinates &coordinates);

/// A rank's shard of a tensor: global indices [start, start + extent) of each
/// dim.
struct Shard {
  /// By dim, the first global index and the number of indices.
  std::vector<int64_t> start, extent;
  /// Returns the number of elements, 1 for a scalar.
  int64_t elements() const;
};

/// Returns the shard of the rank with these coordinates, padding included.
Shard shardOf(const pcc_program &program, const pcc_layout &layout,
              const Coordinates &coordinates);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_MESH_H
