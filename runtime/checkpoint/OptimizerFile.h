//===- OptimizerFile.h - The optimizer state on disk ------------*- C++ -*-===//
//
// Each rank with a share of the optimizer state writes one file. Each tensor of
// a file is a piece of an optimizer state (OptimizerPiece.h). The file's
// metadata give the position of each piece in the global tensor, so a program
// of any parallel layout can assemble its shards from the files.
// trainer_state.json repeats this index for all files: a rank opens only the
// files that may contain elements of its shards.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CHECKPOINT_OPTIMIZERFILE_H
#define PCC_RUNTIME_CHECKPOINT_OPTIMIZERFILE_H

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/model/SavedFiles.h"
#include "runtime/model/SourceTensors.h"

namespace pcc {

/// Hashes and index of an optimizer file.
struct WrittenFile {
  FileHashes hashes; ///< zero bytes: the rank wrote no file
  OptimizerIndex pieces;
};

/// Writes this rank's share of the optimizer state: "exp_avg.<parameter>",
/// "exp_avg_sq.<parameter>" and so on. "master.<parameter>" is written for a
/// parameter whose values in training do not follow from the model's files,
/// written as `types`: these are rounded to a narrower type, or have one less.
/// `writers`: by rank, whether it can write into `folder`. Returns the error,
/// or an empty string.
[[nodiscard]] std::string
writeOptimizer(const TrainingState &state, int64_t step,
               const std::string &folder, const std::vector<bool> &writers,
               SavedTypes types, WrittenFile &written);

/// Reads this rank's shards of the optimizer state from the files of the
/// checkpoint, and those of parameters whose values do not follow from `model`,
/// its model files. Exits with ExitOutput if elements are in no file.
void readOptimizer(const TrainingState &state, const SavedFiles &checkpoint,
                   const WeightFiles &model);

} // namespace pcc

#endif // PCC_RUNTIME_CHECKPOINT_OPTIMIZERFILE_H
