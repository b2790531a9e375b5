//===- Reshard.h - What a change of layout costs ----------------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_RESHARD_H
#define PCC_PASSES_SHARDING_RESHARD_H

#include "dialects/Dist/Layout.h"

namespace pcc {

/// One step of a change of layout: a collective, or a local cut.
struct ReshardStep {
  /// What a step does; each but Slice and Spread is one message.
  enum class Kind {
    AllToAll,      ///< `dim` becomes whole, `to` is split
    ReduceScatter, ///< partial over the axes becomes split along `dim`
    Slice,         ///< replicated over the axes becomes split along `dim`
    AllGather,     ///< `dim` is put together
    AllReduce,     ///< partial over the axes becomes replicated
    Spread,        ///< replicated over the axes becomes partial
  };
  /// What is done; the fields below say with what.
  Kind kind;
  /// The axes whose ranks take part, major to minor.
  dist::AxisList axes;
  /// Dims of the tensor: the one that changes, and of AllToAll the one that is
  /// split.
  unsigned dim = 0, to = 0;
  /// The layout behind the step.
  dist::Layout after;
};

/// The steps from one layout to another, in the order that never moves what a
/// scatter could have made smaller: all_to_all; per dim reduce_scatter or
/// slice; all_gather of what the target lacks; all_reduce of what is left.
/// Several axes that change together are one step.
llvm::SmallVector<ReshardStep> planReshard(const dist::Layout &from,
                                           const dist::Layout &to);

} // namespace pcc

#endif // PCC_PASSES_SHARDING_RESHARD_H
