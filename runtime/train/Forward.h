//===- Forward.h - Programs that compute a model's outputs ------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_FORWARD_H
#define PCC_RUNTIME_TRAIN_FORWARD_H

#include "runtime/Program.h"
#include "runtime/support/Options.h"

namespace pcc {

/// Whether the program only computes outputs from inputs, without training.
bool isForwardProgram(const pcc_program &program);

/// Reads `<input>.npy` from the folder --data for every input, computes, and
/// writes `<output>.npy` to the folder --outputs. Characters that file names
/// cannot contain are replaced by '_'. Elements are converted to the input's
/// type, except floats to integers. bf16, which numpy lacks, is written as
/// float32. Exits with ExitUsage if a flag is missing or does not apply. Exits
/// with ExitData if an array's shape is not the input's, or its type or a value
/// does not fit, and with ExitOutput if a file cannot be written.
void runForward(const pcc_program &program, const TrainingOptions &options);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_FORWARD_H
