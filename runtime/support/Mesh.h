//===- Mesh.h - Ranks, coordinates and shards -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_MESH_H
#define PCC_RUNTIME_SUPPORT_MESH_H

#include "runtime/Program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// A rank's index along each axis, as pcc_program.axes lists them.
using Coordinates = std::vector<int64_t>; ///< one per axis of the program

/// Number of ranks the program was built for.
int64_t worldSize(const pcc_program &program);

/// "pp=2 tp=4", or "one rank".
std::string meshText(const pcc_program &program);

/// Where a rank is, by the formula at pcc_axis.
Coordinates coordinatesOf(const pcc_program &program, int64_t rank);
/// The rank that is there.
int64_t rankOf(const pcc_program &program, const Coordinates &coordinates);

/// "rank 3", "ranks 0, 1 and 5", "ranks 0 to 6", and of many, which ascend,
/// the first: "ranks 0, 2, 4, 6, 8, 10, 12, 14 and 8 others".
std::string ranksText(const std::vector<int> &ranks);

/// Index of the axis of stages, or -1: there is one stage.
int stageAxis(const pcc_program &program);

/// The pipeline stage of a rank: its coordinate on that axis.
int64_t stageOf(const pcc_program &program, const Coordinates &coordinates);

/// The part of a tensor that a rank holds: global elements
/// [start, start + extent) of each dim.
struct Shard {
  /// The first global index and the number of indices, for each dim.
  std::vector<int64_t> start, extent;
  /// The number of elements, 1 for a scalar.
  int64_t elements() const;
};

/// The shard of the rank with these coordinates; padding counts as elements.
Shard shardOf(const pcc_program &program, const pcc_layout &layout,
              const Coordinates &coordinates);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_MESH_H
