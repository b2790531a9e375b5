//===- SourceMap.h - Map from parameters to source tensors ------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_SOURCEMAP_H
#define PCC_RUNTIME_MODEL_SOURCEMAP_H

#include "runtime/model/StoredRange.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pcc {

/// Maps the elements of a parameter to those of a tensor of the source model. A
/// parameter without a source maps to itself. pcc_source describes the tensor
/// in the model's file. The model's own tensor, which checkpoints store, may be
/// its transpose.
struct SourceMap {
  /// The tensor that is mapped to: the model's, as checkpoints store it, or the
  /// one in its file.
  enum Whose { Model, File };
  /// Maps a parameter, or the parameter that an optimizer state belongs to.
  /// `tensor` must outlive this.
  explicit SourceMap(const pcc_tensor &tensor, Whose whose = Model);

  /// The name of the source tensor, and its name in checkpoints.
  std::string name, savedName;
  /// The pcc_dtype of the source tensor's elements.
  int32_t dtype;
  std::vector<int64_t> shape; ///< of the source tensor
  int64_t base = 0;
  std::vector<int64_t> stride, valid; ///< per program dim
  const pcc_source *source;           ///< may be null
  /// The program's elements are those of the source tensor plus this number: 1
  /// for norm weights of which the model has the weight less one.
  double excess = 0;

  /// Returns the number of elements of the source tensor.
  int64_t elements() const;
  /// Returns the number of source elements that the program tensor covers.
  int64_t covered() const;

private:
  /// Changes the map to the transpose of the source matrix.
  void transpose(const pcc_tensor &tensor);
};

/// Transposes a row-major matrix of elements of `size` bytes.
void transpose(const char *from, int64_t rows, int64_t columns, int64_t size,
               char *to);

/// run(local, index, count, stride): `count` consecutive elements from element
/// `local` of a shard are the source's elements index, index + stride, ...
using VisitRun = std::function<void(int64_t local, int64_t index, int64_t count,
                                    int64_t stride)>;

/// Visits the runs of elements along the last dim of a shard, without padding.
void forEachRun(const SourceMap &map, const Shard &shard, const VisitRun &run);

/// The same, restricted to the elements `part` of the shard (row-major indices)
/// that map to source elements in `window`.
void forEachRun(const SourceMap &map, const Shard &shard, Span part,
                Span window, const VisitRun &run);

/// Returns a range of source elements that contains all elements of a part of a
/// shard. It may contain others that the part's rows span.
Span boundsOf(const SourceMap &map, const Shard &shard, Span part);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_SOURCEMAP_H
