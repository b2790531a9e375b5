//===- TrainingState.h - What a rank saves and loads ------------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_TRAININGSTATE_H
#define PCC_RUNTIME_MODEL_TRAININGSTATE_H

#include "runtime/model/Weights.h"
#include "runtime/support/Mesh.h"

namespace pcc {

/// What a rank saves and loads.
struct TrainingState {
  /// The whole program, and the stage of it that this rank runs.
  const pcc_program &program;
  const pcc_stage &stage;
  /// Where this rank is on the mesh.
  const Coordinates &coordinates;
  /// The rank's memory, in which the stage's tensors lie.
  char *arena;
  /// The model's files as they lie now, for the types and layout of what is
  /// saved.
  SourceFiles &files;
  uint64_t initSeed; ///< the seed of random initial values, for the record
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_TRAININGSTATE_H
