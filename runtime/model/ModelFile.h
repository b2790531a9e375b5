//===- ModelFile.h - The parameters as safetensors files --------*- C++ -*-===//
//
// All parameters in one file, model.safetensors, or in shards with an index, as
// transformers writes and reads them:
//
//   model-00001-of-00002.safetensors
//   model-00002-of-00002.safetensors
//   model.safetensors.index.json
//     {"metadata": {"total_size": 7654321},
//      "weight_map": {"wte.weight": "model-00001-of-00002.safetensors", ...}}
//
// A shard ends before the tensor that would exceed the maximum size. No tensor
// is split, so a larger tensor has a shard of its own.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_MODELFILE_H
#define PCC_RUNTIME_MODEL_MODELFILE_H

#include "runtime/model/SourceTensors.h"
#include "runtime/model/TrainingState.h"

#include <map>

namespace pcc {

/// The form of the parameters in a checkpoint.
struct ModelForm {
  SavedTypes types = SavedTypes::Source;
  int64_t shardBytes = 0; ///< the maximum size of a shard's tensors
};

/// The files that were written, by name. Every rank has the names, rank 0 the
/// hashes.
using WrittenShards = std::map<std::string, FileHashes>;

/// Writes all parameters of all stages into `folder`, in the source model's
/// names and layout, tied parameters once. All ranks call it; each writes its
/// share of the files' blocks, with one block in memory at a time. `writers`:
/// by rank, whether it can write there; rank 0 always can. Returns this rank's
/// error, or an empty string.
[[nodiscard]] std::string writeModel(const TrainingState &state, int64_t step,
                                     const std::string &folder,
                                     const std::vector<bool> &writers,
                                     const ModelForm &form,
                                     WrittenShards &written);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_MODELFILE_H
