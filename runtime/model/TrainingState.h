//===- TrainingState.h - What a rank saves and loads ------------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_TRAININGSTATE_H
#define PCC_RUNTIME_MODEL_TRAININGSTATE_H

#include "runtime/model/Weights.h"
#include "runtime/support/Mesh.h"

namespace pcc {

/// What a rank saves and loads.
struct TrainingState {
  const pcc_program &program;
  const pcc_stage &stage;
  const Coordinates &coordinates;
  char *arena;
  SourceFiles &files;
  uint64_t initSeed; ///< the seed of random initial values, for the record
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_TRAININGSTATE_H
