//===- TrainingState.h - State that checkpoints save and load ---*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_TRAININGSTATE_H
#define PCC_RUNTIME_MODEL_TRAININGSTATE_H

#include "runtime/model/Weights.h"
#include "runtime/support/Mesh.h"

namespace pcc {

class FolderFiles;

/// The state of a rank that checkpoints save and load.
struct TrainingState {
  /// The whole program, and the stage of it that this rank runs.
  const pcc_program &program;
  const pcc_stage &stage;
  /// This rank's coordinates on the mesh.
  const Coordinates &coordinates;
  /// The rank's arena, which contains the stage's tensors.
  char *arena;
  /// The model's files, for values that neither the arena nor a checkpoint has,
  /// and for the export.
  SourceFiles &files;
  uint64_t initSeed; ///< seed of random initial values, for trainer_state.json
  /// The other files of a model directory that checkpoints contain; null: none,
  /// or on ranks other than 0.
  const FolderFiles *folderFiles = nullptr;
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_TRAININGSTATE_H
