//===- LossCheck.h - Why a step has no loss ---------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_LOSSCHECK_H
#define PCC_RUNTIME_TRAIN_LOSSCHECK_H

#include "runtime/data/DataOrder.h"
#include "runtime/data/Dataset.h"
#include "runtime/telemetry/Log.h"
#include "runtime/train/Outputs.h"

#include <string>

namespace pcc {

/// Finds out why the loss of a step, or its norm, is not finite.
struct LossCheck {
  /// The scalars of the step, which was the last one taken.
  const Outputs &outputs;
  /// What the step was trained on.
  const Dataset &data;
  const DataOrder &order;

  /// Whether nothing counted in a step and nothing was updated. All ranks call
  /// it alike.
  bool isEmpty(const StepResult &result) const;
  /// Ends the program where the loss or the norm is not finite. `first`: the
  /// first step of the run; `saved`: the last checkpoint's, not positive if
  /// there is none; `skipped`: how many such steps in a row came before. All
  /// ranks call it alike.
  void requireFinite(const StepResult &result, int64_t first, int64_t saved,
                     int64_t skipped) const;
  /// By what nothing counts in the step, in words; empty: something does. All
  /// ranks call it alike.
  std::string findUncounted(int64_t step) const;
  /// What of the step's data is inf or nan, or is 0 and was not in the step
  /// before, if this run had one: in words; empty: nothing.
  std::string findBadData(int64_t step, bool hadOneBefore) const;

  /// "the loss of step 7 is nan"; empty where loss and norm are finite.
  static std::string findNonfinite(const StepResult &result);

private:
  /// Which of these results of the step, by which the model's own loss was
  /// divided, are 0, in words; empty: none. All ranks call it alike.
  std::string findZeros(const std::vector<std::string> &counts) const;
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_LOSSCHECK_H
