//===- Checkpoint.h - Saves and resumes training ----------------*- C++ -*-===//
//
// DIR/step-00001000/
//   model.safetensors           the parameters as the source model has them
//   optim-rank-00000.safetensors  shards of the optimizer state, by the rank
//                               that wrote them; see OptimizerFile.h
//   trainer_state.json          step, data cursor, options, layout, hashes of
//                               the files and of itself; see SavedFiles.h
// DIR/latest                    the name of the newest complete folder
//
// A folder is written under a temporary name and renamed when all of it is on
// the disk, so that a kill at any moment leaves the previous one intact.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_CHECKPOINT_H
#define PCC_RUNTIME_CHECKPOINT_CHECKPOINT_H

#include "runtime/model/CheckpointFolder.h"
#include "runtime/model/Numbers.h"
#include "runtime/model/SavedFiles.h"
#include "runtime/model/TrainingState.h"
#include "runtime/support/Options.h"

#include <string>

namespace pcc {

/// How far training is.
struct StepCount {
  int64_t step = 0;    ///< the last that is done
  int64_t skipped = 0; ///< steps up to it that updated nothing
  /// Of those, the ones whose loss or norm was not finite, and how many such
  /// steps there were since one that updated something.
  int64_t nonfinite = 0, nonfiniteInRow = 0;
  Numbers numbers; ///< those of the program that got so far
};

/// Writes the checkpoint of a step into `options.save`; all ranks call it.
/// Returns the folder. Exits with ExitOutput where it cannot be written.
std::string saveCheckpoint(const TrainingState &state,
                           const TrainingOptions &options, StepCount count);

/// What trainer_state.json says: sets the options that the command line leaves
/// open; `before`: all options as the checkpoint has them. Exits with
/// ExitOutput for what is none.
StepCount readTrainerState(const pcc_program &program, const SavedFiles &files,
                           TrainingOptions &options, TrainingOptions &before);

/// Loads parameters and optimizer state, whatever layout wrote them. Exits with
/// ExitOutput if they are not this program's.
void loadCheckpoint(const TrainingState &state, const SavedFiles &files);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_CHECKPOINT_H
