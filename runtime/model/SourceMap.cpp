//===- SourceMap.cpp - Map from parameters to source tensors --------------===//

#include "runtime/model/SourceMap.h"

#include "runtime/support/Error.h"

#include <algorithm>
#include <cstring>

using namespace pcc;

SourceMap::SourceMap(const pcc_tensor &tensor, Whose whose)
    : name(tensor.name), savedName(tensor.name), dtype(tensor.dtype),
      source(tensor.source) {
  const pcc_layout &layout = tensor.layout;
  if (!source) {
    shape.assign(layout.shape, layout.shape + layout.rank);
    valid = shape;
    stride.assign(layout.rank, 1);
    for (int dim = layout.rank - 2; dim >= 0; --dim)
      stride[dim] = stride[dim + 1] * shape[dim + 1];
    return;
  }
  name = source->name;
  savedName = source->saved_name;
  dtype = source->dtype;
  shape.assign(source->shape, source->shape + source->rank);
  base = source->base;
  stride.assign(source->stride, source->stride + layout.rank);
  valid.assign(source->valid, source->valid + layout.rank);

  int64_t least = base, most = base;
  for (int dim = 0; dim < layout.rank; ++dim)
    (stride[dim] < 0 ? least : most) += stride[dim] * (valid[dim] - 1);
  if (covered() > 0 && (least < 0 || most >= elements()))
    fail(ExitInternal,
         format("parameter '%s' extends beyond its source tensor '%s'",
                tensor.name, name.c_str()));
  if (source->plus_one && whose == Model)
    excess = 1;
  if (source->transposed && whose == Model)
    transpose(tensor);
}

void SourceMap::transpose(const pcc_tensor &tensor) {
  auto refuse = [&] {
    fail(ExitInternal,
         format("parameter '%s' cannot be transposed with its source '%s'",
                tensor.name, name.c_str()));
  };
  if (shape.size() != 2)
    refuse();
  // A step along a row becomes a step along a column, and the reverse. This is
  // only right if the steps within a row never leave it.
  int64_t columns = shape[1], rows = shape[0], last = base % columns;
  for (size_t dim = 0; dim < stride.size(); ++dim) {
    if (stride[dim] < 0)
      refuse();
    last += stride[dim] % columns * (valid[dim] - 1);
    stride[dim] = stride[dim] % columns * rows + stride[dim] / columns;
  }
  if (covered() > 0 && last >= columns)
    refuse();
  base = base % columns * rows + base / columns;
  shape = {columns, rows};
}

void pcc::transpose(const char *from, int64_t rows, int64_t columns,
                    int64_t size, char *to) {
  // In blocks, so that the lines read and written stay in the cache.
  const int64_t block = 32;
  for (int64_t i0 = 0; i0 < rows; i0 += block)
    for (int64_t j0 = 0; j0 < columns; j0 += block)
      for (int64_t i = i0; i < std::min(rows, i0 + block); ++i)
        for (int64_t j = j0; j < std::min(columns, j0 + block); ++j)
          memcpy(to + (j * rows + i) * size, from + (i * columns + j) * size,
                 size);
}

static int64_t product(const std::vector<int64_t> &sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

int64_t SourceMap::elements() const { return product(shape); }

int64_t SourceMap::covered() const { return product(valid); }

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Returns a / b, rounded towards minus infinity, for b > 0.
static int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

namespace {
/// Finds the runs of a part of a shard, dim by dim. Recurses only into indices
/// that can have elements of both the part and the window.
class RunFinder {
public:
  RunFinder(const SourceMap &map, const Shard &shard);

  void visit(Span part, Span window, const VisitRun &run) const;
  Span bounds(Span part) const;

private:
  struct Dim {
    int64_t count;  ///< indices without padding
    int64_t stride; ///< in the source
    int64_t step;   ///< in the shard
    /// The largest offset that the inner dims add in the shard, and the
    /// smallest and largest one in the source.
    int64_t mostLocal = 0, least = 0, most = 0;
  };
  /// Returns the indices of a dim whose elements may be in `part`. `local`: the
  /// offset in the shard of the outer dims' indices.
  Span indicesOf(const Dim &dim, Span part, int64_t local) const;
  /// The same, restricted to those that may also be in `window`. `at`: the
  /// offset in the source of the outer dims' indices.
  Span indicesOf(const Dim &dim, Span part, Span window, int64_t local,
                 int64_t at) const;
  void enter(size_t number, Span part, Span window, int64_t local, int64_t at,
             const VisitRun &run) const;

  int64_t base;
  bool isEmpty = false; ///< the shard is all padding
  std::vector<Dim> dims;
};
} // namespace

RunFinder::RunFinder(const SourceMap &map, const Shard &shard)
    : base(map.base) {
  int64_t step = 1;
  for (size_t dim = shard.extent.size(); dim-- > 0;) {
    int64_t count =
        std::min(map.valid[dim] - shard.start[dim], shard.extent[dim]);
    isEmpty = isEmpty || count <= 0;
    Dim made = {count, map.stride[dim], step};
    if (!dims.empty()) {
      const Dim &inner = dims.back();
      int64_t span = (inner.count - 1) * inner.stride;
      made.mostLocal = inner.mostLocal + (inner.count - 1) * inner.step;
      made.least = inner.least + std::min<int64_t>(span, 0);
      made.most = inner.most + std::max<int64_t>(span, 0);
    }
    dims.push_back(made);
    step *= shard.extent[dim];
    base += shard.start[dim] * map.stride[dim];
  }
  std::reverse(dims.begin(), dims.end());
}

Span RunFinder::indicesOf(const Dim &dim, Span part, int64_t local) const {
  int64_t from = part.begin - local - dim.mostLocal;
  int64_t last = part.end - 1 - local;
  return common({0, dim.count},
                {-floorDiv(-from, dim.step), floorDiv(last, dim.step) + 1});
}

Span RunFinder::indicesOf(const Dim &dim, Span part, Span window, int64_t local,
                          int64_t at) const {
  Span found = indicesOf(dim, part, local);
  int64_t from = window.begin - at - dim.most;
  int64_t last = window.end - 1 - at - dim.least;
  if (dim.stride > 0)
    return common(
        found, {-floorDiv(-from, dim.stride), floorDiv(last, dim.stride) + 1});
  if (dim.stride < 0)
    return common(found, {-floorDiv(last, -dim.stride),
                          floorDiv(-from, -dim.stride) + 1});
  return from <= 0 && last >= 0 ? found : Span{};
}

void RunFinder::enter(size_t number, Span part, Span window, int64_t local,
                      int64_t at, const VisitRun &run) const {
  const Dim &dim = dims[number];
  Span indices = indicesOf(dim, part, window, local, at);
  if (indices.isEmpty())
    return;
  if (number + 1 == dims.size()) {
    run(local + indices.begin, at + indices.begin * dim.stride, indices.size(),
        dim.stride);
    return;
  }
  for (int64_t i = indices.begin; i < indices.end; ++i)
    enter(number + 1, part, window, local + i * dim.step, at + i * dim.stride,
          run);
}

void RunFinder::visit(Span part, Span window, const VisitRun &run) const {
  if (isEmpty || part.isEmpty() || window.isEmpty())
    return;
  if (!dims.empty())
    enter(0, part, window, 0, base, run);
  else if (window.begin <= base && base < window.end)
    run(0, base, 1, 1);
}

Span RunFinder::bounds(Span part) const {
  if (isEmpty || part.isEmpty())
    return {};
  if (dims.empty())
    return {base, base + 1};
  const Dim &outer = dims.front();
  Span indices = indicesOf(outer, part, 0);
  if (indices.isEmpty())
    return {};
  int64_t first = base + indices.begin * outer.stride;
  int64_t last = base + (indices.end - 1) * outer.stride;
  return {std::min(first, last) + outer.least,
          std::max(first, last) + outer.most + 1};
}

void pcc::forEachRun(const SourceMap &map, const Shard &shard, Span part,
                     Span window, const VisitRun &run) {
  RunFinder(map, shard).visit(part, window, run);
}

void pcc::forEachRun(const SourceMap &map, const Shard &shard,
                     const VisitRun &run) {
  forEachRun(map, shard, {0, shard.elements()}, {0, map.elements()}, run);
}

Span pcc::boundsOf(const SourceMap &map, const Shard &shard, Span part) {
  return RunFinder(map, shard).bounds(part);
}
