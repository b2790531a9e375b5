//===- LossCheck.h - The cause of a loss that is not finite -----*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_LOSSCHECK_H
#define PCC_RUNTIME_TRAIN_LOSSCHECK_H

#include "runtime/data/DataOrder.h"
#include "runtime/data/Dataset.h"
#include "runtime/telemetry/Log.h"
#include "runtime/train/Outputs.h"

#include <string>

namespace pcc {

/// Finds the cause of a loss or gradient norm that is not finite.
struct LossCheck {
  /// The scalars of the step, which was taken last.
  const Outputs &outputs;
  const pcc_program &program;
  /// The data of the step.
  const Dataset &data;
  const DataOrder &order;

  /// Whether the step had no valid targets and updated nothing. All ranks must
  /// call it.
  bool isEmpty(const StepResult &result) const;
  /// Ends the program if experts were chosen more often than --moe-capacity
  /// allows: nothing was updated. `saved`: the step of the last checkpoint; 0:
  /// none.
  void requireCapacity(int64_t step, int64_t saved) const;
  /// Ends the program if the loss or the norm is not finite. `first`: the first
  /// step of the run; `saved`: the step of the last checkpoint, not positive if
  /// there is none; `skipped`: the number of such steps directly before. All
  /// ranks must call it.
  void requireFinite(const StepResult &result, int64_t first, int64_t saved,
                     int64_t skipped) const;
  /// The reason why the step has no valid targets, in words; empty if it has
  /// some. All ranks must call it.
  std::string findMissingTargets(int64_t step) const;
  /// The data of the step that are inf or nan, or that are all 0 and were not
  /// in the previous step, if this run had one. In words; empty if there are
  /// none. All ranks must call it.
  std::string findBadData(int64_t step, bool hadOneBefore) const;

  /// "the loss of step 7 is nan"; empty if loss and norm are finite.
  static std::string findNonfinite(const StepResult &result);

private:
  /// Whether these samples have no targets because documents end.
  bool lackTargets(const std::vector<int64_t> &samples) const;
  /// The given results of the step, by which the model's own loss was divided,
  /// that are 0. In words; empty if none is. All ranks must call it.
  std::string findZeros(const std::vector<std::string> &counts) const;
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_LOSSCHECK_H
