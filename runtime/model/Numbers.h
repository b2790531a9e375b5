//===- Numbers.h - Scalars that persist between steps -----------*- C++ -*-===//
//
// An fp16 program has a dynamic loss scale. The loss scale and the counters
// that update it are integers, identified by name (PCC_NUMBER). They have the
// same values on every rank.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_NUMBERS_H
#define PCC_RUNTIME_MODEL_NUMBERS_H

#include "runtime/Program.h"

#include <cstdint>
#include <map>
#include <string>

namespace pcc {

/// The loss scale, a power of two: gradients are multiplied by it.
inline constexpr char lossScaleName[] = "loss_scale";
/// The number of updates since the last overflow. It returns to 0 when it
/// reaches the window, at which the loss scale is doubled up to its maximum.
inline constexpr char goodStepsName[] = "good_steps";
/// The number of optimizer updates so far.
inline constexpr char updatesName[] = "updates";

/// The persistent scalars by name; empty for a program without any.
using Numbers = std::map<std::string, int64_t>;

/// Returns whether a program has a loss scale.
bool hasLossScale(const pcc_program &program);

/// Reads the persistent scalars from a rank's arena.
Numbers readNumbers(const pcc_stage &stage, const char *arena);
/// Writes the stage's persistent scalars. Exits with ExitInternal if `values`
/// lacks one of them.
void writeNumbers(const pcc_stage &stage, char *arena, const Numbers &values);

/// Returns whether the values are possible: none is negative, and the loss
/// scale is a power of two up to PCC_MOST_LOSS_SCALE.
bool areValid(const Numbers &values);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_NUMBERS_H
