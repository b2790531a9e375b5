//===- SameRun.h - Checks that all ranks run the same program ---*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_SAMERUN_H
#define PCC_RUNTIME_TRAIN_SAMERUN_H

#include "runtime/Program.h"
#include "runtime/support/Options.h"

namespace pcc {

/// Exits with ExitWorld on a rank whose program is not rank 0's, and with
/// ExitUsage on a rank whose flags differ from rank 0's. Users of some
/// launchers start each host with its own command. All ranks must call it, once
/// they have joined.
void requireSameRun(const pcc_program &program, const TrainingOptions &options);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_SAMERUN_H
