//===- LearningRate.h - Learning-rate schedules -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_LEARNINGRATE_H
#define PCC_RUNTIME_SUPPORT_LEARNINGRATE_H

#include "runtime/support/Options.h"

#include <cstdint>
#include <string>

namespace pcc {

/// The shape of the schedule after warm-up.
enum class Decay { Constant, Linear, Cosine, WarmupStableDecay };

/// A learning rate as a function of the step. Steps 1 .. warmup rise linearly
/// to `peak`, reached at step `warmup`; from there to the last step, `steps`:
///   Constant           stays at peak;
///   Linear             falls linearly to `least` at the last step;
///   Cosine             least + (peak - least) * (1 + cos(pi * x)) / 2, where
///                      x runs from 0 at step `warmup` to 1 at the last;
///   WarmupStableDecay  stays at peak, then falls linearly to `least` over the
///                      last fifth of `steps`.
struct Schedule {
  Decay decay = Decay::Cosine;
  double peak = 0, least = 0;
  int64_t warmup = 0, steps = 1; ///< steps of the warm-up, and of all

  /// Returns the rate of a step, counted from 1.
  double at(int64_t step) const;
};

/// Returns the schedule of the options, in which `steps` must be set. Without
/// --min-lr the least rate is a tenth of --lr.
Schedule scheduleOf(const TrainingOptions &options);

/// Parses "constant", "linear", "cosine" or "wsd"; returns false for anything
/// else.
bool parseDecay(const std::string &name, Decay &decay);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_LEARNINGRATE_H
