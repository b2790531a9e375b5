//===- OptimizerFile.h - The optimizer state on disk ------------*- C++ -*-===//
//
// A file per rank that has something to write. Each tensor is a piece of a
// state (OptimizerPiece.h); the metadata says where it lies, so that ranks of
// any layout find their own parts in whatever files there are. What of the
// files holds what, trainer_state.json says once more: a rank opens only those
// that hold something of its own.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_OPTIMIZERFILE_H
#define PCC_RUNTIME_CHECKPOINT_OPTIMIZERFILE_H

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/model/SavedFiles.h"

namespace pcc {

/// What an optimizer file holds.
struct WrittenFile {
  FileHashes hashes; ///< no bytes: there is no file
  OptimizerIndex pieces;
};

/// Writes this rank's share of the optimizer state: "exp_avg.<parameter>" and
/// so on, and "master.<parameter>" for a parameter that training does not keep
/// as the model has it: in another type, or with one added. `writers`, by rank:
/// who can write there. Returns what went wrong, if anything did.
[[nodiscard]] std::string writeOptimizer(const TrainingState &state,
                                         int64_t step,
                                         const std::string &folder,
                                         const std::vector<bool> &writers,
                                         WrittenFile &written);

/// Reads what this rank stores of the states, put together from the files of
/// the checkpoint; exits with ExitOutput if a part of it is nowhere.
void readOptimizer(const TrainingState &state, const SavedFiles &checkpoint);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_OPTIMIZERFILE_H
