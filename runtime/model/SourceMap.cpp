//===- SourceMap.cpp - Where program elements lie in the source -----------===//

#include "runtime/model/SourceMap.h"

#include "runtime/support/Error.h"

#include <algorithm>
#include <cstring>

using namespace pcc;

SourceMap::SourceMap(const pcc_tensor &tensor, Whose whose)
    : name(tensor.name), dtype(tensor.dtype), source(tensor.source) {
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
         format("parameter '%s' reaches beyond its source tensor '%s'",
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
  // A step within a row becomes one within a column and the other way round, as
  // long as no row is left by steps within it.
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
  // In blocks, so that the cache holds what is read and what is written.
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
