//===- Instances.h - Which microbatches of something there are --*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_INSTANCES_H
#define PCC_PASSES_PIPELINE_INSTANCES_H

#include "mlir/Support/LLVM.h"

namespace pcc {

/// A set of microbatches, in space that does not grow with those that follow
/// each other.
class Instances {
public:
  /// Adds one; false if it was there.
  bool insert(int64_t microbatch);
  /// Whether one is in it.
  bool contains(int64_t microbatch) const;
  /// Whether this is all of [0, count).
  bool isAllOf(int64_t count) const {
    return runs.size() == 1 && runs[0] == Run{0, count};
  }
  bool operator==(const Instances &other) const { return runs == other.runs; }

  /// Moves all later, by `by`; what begins at 0 still does.
  void shift(int64_t by);

private:
  /// First one, and the one behind the last.
  using Run = std::pair<int64_t, int64_t>;
  llvm::SmallVector<Run, 1> runs;
};

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_INSTANCES_H
