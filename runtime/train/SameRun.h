//===- SameRun.h - Whether all ranks have begun one run ---------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_SAMERUN_H
#define PCC_RUNTIME_TRAIN_SAMERUN_H

#include "runtime/Program.h"
#include "runtime/support/Options.h"

namespace pcc {

/// Exits with ExitWorld on a rank whose program is not rank 0's, and with
/// ExitUsage on one whose flags are not. A launcher takes the command of each
/// host from its user. All ranks call it, once they have joined.
void requireSameRun(const pcc_program &program, const TrainingOptions &options);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_SAMERUN_H
