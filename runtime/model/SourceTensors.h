//===- SourceTensors.h - Parameters in the source's layout ------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_SOURCETENSORS_H
#define PCC_RUNTIME_MODEL_SOURCETENSORS_H

#include "runtime/model/SourceMap.h"
#include "runtime/model/TrainingState.h"
#include "runtime/model/WriteShares.h"

#include <functional>
#include <vector>

namespace pcc {

/// The types of source tensors outside the program: those of the model
/// directory (pcc_source.saved_dtype); the same, but f32 in place of bf16 and
/// fp16; or those of the model's file.
enum class SavedTypes { Source, F32, File };

/// Returns the type that a parameter's source tensor is saved in.
int32_t savedType(const SourceMap &map, SavedTypes types);

/// Returns whether every value of type `dtype` is also one of type `other`.
bool isHeldBy(int32_t dtype, int32_t other);

/// A tensor of the source model, and the program tensors that hold its
/// elements.
struct SourceTensor {
  /// A program tensor that holds elements of the source tensor.
  struct Piece {
    int64_t stage; ///< index of the pipeline stage
    int index;     ///< among the stage's tensors
    const pcc_tensor *tensor;
    SourceMap map; ///< from its elements to the source tensor's
  };

  /// The map of the first piece; name and shape are the source tensor's, the
  /// type is the one it is saved in.
  SourceMap map;
  /// At least one; several if each holds other elements.
  std::vector<Piece> pieces;

  /// Returns the bytes of all elements in the saved type.
  int64_t bytes() const;
  /// Returns whether some elements are in no program tensor, but in the model
  /// file.
  bool isFromFile() const;
};

/// Returns all source tensors in the order of the stages' tensors, tied ones
/// once. The result is the same on every rank.
std::vector<SourceTensor> sourceTensors(const pcc_program &program,
                                        SavedTypes types);

/// The elements of a source tensor that one rank writes or sends.
struct SourcePart {
  int rank;
  /// The source tensor, and the program tensor that holds the elements.
  const SourceTensor *source;
  const SourceTensor::Piece *piece;
  /// The rank's shard of the program tensor, the range of the shard that the
  /// rank stores, and the share of that range in this part.
  Shard shard;
  StoredRange kept;
  Span elements;
  /// A range of source elements that contains all elements of the part.
  Span bounds;
};

/// Returns the parts of a source tensor, ordered by piece, then by rank. Each
/// element of its pieces is in one part. `source` must outlive them.
std::vector<SourcePart> partsOf(const pcc_program &program,
                                const WriteShares &division,
                                const SourceTensor &source);

/// Returns the bytes of a part's elements in a window of source elements, in
/// the saved type and without padding.
int64_t packedBytes(const SourcePart &part, Span window);
/// Appends these elements to `to`, on the part's rank.
void pack(char *arena, const SourcePart &part, Span window,
          std::vector<char> &to);
/// Copies these elements from `from` to their positions; `to` is the address of
/// the window's first element. Returns the address after them in `from`.
const char *unpack(const SourcePart &part, Span window, const char *from,
                   char *to);

/// Fills a window with the elements of the source's file, for the elements that
/// no program tensor holds; the others are overwritten later.
void fillFromFile(SourceFiles &files, const SourceTensor &source, Span window,
                  char *to);

/// Gathers the source tensors on rank 0, one at a time, and calls visit(tensor,
/// bytes) there with the current values in the source's layout and saved type.
/// All ranks call it.
void gatherSourceTensors(
    const TrainingState &state, const std::vector<SourceTensor> &sources,
    const std::function<void(const SourceTensor &, const char *)> &visit);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_SOURCETENSORS_H
