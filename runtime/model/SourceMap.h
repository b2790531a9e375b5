//===- SourceMap.h - Where program elements lie in the source ---*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_SOURCEMAP_H
#define PCC_RUNTIME_MODEL_SOURCEMAP_H

#include "runtime/model/KeptRun.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pcc {

/// A parameter's place in a tensor of the source model; a parameter without a
/// source is its own. The model's tensor, which checkpoints have, may be the
/// transpose of the one in its file, which pcc_source describes.
struct SourceMap {
  /// Which tensor is mapped: the model's, as checkpoints have it, or the one
  /// that lies in its file.
  enum Whose { Model, File };
  /// The place of a parameter, or of the parameter that a state belongs to.
  /// `tensor` must outlive this.
  explicit SourceMap(const pcc_tensor &tensor, Whose whose = Model);

  /// What the tensor is called there.
  std::string name;
  /// The pcc_dtype of its elements there.
  int32_t dtype;
  std::vector<int64_t> shape; ///< of the source tensor
  int64_t base = 0;
  std::vector<int64_t> stride, valid; ///< per program dim
  const pcc_source *source;           ///< may be null
  /// What the program's elements have in excess of these.
  double excess = 0;

  /// Elements of the source tensor.
  int64_t elements() const;
  /// Elements of it that the program tensor covers.
  int64_t covered() const;

private:
  /// Makes this the place in the transposed matrix.
  void transpose(const pcc_tensor &tensor);
};

/// The transpose of a row-major matrix of elements of `size` bytes.
void transpose(const char *from, int64_t rows, int64_t columns, int64_t size,
               char *to);

/// run(local, index, count, stride): `count` consecutive elements from element
/// `local` of a shard are the source's elements index, index + stride, ...
using VisitRun = std::function<void(int64_t local, int64_t index, int64_t count,
                                    int64_t stride)>;

/// Visits every run of elements along the last dim of a shard that are not
/// padding.
void forEachRun(const SourceMap &map, const Shard &shard, const VisitRun &run);

/// The same of the elements `part` of the shard, row-major, that are source
/// elements within `window`.
void forEachRun(const SourceMap &map, const Shard &shard, Span part,
                Span window, const VisitRun &run);

/// Source elements among which are all those of a part of a shard; no more of
/// them than the part's rows span.
Span boundsOf(const SourceMap &map, const Shard &shard, Span part);

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_SOURCEMAP_H
