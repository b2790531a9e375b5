//===- Instances.h - Sets of microbatches -----------------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_INSTANCES_H
#define PCC_PASSES_PIPELINE_INSTANCES_H

#include "mlir/Support/LLVM.h"

namespace pcc {

/// A set of microbatches, stored as ranges of consecutive numbers.
class Instances {
public:
  /// Adds one; returns false if it was in the set.
  bool insert(int64_t microbatch);
  /// Whether one is in the set.
  bool contains(int64_t microbatch) const;
  /// Whether the set is [0, count).
  bool isAllOf(int64_t count) const {
    return runs.size() == 1 && runs[0] == Run{0, count};
  }
  bool operator==(const Instances &other) const { return runs == other.runs; }

  /// Adds `by` to all numbers; a range that begins at 0 still does.
  void shift(int64_t by);

private:
  /// The first one, and the one after the last.
  using Run = std::pair<int64_t, int64_t>;
  llvm::SmallVector<Run, 1> runs;
};

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_INSTANCES_H
