//===- OptimizerFile.h - A rank's optimizer state ---------------*- C++ -*-===//

#ifndef PCC_RUNTIME_COMMON_OPTIMIZERFILE_H
#define PCC_RUNTIME_COMMON_OPTIMIZERFILE_H

#include "runtime/common/Checkpoint.h"

namespace pcc {

/// Writes this rank's shards of the optimizer state: "exp_avg.<parameter>" and
/// so on, and "master.<parameter>" for a parameter that training keeps in
/// another type than the source. The file's metadata gives each tensor's
/// global shape and the shard's offset, as JSON.
void writeOptimizer(const TrainingState &state, const std::string &folder);

/// Reads them back; exits with ExitOutput if a shard is not this rank's.
void readOptimizer(const TrainingState &state, const std::string &folder);

} // namespace pcc

#endif // PCC_RUNTIME_COMMON_OPTIMIZERFILE_H
