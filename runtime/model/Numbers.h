//===- Numbers.h - What goes on from step to step ---------------*- C++ -*-===//
//
// A program of fp16 has a scale of the loss, which changes as training goes on.
// It and what decides about it are whole numbers, the same on every rank, known
// by their names.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_NUMBERS_H
#define PCC_RUNTIME_MODEL_NUMBERS_H

#include "runtime/Program.h"

#include <cstdint>
#include <map>
#include <string>

namespace pcc {

/// What gradients are multiplied by, a power of two.
inline constexpr char lossScaleName[] = "loss_scale";
/// For how many steps it has been right since it changed.
inline constexpr char goodStepsName[] = "good_steps";
/// How many steps of the optimizer there were.
inline constexpr char updatesName[] = "updates";

/// Numbers by their names; empty for a program without any.
using Numbers = std::map<std::string, int64_t>;

/// Whether a program has a scale of the loss.
bool hasLossScale(const pcc_program &program);

/// What a rank's arena holds.
Numbers readNumbers(const pcc_stage &stage, const char *arena);
/// Gives the stage's numbers their values, each of which must be there.
void writeNumbers(const pcc_stage &stage, char *arena, const Numbers &values);

/// Whether a checkpoint may have had them.
bool areValid(const Numbers &values);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_NUMBERS_H
