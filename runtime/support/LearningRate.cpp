//===- LearningRate.cpp - Learning-rate schedules -------------------------===//

#include "runtime/support/LearningRate.h"

#include <algorithm>
#include <cmath>

using namespace pcc;

double Schedule::at(int64_t step) const {
  if (step <= warmup)
    return peak * step / warmup;
  int64_t from = warmup;
  if (decay == Decay::WarmupStableDecay)
    from = std::max(warmup, steps - steps / 5);
  // Steps after the last one keep its rate.
  double x = steps > from
                 ? std::clamp(double(step - from) / (steps - from), 0.0, 1.0)
                 : 1.0;
  switch (decay) {
  case Decay::Constant:
    return peak;
  case Decay::Linear:
  case Decay::WarmupStableDecay:
    return peak + (least - peak) * x;
  case Decay::Cosine:
    return least + (peak - least) * 0.5 * (1 + std::cos(M_PI * x));
  }
  return peak;
}

Schedule pcc::scheduleOf(const TrainingOptions &options) {
  Schedule schedule;
  parseDecay(options.lrSchedule, schedule.decay);
  schedule.peak = options.lr;
  schedule.least = options.minLr < 0 ? 0.1 * options.lr : options.minLr;
  schedule.warmup = options.warmupSteps;
  schedule.steps = options.steps;
  return schedule;
}

bool pcc::parseDecay(const std::string &name, Decay &decay) {
  if (name == "constant")
    decay = Decay::Constant;
  else if (name == "linear")
    decay = Decay::Linear;
  else if (name == "cosine")
    decay = Decay::Cosine;
  else if (name == "wsd")
    decay = Decay::WarmupStableDecay;
  else
    return false;
  return true;
}
