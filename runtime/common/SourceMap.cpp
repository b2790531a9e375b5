//===- SourceMap.cpp - Where program elements lie in the source -----------===//

#include "runtime/common/SourceMap.h"

#include "runtime/common/Error.h"

using namespace pcc;

SourceMap::SourceMap(const pcc_tensor &tensor)
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
}

static int64_t product(const std::vector<int64_t> &sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

int64_t SourceMap::elements() const { return product(shape); }

int64_t SourceMap::covered() const { return product(valid); }
