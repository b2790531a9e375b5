//===- ModelFile.h - The parameters as a safetensors file -------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_MODELFILE_H
#define PCC_RUNTIME_MODEL_MODELFILE_H

#include "runtime/model/TrainingState.h"

namespace pcc {

/// Writes all parameters of all stages to one safetensors file, under the
/// source's names, in its layout and types, tied ones once. All ranks call it;
/// rank 0 writes, holding one tensor at a time. Returns what went wrong there,
/// if anything did; `written` says what the file holds.
[[nodiscard]] std::string writeModel(const TrainingState &state, int64_t step,
                                     const std::string &path,
                                     FileHashes &written);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_MODELFILE_H
