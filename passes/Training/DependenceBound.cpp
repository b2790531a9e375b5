//===- DependenceBound.cpp - The last token a value depends on ------------===//

#include "passes/Training/DependenceBound.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace pcc;

using Shape = DependenceBound::Shape;

/// The largest table: 4096 queries by 4096 keys.
static constexpr int64_t kLargest = 1 << 24;

static int64_t count(llvm::ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(product, extent, &product))
      return INT64_MAX;
  return product;
}

/// Advances to the next index in row-major order; false after the last.
static bool advance(Shape &index, llvm::ArrayRef<int64_t> shape) {
  for (size_t d = shape.size(); d-- > 0; index[d] = 0)
    if (++index[d] < shape[d])
      return true;
  return false;
}

DependenceBound::DependenceBound(size_t rank, int32_t position)
    : extents(rank, 1), values(std::make_shared<Values>(1, position)) {}

DependenceBound DependenceBound::along(size_t rank, size_t dim,
                                       int64_t extent) {
  Shape shape(rank, 1);
  shape[dim] = extent;
  auto at = [&](Index index) { return index[dim]; };
  return build(shape, at, [&] { return extent - 1; });
}

DependenceBound DependenceBound::build(Shape shape,
                                       llvm::function_ref<int32_t(Index)> at,
                                       llvm::function_ref<int32_t()> highest) {
  int64_t size = count(shape);
  if (size > kLargest)
    return DependenceBound(shape.size(), highest());
  auto values = std::make_shared<Values>();
  values->reserve(size);
  Shape index(shape.size(), 0);
  if (size)
    do
      values->push_back(at(index));
    while (advance(index, shape));
  else
    return DependenceBound(shape.size());
  return DependenceBound(std::move(shape), std::move(values)).trimmed();
}

/// Returns an equal table with extent 1 for dims along which it does not vary.
DependenceBound DependenceBound::trimmed() const {
  Shape shape = extents;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t stride = count(llvm::ArrayRef(extents).drop_front(d + 1));
    bool varies = false;
    for (int64_t i = 0, size = values->size(); i < size && !varies; ++i)
      varies = i / stride % extents[d] && (*values)[i] != (*values)[i - stride];
    if (!varies)
      shape[d] = 1;
  }
  if (shape == extents)
    return *this;
  auto kept = std::make_shared<Values>();
  kept->reserve(count(shape));
  Shape index(shape.size(), 0);
  do
    kept->push_back(at(index));
  while (advance(index, shape));
  return DependenceBound(std::move(shape), std::move(kept));
}

int32_t DependenceBound::at(Index index) const {
  int64_t number = 0;
  for (auto [i, extent] : llvm::zip_equal(index, extents))
    number = number * extent + (extent > 1 ? i : 0);
  return (*values)[number];
}

int32_t DependenceBound::highest() const {
  return *std::max_element(values->begin(), values->end());
}

bool DependenceBound::rises() const {
  // A step along any dim goes forward in row-major order.
  return llvm::is_sorted(*values);
}

void DependenceBound::forEach(
    llvm::function_ref<void(Index, int32_t)> fn) const {
  Shape index(extents.size(), 0);
  size_t number = 0;
  do
    fn(index, (*values)[number++]);
  while (advance(index, extents));
}

DependenceBound
DependenceBound::mapDims(llvm::ArrayRef<int64_t> sourceDims) const {
  Shape shape;
  // Varying dims in the order of the result; if that is their order here, the
  // table can be shared.
  llvm::SmallVector<int64_t> moved;
  for (int64_t dim : sourceDims) {
    shape.push_back(dim < 0 ? 1 : extents[dim]);
    if (shape.back() > 1)
      moved.push_back(dim);
  }
  bool isWhole = count(shape) == count(extents);
  if (isWhole && llvm::is_sorted(moved))
    return DependenceBound(std::move(shape), values);
  Shape own(extents.size(), 0);
  return build(
      shape,
      [&](Index index) {
        for (auto [dim, i] : llvm::zip_equal(sourceDims, index))
          if (dim >= 0)
            own[dim] = i;
        return at(own);
      },
      [&] { return highest(); });
}

DependenceBound
DependenceBound::reduce(llvm::function_ref<bool(size_t)> isReduced) const {
  Shape shape = extents;
  for (size_t d = 0; d < shape.size(); ++d)
    if (isReduced(d))
      shape[d] = 1;
  if (shape == extents)
    return *this;
  auto most = std::make_shared<Values>(count(shape), -1);
  forEach([&](Index index, int32_t position) {
    int64_t number = 0;
    for (auto [i, extent] : llvm::zip_equal(index, shape))
      number = number * extent + (extent > 1 ? i : 0);
    (*most)[number] = std::max((*most)[number], position);
  });
  return DependenceBound(std::move(shape), std::move(most)).trimmed();
}

DependenceBound DependenceBound::join(const DependenceBound &other) const {
  if (*this == other)
    return *this;
  for (auto [a, b] : {std::pair(this, &other), std::pair(&other, this)})
    if (b->isUniform() &&
        b->values->front() <=
            *std::min_element(a->values->begin(), a->values->end()))
      return *a;
  Shape shape = extents;
  for (auto [extent, own] : llvm::zip_equal(shape, other.extents))
    extent = std::max(extent, own);
  DependenceBound both = build(
      shape, [&](Index index) { return std::max(at(index), other.at(index)); },
      [&] { return std::max(highest(), other.highest()); });
  return both == *this ? *this : both == other ? other : both;
}

DependenceBound DependenceBound::reshape(Index from, Index to) const {
  // Match groups of dims with equal products in both shapes. If the bound does
  // not vary along a group before the reshape, it does not after it.
  Shape whole = extents, shape(to.size(), 1);
  if (count(from) == 0)
    return DependenceBound(to.size());
  for (size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    size_t left = i, right = j;
    int64_t n = from[i++], m = to[j++];
    while (n != m) {
      int64_t &less = n < m ? n : m;
      less *= n < m ? from[i++] : to[j++];
    }
    bool isUsed = false;
    for (size_t d = left; d < i; ++d)
      isUsed |= varies(d);
    if (!isUsed)
      continue;
    for (size_t d = left; d < i; ++d)
      whole[d] = from[d];
    for (size_t d = right; d < j; ++d)
      shape[d] = to[d];
  }
  if (whole == extents)
    return DependenceBound(std::move(shape), values);
  Shape index(whole.size(), 0);
  bool isFirst = true;
  return build(
      shape,
      [&](Index) {
        if (!isFirst)
          advance(index, whole);
        isFirst = false;
        return at(index);
      },
      [&] { return highest(); });
}
