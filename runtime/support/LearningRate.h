//===- LearningRate.h - Learning-rate schedules -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_LEARNINGRATE_H
#define PCC_RUNTIME_SUPPORT_LEARNINGRATE_H

#include "runtime/support/Options.h"

#include <cstdint>
#include <string>

namespace pcc {

/// How the rate goes on after warm-up.
enum class Decay { Constant, Linear, Cosine, WarmupStableDecay };

/// A learning rate as a function of the step. Steps 1 .. warmup rise linearly
/// to `peak`, reached at step `warmup`; from there to the last step, `steps`:
///   Constant           stays at peak;
///   Linear             falls on a line to `least` at the last step;
///   Cosine             least + (peak - least) * (1 + cos(pi * x)) / 2, where
///                      x runs from 0 at step `warmup` to 1 at the last;
///   WarmupStableDecay  stays at peak, then falls on a line to `least` over
///                      the last fifth of `steps`.
struct Schedule {
  /// How the rate goes on after warm-up.
  Decay decay = Decay::Cosine;
  /// The greatest and the least rate.
  double peak = 0, least = 0;
  /// Numbers of steps: of the warm-up, and of the whole schedule.
  int64_t warmup = 0, steps = 1;

  /// The rate of a step; the first is 1.
  double at(int64_t step) const;
};

/// The schedule that the options ask for, once their --steps is known; without
/// --min-lr the least rate is a tenth of --lr.
Schedule scheduleOf(const TrainingOptions &options);

/// "constant", "linear", "cosine" or "wsd"; false for anything else.
bool parseDecay(const std::string &name, Decay &decay);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_LEARNINGRATE_H
