//===- OptimizerFile.h - The optimizer state on disk ------------*- C++ -*-===//
//
// A file per rank that has something to write. Each tensor is a shard; the
// metadata gives its global shape and its offset in it, as JSON, so that ranks
// of any layout find their own parts in whatever files there are.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_OPTIMIZERFILE_H
#define PCC_RUNTIME_CHECKPOINT_OPTIMIZERFILE_H

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/model/SavedFiles.h"

namespace pcc {

/// Writes this rank's shards of the optimizer state: "exp_avg.<parameter>" and
/// so on, and "master.<parameter>" for a parameter that training does not keep
/// as the model has it: in another type, or with one added. Of ranks that hold
/// the same shard, one writes it. Returns what went wrong, if anything did;
/// `written` says what the file holds, no bytes meaning that there is none.
[[nodiscard]] std::string writeOptimizer(const TrainingState &state,
                                         int64_t step,
                                         const std::string &folder,
                                         FileHashes &written);

/// Reads this rank's shards, put together from all files of the checkpoint;
/// exits with ExitOutput if a part of one is nowhere.
void readOptimizer(const TrainingState &state, const SavedFiles &checkpoint);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_OPTIMIZERFILE_H
