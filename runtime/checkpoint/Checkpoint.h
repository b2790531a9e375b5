//===- Checkpoint.h - Saves and resumes training ----------------*- C++ -*-===//
//
// DIR/step-00001000/
//   model.safetensors           the parameters in the source model's names and
//                               layout, or their shards; see ModelFile.h
//   config.json, ...            files of the model directory that the model was
//                               exported from; see ModelFolder.h
//   trainer_state.json          step, data cursor (DataState.h), options,
//                               layout, hashes of the safetensors files and of
//                               itself; see SavedFiles.h
//   optimizer/
//     optim-rank-00000.safetensors  the optimizer state that this rank wrote;
//                               see OptimizerFile.h
// DIR/latest                    the name of the newest complete folder
//
// So each folder is a model directory that transformers and vLLM load.
//
// A folder is written under a temporary name and renamed when all of it is
// flushed to disk, so a kill at any moment leaves the previous checkpoint
// intact.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_CHECKPOINT_H
#define PCC_RUNTIME_CHECKPOINT_CHECKPOINT_H

#include "runtime/data/DataPosition.h"
#include "runtime/model/CheckpointFolder.h"
#include "runtime/model/ModelFile.h"
#include "runtime/model/Numbers.h"
#include "runtime/model/SavedFiles.h"
#include "runtime/model/TrainingState.h"
#include "runtime/support/Options.h"

#include <string>

namespace pcc {

/// The position in training: step and counters that a checkpoint stores.
struct StepCount {
  int64_t step = 0;    ///< the last finished step
  int64_t skipped = 0; ///< steps up to it without an update
  /// The skipped steps whose loss or gradient norm was not finite: all of them,
  /// and the number in a row at the end.
  int64_t nonfinite = 0, nonfiniteInRow = 0;
  Numbers numbers; ///< the program's persistent scalars after the step
  DataPosition data;
};

/// Returns the form of the model in the checkpoints of a run.
ModelForm modelForm(const TrainingOptions &options);

/// Writes the checkpoint of a step into `options.save`; all ranks call it.
/// Returns the folder. Exits with ExitOutput if it cannot be written.
std::string saveCheckpoint(const TrainingState &state,
                           const TrainingOptions &options, StepCount count);

/// Returns the step counts of trainer_state.json. Sets those of the saved
/// `options` that the command line did not give, and in `before` all of them.
/// Exits with ExitOutput if the file is not a valid trainer state.
StepCount readTrainerState(const pcc_program &program, const SavedFiles &files,
                           TrainingOptions &options, TrainingOptions &before);

/// Loads parameters and optimizer state; the checkpoint may be of any
/// parallel layout. Exits with ExitOutput if they do not fit this program.
void loadCheckpoint(const TrainingState &state, const SavedFiles &files);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_CHECKPOINT_H
