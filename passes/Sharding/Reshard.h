//===- Reshard.h - Plans changes of sharding --------------------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_RESHARD_H
#define PCC_PASSES_SHARDING_RESHARD_H

#include "dialects/Dist/Layout.h"

namespace pcc {

/// One step of a change of sharding: a collective or a local op.
struct ReshardStep {
  /// The kinds of steps; each but Slice and Spread is one collective.
  enum class Kind {
    AllToAll,      ///< `dim` is gathered, `to` is split
    ReduceScatter, ///< partial over the axes becomes split along `dim`
    Slice,         ///< replicated over the axes becomes split along `dim`
    AllGather,     ///< `dim` is gathered
    AllReduce,     ///< partial over the axes becomes replicated
    Spread,        ///< replicated over the axes becomes partial
  };
  Kind kind;
  /// The axes whose ranks take part, major to minor.
  dist::AxisList axes;
  /// The dim that changes, and for AllToAll the dim that is split.
  unsigned dim = 0, to = 0;
  /// The sharding after the step.
  dist::Layout after;
};

/// Returns the steps from one sharding to another, in an order in which gathers
/// and the last reduction move little data: all_to_all; per dim reduce_scatter
/// or slice, and all_to_all that these make possible; all_gather of axes that
/// the target does not have there, and reduce_scatter or slice over axes that
/// it makes free; all_reduce of remaining partial axes; Spread. An all_to_all
/// moves one axis; for other kinds several axes that change together are one
/// step.
llvm::SmallVector<ReshardStep> planReshard(const dist::Layout &from,
                                           const dist::Layout &to);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_RESHARD_H
