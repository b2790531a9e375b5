//===- SourceTensors.h - Parameters in the source's layout ------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_SOURCETENSORS_H
#define PCC_RUNTIME_MODEL_SOURCETENSORS_H

#include "runtime/model/SourceMap.h"
#include "runtime/model/TrainingState.h"

#include <functional>
#include <vector>

namespace pcc {

/// A tensor of the source model, and the program tensors that hold its parts.
struct SourceTensor {
  /// A program tensor that holds a part of it.
  struct Piece {
    /// The index of the pipeline stage that has it.
    int64_t stage;
    /// One of that stage's tensors.
    const pcc_tensor *tensor;
  };

  /// Where its elements lie; name, type and shape are those of the whole.
  SourceMap map;
  /// At least one; several where stages share the tensor or each hold a part.
  std::vector<Piece> pieces;

  /// The bytes of all its elements in the source's type.
  int64_t bytes() const;
};

/// All source tensors in the order in which the stages name them, tied ones
/// once; the same on every rank.
std::vector<SourceTensor> sourceTensors(const pcc_program &program);

/// Calls visit(tensor, bytes) on rank 0 for each, with its present values in
/// the source's names, layout and types, one tensor at a time. All ranks call
/// it.
void gatherSourceTensors(
    const TrainingState &state, const std::vector<SourceTensor> &sources,
    const std::function<void(const SourceTensor &, const char *)> &visit);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_SOURCETENSORS_H
