//===- ModelFile.h - The parameters as a safetensors file -------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_MODELFILE_H
#define PCC_RUNTIME_MODEL_MODELFILE_H

#include "runtime/model/TrainingState.h"

namespace pcc {

/// Writes all parameters of all stages to one safetensors file, in the source
/// model's names, layout and types, tied parameters once. All ranks call it;
/// each writes its share of the file's blocks, with one block in memory at a
/// time. `writers`: by rank, whether it can write there; rank 0 always can.
/// Returns this rank's error, or an empty string. On rank 0 `written` gets size
/// and hashes.
[[nodiscard]] std::string writeModel(const TrainingState &state, int64_t step,
                                     const std::string &path,
                                     const std::vector<bool> &writers,
                                     FileHashes &written);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_MODELFILE_H
