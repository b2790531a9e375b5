//===- Outputs.h - The scalar results of a step -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_OUTPUTS_H
#define PCC_RUNTIME_TRAIN_OUTPUTS_H

#include "runtime/Program.h"
#include "runtime/support/Mesh.h"

#include <string>
#include <vector>

namespace pcc {

/// Reads the result called `name` of a step, or of an evaluation. Where the
/// first stage does not have it, the first that does tells all ranks; so all
/// ranks call this alike. False: no stage has it.
bool readOutput(const pcc_program &program, const Coordinates &coordinates,
                const char *arena, bool evaluation, const char *name,
                float &value);

/// The names of a step's results that begin with `prefix`, of any stage, each
/// once and in the same order on all ranks.
std::vector<std::string> outputNames(const pcc_program &program,
                                     const std::string &prefix);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_OUTPUTS_H
