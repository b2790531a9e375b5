//===- SourceMap.h - Where program elements lie in the source ---*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_SOURCEMAP_H
#define PCC_RUNTIME_MODEL_SOURCEMAP_H

#include "runtime/support/Mesh.h"

#include <cstdint>
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

/// Calls run(local, sourceIndex, count, sourceStride) for every run of
/// elements along the last dim of a shard that are not padding: `count`
/// consecutive elements from element `local` of the shard are the source's
/// elements sourceIndex, sourceIndex + sourceStride, ...
template <typename Function>
void forEachRun(const SourceMap &map, const Shard &shard, Function run) {
  int rank = static_cast<int>(shard.extent.size());
  if (rank == 0) {
    run(int64_t{0}, map.base, int64_t{1}, int64_t{1});
    return;
  }
  int last = rank - 1;
  auto inside = [&](int dim) {
    int64_t count = map.valid[dim] - shard.start[dim];
    return count < 0                   ? 0
           : count < shard.extent[dim] ? count
                                       : shard.extent[dim];
  };
  for (int dim = 0; dim < rank; ++dim)
    if (inside(dim) == 0)
      return;
  std::vector<int64_t> index(rank, 0);
  while (true) {
    int64_t local = 0, at = map.base;
    for (int dim = 0; dim < rank; ++dim) {
      local = local * shard.extent[dim] + index[dim];
      at += (shard.start[dim] + index[dim]) * map.stride[dim];
    }
    run(local, at, inside(last), map.stride[last]);
    int dim = last - 1;
    while (dim >= 0 && ++index[dim] == inside(dim))
      index[dim--] = 0;
    if (dim < 0)
      return;
  }
}

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_SOURCEMAP_H
