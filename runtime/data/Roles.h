//===- Roles.h - What the inputs of a program are ---------------*- C++ -*-===//
//
// The one table of the names that programs have for roles; they are those of
// the compiler's nn::InputRole (dialects/NN/Roles.h).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_DATA_ROLES_H
#define PCC_RUNTIME_DATA_ROLES_H

#include "runtime/Program.h"

#include <cstdint>

namespace pcc {

/// What the runtime puts into an input; Program.h says more of each.
enum class Role : int32_t {
  Tokens,
  Targets,
  Labels,
  Data,
  Shared,
  Positions,
  Samples,
  Seed,
  Step,
  LearningRate,
  WeightDecay,
  Beta1,
  Beta2,
  Epsilon,
  ClipGrad,
  LossScaleWindow,
  Unknown, ///< a name that this runtime does not know
};

/// The role of an input, by its name.
Role roleOf(const pcc_input &input);

/// Whether data has its values: a sequence of ids, or an array by name.
bool isFromDataset(Role role);

/// Whether data has its values under the input's name.
bool isNamed(Role role);

/// Whether an input is a padding mask of tokens, by its name as in the
/// compiler: integers [batch, seq], ones where there is no padding.
bool isPaddingMask(const pcc_input &input);

/// Whether it is one number for the whole step.
bool isScalar(Role role);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_ROLES_H
