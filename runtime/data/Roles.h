//===- Roles.h - Roles of program inputs ------------------------*- C++ -*-===//
//
// The only table of role names in programs. The names are those of the
// compiler's nn::InputRole (dialects/NN/Roles.h).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_DATA_ROLES_H
#define PCC_RUNTIME_DATA_ROLES_H

#include "runtime/Program.h"

#include <cstdint>

namespace pcc {

/// The role of an input, which decides its values; see pcc_input in Program.h.
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
  DocumentStarts,
  Unknown, ///< any other name
};

/// Returns the role that an input's role name stands for.
Role roleOf(const pcc_input &input);

/// Returns whether an input is fed from data: token ids, or an array by name.
bool isFromDataset(Role role);

/// Returns whether an input is fed from the array of its name.
bool isNamed(Role role);

/// Returns whether an input is a padding mask of tokens: integers [batch, seq],
/// 1 where there is no padding. Decided by the name (a suffix
/// "attention_mask"), as in the compiler.
bool isPaddingMask(const pcc_input &input);

/// Returns whether an input is one number for the whole step.
bool isScalar(Role role);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_ROLES_H
