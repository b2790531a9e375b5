//===- WriteShares.h - Distribution of checkpoint writes --------*- C++ -*-===//
//
// Several ranks may store the same elements: data-parallel replicas without
// ZeRO, tensor-parallel ranks of a tensor that is not sharded over tp, and
// stages that share a parameter. The replicated tensors are taken as one
// sequence, of which each replica writes an equal share. Thus every element is
// written once, and most tensors are in one share as a whole. A parameter that
// stages share is written by the first of them.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_WRITESHARES_H
#define PCC_RUNTIME_MODEL_WRITESHARES_H

#include "runtime/model/StoredRange.h"

#include <map>
#include <vector>

namespace pcc {

/// Assigns each element of parameters and optimizer state to one rank that
/// writes it. All ranks compute the same assignment.
class WriteShares {
public:
  /// `writers`: by rank, whether it can write. If no rank that stores an
  /// element can, the element is still assigned to one of them.
  WriteShares(const pcc_program &program, std::vector<bool> writers);

  /// Returns, by tensor of the rank's stage, the elements of its shard that the
  /// rank writes. Empty for tensors that are not saved, such as scratch.
  const std::vector<Span> &sharesOf(int rank) const;

private:
  std::vector<Span> divide(int rank) const;
  /// Returns the ranks whose coordinates may differ from `at` on these axes
  /// only, ascending, without those that cannot write, unless none can.
  std::vector<int> replicasOf(const Coordinates &at,
                              const std::vector<bool> &axes) const;

  const pcc_program &program;
  std::vector<bool> writers;
  /// By stage and tensor, whether the stage is the first with a saved tensor of
  /// this name.
  std::vector<std::vector<bool>> isFirst;
  mutable std::map<int, std::vector<Span>> shares; ///< cache
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_WRITESHARES_H
