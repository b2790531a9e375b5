//===- SourceTensors.h - Parameters in the source's layout ------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_SOURCETENSORS_H
#define PCC_RUNTIME_MODEL_SOURCETENSORS_H

#include "runtime/model/Division.h"
#include "runtime/model/SourceMap.h"
#include "runtime/model/TrainingState.h"

#include <functional>
#include <vector>

namespace pcc {

/// A tensor of the source model, and the program tensors that hold its parts.
struct SourceTensor {
  /// A program tensor that holds a part of it.
  struct Piece {
    /// The index of the pipeline stage that has it, and among its tensors.
    int64_t stage;
    int index;
    const pcc_tensor *tensor;
    /// Where its elements lie.
    SourceMap map;
  };

  /// Name, type and shape are those of the whole.
  SourceMap map;
  /// At least one; several where each holds a part.
  std::vector<Piece> pieces;

  /// The bytes of all its elements in the source's type.
  int64_t bytes() const;
  /// Whether some of its elements are in no program tensor, but in a file.
  bool isFromFile() const;
};

/// All source tensors in the order in which the stages name them, tied ones
/// once; the same on every rank.
std::vector<SourceTensor> sourceTensors(const pcc_program &program);

/// What one rank hands over of a source tensor.
struct SourcePart {
  /// Who hands it over.
  int rank;
  /// What it is a part of, and of which program tensor there.
  const SourceTensor *source;
  const SourceTensor::Piece *piece;
  /// What the rank holds of the piece, what it keeps of that, and what of that
  /// it hands over.
  Shard shard;
  KeptRun kept;
  Span elements;
  /// Source elements among which all of them are.
  Span bounds;
};

/// The parts of a tensor, each element in one of them; ordered by rank within a
/// piece. The tensor outlives them.
std::vector<SourcePart> partsOf(const pcc_program &program,
                                const Division &division,
                                const SourceTensor &source);

/// The bytes that a part has within a window of source elements, in the
/// source's type, padding left out.
int64_t packedBytes(const SourcePart &part, Span window);
/// Appends them to `to`, on the part's rank.
void pack(char *arena, const SourcePart &part, Span window,
          std::vector<char> &to);
/// Puts them at their places, `to` being that of the window's first element.
/// Returns what follows them in `from`.
const char *unpack(const SourcePart &part, Span window, const char *from,
                   char *to);

/// Puts the elements of a window that no program tensor holds at their places,
/// as the source's file has them; others there get any value.
void fillFromFile(SourceFiles &files, const SourceTensor &source, Span window,
                  char *to);

/// Calls visit(tensor, bytes) on rank 0 for each, with its present values in
/// the source's names, layout and types, one tensor at a time. All ranks call
/// it.
void gatherSourceTensors(
    const TrainingState &state, const std::vector<SourceTensor> &sources,
    const std::function<void(const SourceTensor &, const char *)> &visit);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_SOURCETENSORS_H
