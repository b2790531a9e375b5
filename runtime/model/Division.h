//===- Division.h - Which rank writes what ----------------------*- C++ -*-===//
//
// Several ranks may keep the same elements: those of other data-parallel rows
// without ZeRO, those of a tensor that tensor parallelism does not shard, those
// of stages that share a parameter. Of all that they keep alike, taken as one
// sequence, each writes an equal share, so that every element is written once
// and the shares of most tensors are whole.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_DIVISION_H
#define PCC_RUNTIME_MODEL_DIVISION_H

#include "runtime/model/KeptRun.h"

#include <map>
#include <vector>

namespace pcc {

/// Divides the parameters and states of all ranks among them; the same on every
/// rank.
class Division {
public:
  /// `writers`: by rank, who can write at all. Where none of those that keep an
  /// element can, it is theirs all the same.
  Division(const pcc_program &program, std::vector<bool> writers);

  /// By tensor of the rank's stage, the elements of its shard that the rank
  /// writes; none of scratch.
  const std::vector<Span> &sharesOf(int rank) const;

private:
  std::vector<Span> divide(int rank) const;
  /// The ranks that differ from this one on some of these axes only, in order;
  /// those that can write, if any.
  std::vector<int> replicasOf(const Coordinates &at,
                              const std::vector<bool> &axes) const;

  const pcc_program &program;
  std::vector<bool> writers;
  /// By stage and tensor, whether the stage is the first to have it.
  std::vector<std::vector<bool>> isFirst;
  mutable std::map<int, std::vector<Span>> shares; ///< found so far
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_DIVISION_H
