//===- ModelFile.h - The parameters as a safetensors file -------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_MODELFILE_H
#define PCC_RUNTIME_MODEL_MODELFILE_H

#include "runtime/model/TrainingState.h"

namespace pcc {

/// Writes all parameters of all stages to one safetensors file, under the
/// source's names, in its layout and types, tied ones once. All ranks call it;
/// each writes its share of the file's blocks, holding one at a time.
/// `writers`, by rank: who can write there; rank 0 can. Returns what went wrong
/// on this rank, if anything did; `written` says on rank 0 what the file holds.
[[nodiscard]] std::string writeModel(const TrainingState &state, int64_t step,
                                     const std::string &path,
                                     const std::vector<bool> &writers,
                                     FileHashes &written);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_MODELFILE_H
