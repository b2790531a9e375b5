//===- Tensor.cpp - Tensors known at compile time -------------------------===//

#include "analysis/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc::analysis;

int64_t pcc::analysis::product(ArrayRef<int64_t> shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

std::optional<int64_t> pcc::analysis::countElements(ArrayRef<int64_t> shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    if (extent < 0 || llvm::MulOverflow(n, extent, n))
      return std::nullopt;
  return n;
}

bool pcc::analysis::canBeHeld(ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = countElements(shape);
  return count && *count <= int64_t(1) << 40 &&
         llvm::all_of(
             shape, [](int64_t extent) { return extent <= int64_t(1) << 31; });
}

Shape pcc::analysis::rowMajor(ArrayRef<int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

void pcc::analysis::forEachIndex(
    ArrayRef<int64_t> shape, llvm::function_ref<void(ArrayRef<int64_t>)> fn) {
  if (product(shape) == 0)
    return;
  Shape index(shape.size(), 0);
  while (true) {
    fn(index);
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

std::optional<Shape> pcc::analysis::broadcastShapes(ArrayRef<Shape> shapes) {
  size_t rank = 0;
  for (const Shape &shape : shapes)
    rank = std::max(rank, shape.size());
  Shape result(rank, 1);
  for (const Shape &shape : shapes)
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t &extent = result[rank - shape.size() + i];
      if (extent != shape[i] && extent != 1 && shape[i] != 1)
        return std::nullopt;
      if (extent == 1)
        extent = shape[i];
    }
  return result;
}

Tensor::Tensor(Type element, ArrayRef<int64_t> shape)
    : type(element), extents(shape), strides(rowMajor(shape)),
      data(std::make_shared<std::vector<Scalar>>(product(shape), ofInt(0))) {}

Tensor Tensor::splat(Type element, ArrayRef<int64_t> shape, Scalar value) {
  Tensor t(element, Shape(shape.size(), 1));
  (*t.data)[0] = value;
  return t.expand(shape);
}

Tensor Tensor::ofInts(MLIRContext *context, ArrayRef<int64_t> values) {
  Tensor t(IntegerType::get(context, 64),
           {static_cast<int64_t>(values.size())});
  for (auto [i, value] : llvm::enumerate(values))
    (*t.data)[i] = ofInt(value);
  return t;
}

Tensor Tensor::byDistance(Type element, int64_t rows, int64_t columns,
                          std::vector<Scalar> diagonals) {
  Tensor t;
  t.type = element;
  t.extents = {rows, columns};
  t.strides = {-1, 1};
  t.offset = rows - 1;
  t.data = std::make_shared<std::vector<Scalar>>(std::move(diagonals));
  return t;
}

bool Tensor::isByDistance() const {
  int64_t up = 0, down = 0, others = 0;
  for (int64_t d = 0; d < rank(); ++d) {
    up += varies(d) && strides[d] == 1;
    down += varies(d) && strides[d] == -1;
    others += varies(d) && std::abs(strides[d]) != 1;
  }
  return up == 1 && down == 1 && others == 0;
}

Tensor::Diagonals Tensor::diagonals() const {
  Diagonals result{0, 0, 0, {}};
  for (int64_t d = 0; d < rank(); ++d)
    if (varies(d))
      (strides[d] == 1 ? result.minuend : result.subtrahend) = d;
  int64_t rows = extents[result.subtrahend], columns = extents[result.minuend];
  result.lowest = 1 - rows;
  result.elements =
      ArrayRef(*data).slice(offset - (rows - 1), rows + columns - 1);
  return result;
}

int64_t Tensor::size() const { return product(extents); }

int64_t Tensor::place(ArrayRef<int64_t> index) const {
  int64_t p = offset;
  for (auto [i, stride] : llvm::zip(index, strides))
    p += i * stride;
  return p;
}

Scalar Tensor::at(ArrayRef<int64_t> index) const {
  return (*data)[place(index)];
}

Scalar Tensor::at(int64_t number) const {
  int64_t p = offset;
  for (size_t d = extents.size(); d-- > 0; number /= extents[d])
    p += number % extents[d] * strides[d];
  return (*data)[p];
}

SmallVector<int64_t> Tensor::ints() const {
  SmallVector<int64_t> values;
  for (int64_t i = 0, e = size(); i < e; ++i)
    values.push_back(at(i).i);
  return values;
}

bool Tensor::isUniform() const {
  Tensor stored = core();
  for (int64_t i = 0, e = stored.size(); i < e; ++i) {
    Scalar a = stored.at(int64_t(0)), b = stored.at(i);
    if (isFloat() ? !(a.f == b.f) : a.i != b.i)
      return false;
  }
  return size() > 0;
}

bool Tensor::isRowMajor() const { return strides == rowMajor(extents); }

Tensor Tensor::dense() const {
  if (isRowMajor() && offset == 0 &&
      data->size() == static_cast<size_t>(size()))
    return *this;
  Tensor t(type, extents);
  size_t n = 0;
  forEachIndex(extents,
               [&](ArrayRef<int64_t> index) { (*t.data)[n++] = at(index); });
  return t;
}

Tensor Tensor::transpose(ArrayRef<int64_t> permutation) const {
  Tensor t = *this;
  for (auto [to, from] : llvm::enumerate(permutation)) {
    t.extents[to] = extents[from];
    t.strides[to] = strides[from];
  }
  return t;
}

Tensor Tensor::slice(ArrayRef<int64_t> starts, ArrayRef<int64_t> steps,
                     ArrayRef<int64_t> shape) const {
  Tensor t = *this;
  t.extents.assign(shape.begin(), shape.end());
  for (size_t d = 0; d < starts.size(); ++d) {
    if (shape[d])
      t.offset += starts[d] * strides[d];
    t.strides[d] = strides[d] * steps[d];
  }
  return t;
}

Tensor Tensor::expand(ArrayRef<int64_t> shape) const {
  Tensor t = *this;
  t.extents.assign(shape.begin(), shape.end());
  t.strides.assign(shape.size(), 0);
  size_t lead = shape.size() - extents.size();
  for (size_t d = 0; d < extents.size(); ++d)
    if (extents[d] == shape[lead + d])
      t.strides[lead + d] = strides[d];
  return t;
}

Tensor Tensor::reshape(ArrayRef<int64_t> shape) const {
  bool uniform = llvm::all_of(llvm::seq<int64_t>(0, rank()),
                              [&](int64_t d) { return !varies(d); });
  if (uniform && size() > 0) {
    Tensor t = *this;
    t.extents.assign(shape.begin(), shape.end());
    t.strides.assign(shape.size(), 0);
    return t;
  }
  // If only dims of extent 1 are added or removed, strides are kept.
  auto isDim = [](int64_t extent) { return extent != 1; };
  if (llvm::equal(llvm::make_filter_range(extents, isDim),
                  llvm::make_filter_range(shape, isDim))) {
    Tensor t = *this;
    t.extents.assign(shape.begin(), shape.end());
    t.strides.clear();
    size_t next = 0;
    for (int64_t extent : shape) {
      while (extent != 1 && extents[next] == 1)
        ++next;
      t.strides.push_back(extent == 1 ? 0 : strides[next++]);
    }
    return t;
  }
  Tensor t = dense();
  t.extents.assign(shape.begin(), shape.end());
  t.strides = rowMajor(shape);
  return t;
}

Tensor Tensor::compact() const {
  if (isByDistance())
    return *this;
  Tensor t = *this;
  for (int64_t d = 0; d < rank(); ++d) {
    if (!varies(d) || size() == 0)
      continue;
    Tensor rows = t.core();
    bool same = true;
    forEachIndex(rows.extents, [&](ArrayRef<int64_t> index) {
      if (!same || index[d] == 0)
        return;
      Shape first(index);
      first[d] = 0;
      same = rows.at(index).i == rows.at(first).i;
    });
    if (same)
      t.strides[d] = 0;
  }
  return t;
}

Tensor Tensor::core() const {
  Tensor t = *this;
  for (int64_t d = 0; d < rank(); ++d)
    if (extents[d] > 0 && strides[d] == 0)
      t.extents[d] = 1;
  return t;
}

Tensor Tensor::castTo(Type element) const {
  if (element == type)
    return *this;
  return map(element, *this, [&](ArrayRef<Scalar> in) {
    if (isa<FloatType>(element))
      return isFloat() ? in[0] : ofFloat(in[0].i);
    if (element.isInteger(1))
      return ofInt(isFloat() ? in[0].f != 0 : in[0].i != 0);
    return isFloat() ? ofInt(static_cast<int64_t>(in[0].f)) : in[0];
  });
}

/// Maps by distance, if all operands that vary are stored by distance in the
/// same way; nullopt otherwise.
std::optional<Tensor>
Tensor::mapDiagonals(Type element, ArrayRef<Tensor> operands,
                     llvm::function_ref<Scalar(ArrayRef<Scalar>)> fn) {
  const Tensor *model = nullptr;
  for (const Tensor &t : operands) {
    if (!llvm::any_of(llvm::seq<int64_t>(0, t.rank()),
                      [&](int64_t d) { return t.varies(d); }))
      continue;
    if (!t.isByDistance() ||
        (model && (model->strides != t.strides || model->offset != t.offset ||
                   model->extents != t.extents ||
                   model->data->size() != t.data->size())))
      return std::nullopt;
    model = &t;
  }
  if (!model)
    return std::nullopt;
  Tensor result = *model;
  result.type = element;
  result.data = std::make_shared<std::vector<Scalar>>(model->data->size());
  SmallVector<Scalar, 3> values(operands.size());
  for (size_t k = 0; k < result.data->size(); ++k) {
    for (auto [value, t] : llvm::zip(values, operands))
      value = (*t.data)[t.isByDistance() ? k : t.offset];
    (*result.data)[k] = roundTo(element, fn(values));
  }
  return result;
}

Tensor Tensor::map(Type element, ArrayRef<Tensor> operands,
                   llvm::function_ref<Scalar(ArrayRef<Scalar>)> fn) {
  SmallVector<Shape> shapes;
  for (const Tensor &t : operands)
    shapes.emplace_back(t.extents);
  Shape full = *broadcastShapes(shapes), stored(full.size(), 1);
  if (product(full) > 0)
    if (std::optional<Tensor> result = mapDiagonals(element, operands, fn))
      return result->expand(full);
  SmallVector<Tensor, 3> spread;
  auto store = [&](bool compacted) {
    spread.clear();
    stored.assign(full.size(), 1);
    int64_t largest = 0;
    for (const Tensor &t : operands) {
      spread.push_back((compacted ? t.compact() : t).expand(full));
      largest = std::max(largest, product(spread.back().core().extents));
      for (size_t d = 0; d < full.size(); ++d)
        if (full[d] == 0 || spread.back().varies(d))
          stored[d] = full[d];
    }
    return product(stored) > largest;
  };
  // If the result needs more memory than any operand, compact the operands:
  // they may be constant along some dims.
  if (store(false))
    store(true);
  Tensor result(element, stored);
  size_t n = 0;
  SmallVector<Scalar, 3> values(operands.size());
  forEachIndex(stored, [&](ArrayRef<int64_t> index) {
    for (auto [value, t] : llvm::zip(values, spread))
      value = t.at(index);
    (*result.data)[n++] = roundTo(element, fn(values));
  });
  return result.expand(full);
}
