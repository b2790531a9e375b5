//===- Train.h - The training loop ------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_TRAIN_H
#define PCC_RUNTIME_TRAIN_TRAIN_H

#include "runtime/Program.h"
#include "runtime/launch/Launch.h"
#include "runtime/support/Options.h"

namespace pcc {

/// Trains on this rank, which has joined the others. Returns when done or
/// stopped by a signal; every failure exits.
void train(const pcc_program &program, TrainingOptions options,
           const Launch &launch);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_TRAIN_H
