//===- Forward.h - Programs that compute a model's outputs ------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_FORWARD_H
#define PCC_RUNTIME_TRAIN_FORWARD_H

#include "runtime/Program.h"
#include "runtime/support/Options.h"

namespace pcc {

/// Whether the program computes outputs from inputs and trains nothing.
bool isForwardProgram(const pcc_program &program);

/// Reads `<input>.npy` of the folder --data for every input, computes, and
/// writes `<output>.npy` to the folder --outputs. Characters of names that no
/// file name may have become '_'. bf16, which numpy lacks, is read from and
/// written as float32. Exits with ExitUsage without those flags, ExitData for
/// an array that is not of the input's shape or a type that it can hold,
/// ExitOutput where a file cannot be written.
void runForward(const pcc_program &program, const TrainingOptions &options);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_FORWARD_H
