//===- Scatter.cpp - Scatter operators ------------------------------------===//

#include "frontend/binding/Indices.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// How an update combines with the element at its index.
enum class Combination { Replaces, Adds, Multiplies, TakesMax, TakesMin };

static FailureOr<Combination> readCombination(Binder &b) {
  std::string reduction = b.stringAttr("reduction", "none");
  auto known = llvm::StringSwitch<std::optional<Combination>>(reduction)
                   .Case("none", Combination::Replaces)
                   .Case("add", Combination::Adds)
                   .Case("mul", Combination::Multiplies)
                   .Case("max", Combination::TakesMax)
                   .Case("min", Combination::TakesMin)
                   .Default(std::nullopt);
  if (known)
    return *known;
  return b.error() << "reduction '" << reduction << "' is not supported";
}

/// Combines two scalars of the same type.
static Scalar combine(Combination how, Type element, Scalar to, Scalar update) {
  auto numbers = [&](auto x, auto y) {
    return how == Combination::Adds         ? x + y
           : how == Combination::Multiplies ? x * y
           : how == Combination::TakesMax   ? std::max(x, y)
           : how == Combination::TakesMin   ? std::min(x, y)
                                            : y;
  };
  return roundTo(element, isa<FloatType>(element)
                              ? ofFloat(numbers(to.f, update.f))
                              : ofInt(numbers(to.i, update.i)));
}

/// Copies the data, then writes rows of updates at indices.
static LogicalResult foldScatterND(Binder &b) {
  Tensor data = *b.tensor(0), indices = *b.tensor(1), updates = *b.tensor(2);
  FailureOr<Combination> how = readCombination(b);
  if (failed(how))
    return failure();
  if (indices.rank() < 1)
    return b.error() << "the indices have no dims";
  Tensor t(data.element(), data.shape());
  Tensor dense = data.dense();
  t.elements() = dense.elements();
  int64_t depth = indices.shape().back();
  if (depth > data.rank())
    return b.error() << "indices are deeper than the data";
  Shape expected(indices.shape().drop_back());
  llvm::append_range(expected, data.shape().drop_front(depth));
  if (expected != Shape(updates.shape()) || updates.element() != data.element())
    return b.error() << "the updates do not fit the indices";
  bool inside = true;
  forEachIndex(updates.shape(), [&](ArrayRef<int64_t> index) {
    Shape row(index.take_front(indices.rank() - 1)), at;
    row.push_back(0);
    for (int64_t i = 0; i < depth; ++i) {
      row.back() = i;
      int64_t value = indices.at(row).i;
      at.push_back(value < 0 ? value + data.shape()[i] : value);
      inside &= at.back() >= 0 && at.back() < data.shape()[i];
    }
    llvm::append_range(at, index.drop_front(indices.rank() - 1));
    int64_t number = 0;
    for (auto [i, extent] : llvm::zip(at, data.shape()))
      number = number * extent + i;
    if (!inside)
      return;
    Scalar &to = t.elements()[number];
    to = combine(*how, t.element(), to, updates.at(index));
  });
  if (!inside)
    return b.error() << "an index is outside the data";
  b.set(0, t);
  return success();
}

/// Combines rows of `updates` with rows `number` of `data` by a product or an
/// extremum. Each row is compared with all updates.
static FailureOr<Value> combineRows(Binder &b, Combination how, Value data,
                                    Value number, Value updates) {
  Arithmetic a(b);
  Shape shape(tensorType(data).getShape());
  int64_t count = tensorType(updates).getDimSize(0);
  Shape wide = {shape[0], count, shape[1]};
  if (failed(b.checkConstant({shape[0], count})))
    return failure();
  Value row = a.iota(wide, 0, tensorType(number).getElementType());
  Value hit = a.equal(row, a.spread(number, wide, {0, 2}));
  double neutral = how == Combination::Multiplies ? 1
                   : how == Combination::TakesMax
                       ? -std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::infinity();
  Value all = a.spread(updates, wide, 0);
  all = a.where(hit, all, a.splat(all, neutral));
  // Equal extrema share the gradient, including the data's element.
  all = b.concat({b.reshape(data, {shape[0], 1, shape[1]}), all}, 1);
  return how == Combination::Multiplies ? a.reduce<ReduceProdOp>(all, 1)
         : how == Combination::TakesMax ? a.reduce<ReduceMaxOp>(all, 1)
                                        : a.reduce<ReduceMinOp>(all, 1);
}

/// Combines rows of `updates` [count, columns] with the rows of `data` [rows,
/// columns] that `number` [count] names.
static FailureOr<Value> putRows(Binder &b, Value data, Value number,
                                Value updates) {
  Arithmetic a(b);
  FailureOr<Combination> how = readCombination(b);
  if (failed(how))
    return failure();
  if (!isa<FloatType>(tensorType(data).getElementType()))
    return b.error() << "takes floats";
  auto scatter = [&](Value rows) -> Value {
    return EmbeddingGradOp::create(b.builder, b.loc, data.getType(), rows,
                                   number, Value());
  };
  if (*how == Combination::Adds)
    return a.add(data, scatter(updates));
  if (*how != Combination::Replaces)
    return combineRows(b, *how, data, number, updates);
  // An element that two updates address is undefined.
  Value hit = a.less(a.splat(data, 0), scatter(a.splat(updates, 1)));
  return a.where(hit, scatter(updates), data);
}

namespace {
/// A box of a tensor: `sizes` elements of each dim from `starts` on.
struct Box {
  Shape starts, sizes;
};
} // namespace

/// The box of data of shape `from` that constant indices enumerate in row-major
/// order, as an assignment to a slice does; nothing for other indices.
static std::optional<Box> boxOf(const Tensor &indices, ArrayRef<int64_t> from) {
  int64_t depth = indices.shape().back();
  int64_t count = product(indices.shape().drop_back());
  if (count == 0 || depth == 0 || depth > int64_t(from.size()))
    return std::nullopt;
  auto at = [&](int64_t row, int64_t dim) {
    int64_t index = indices.at(row * depth + dim).i;
    return index < 0 ? index + from[dim] : index;
  };
  Box box{Shape(from.size(), 0), Shape(from)};
  for (int64_t dim = 0; dim < depth; ++dim) {
    box.starts[dim] = at(0, dim);
    box.sizes[dim] = at(count - 1, dim) - at(0, dim) + 1;
    if (box.starts[dim] < 0 || box.sizes[dim] < 1 ||
        box.starts[dim] + box.sizes[dim] > from[dim])
      return std::nullopt;
  }
  if (product(ArrayRef(box.sizes).take_front(depth)) != count)
    return std::nullopt;
  for (int64_t row = 0; row < count; ++row) {
    int64_t rest = row;
    for (int64_t dim = depth; dim-- > 0; rest /= box.sizes[dim])
      if (at(row, dim) != box.starts[dim] + rest % box.sizes[dim])
        return std::nullopt;
  }
  return box;
}

/// The same for indices along one axis, one for each element.
static std::optional<Box> boxAlong(const Tensor &indices,
                                   ArrayRef<int64_t> from, int64_t axis) {
  Box box{Shape(from.size(), 0), Shape(indices.shape())};
  if (indices.size() == 0 ||
      !llvm::all_of(llvm::zip(box.sizes, from), [](auto pair) {
        return std::get<0>(pair) <= std::get<1>(pair);
      }))
    return std::nullopt;
  auto wrap = [&](int64_t i) { return i < 0 ? i + from[axis] : i; };
  box.starts[axis] = wrap(indices.at(int64_t(0)).i);
  bool isBox =
      box.starts[axis] >= 0 && box.starts[axis] + box.sizes[axis] <= from[axis];
  forEachIndex(indices.shape(), [&](ArrayRef<int64_t> index) {
    isBox &= wrap(indices.at(index).i) == box.starts[axis] + index[axis];
  });
  return isBox ? std::optional<Box>(box) : std::nullopt;
}

/// Whether constant indices replace elements that are not floats, which the
/// formula by sums of rows does not support.
static bool movesIntegers(Binder &b) {
  return !isa<FloatType>(b.element(0)) && b.isConstant(1) &&
         b.stringAttr("reduction", "none") == "none";
}

/// Replaces a box of `data` by `updates`, which has the box's shape. Handles
/// dims from `dim` on; along earlier dims the box is all of `data`.
static Value putBox(Binder &b, Value data, Value updates, const Box &box,
                    size_t dim = 0) {
  Shape shape(tensorType(data).getShape());
  while (dim < shape.size() && box.sizes[dim] == shape[dim])
    ++dim;
  if (dim == shape.size())
    return updates;
  auto slice = [&](int64_t start, int64_t size) -> Value {
    Shape part = shape, starts(shape.size(), 0), steps(shape.size(), 1);
    part[dim] = size;
    starts[dim] = start;
    auto type = b.typeOf(part, tensorType(data).getElementType());
    return SliceOp::create(b.builder, b.loc, type, data, starts, steps);
  };
  int64_t start = box.starts[dim], size = box.sizes[dim], end = start + size;
  SmallVector<Value> parts;
  if (start > 0)
    parts.push_back(slice(0, start));
  parts.push_back(putBox(b, slice(start, size), updates, box, dim + 1));
  if (end < shape[dim])
    parts.push_back(slice(end, shape[dim] - end));
  return ConcatOp::create(b.builder, b.loc, data.getType(), parts, dim);
}

/// Reports constant indices that replace an element twice, unless all updates
/// are one number. With `axis`, each update has one index along that dim;
/// without, the last dim of the indices addresses rows. Exporters that lack a
/// reduction write such files.
static LogicalResult checkNamedOnce(Binder &b, std::optional<int64_t> axis) {
  std::optional<Tensor> indices = b.tensor(1);
  if (!indices || b.uniform(2) || b.stringAttr("reduction", "none") != "none")
    return success();
  Shape from = b.shape(0), rows(indices->shape());
  int64_t depth = axis ? from.size() : rows.back();
  if (!axis)
    rows.pop_back();
  llvm::DenseSet<int64_t> seen;
  bool isOnce = true;
  forEachIndex(rows, [&](ArrayRef<int64_t> index) {
    int64_t place = 0;
    Shape at(index);
    at.push_back(0);
    for (int64_t d = 0; d < depth; ++d) {
      at.back() = d;
      int64_t i = !axis        ? indices->at(at).i
                  : d == *axis ? indices->at(index).i
                               : index[d];
      place = place * from[d] + (i < 0 ? i + from[d] : i);
    }
    isOnce &= seen.insert(place).second;
  });
  if (isOnce)
    return success();
  InFlightDiagnostic diag = b.error()
                            << "two updates replace the same element, "
                               "and the result is undefined";
  diag.attachNote(b.loc) << "exporters write this for a reduction that they "
                            "lack: add rows, and divide by their counts";
  return diag;
}

/// Scatters by indices along an axis that choose elements of rows. Returns
/// false for other indices and reductions.
static bool buildScatterRows(Binder &b, int64_t axis) {
  std::string reduction = b.stringAttr("reduction", "none");
  std::optional<double> number = b.uniform(2);
  bool isFloat = isa<FloatType>(b.element(0)), adds = reduction == "add";
  if ((!adds && reduction != "none") || !choosesOfRows(b, axis) ||
      (!isFloat && (adds || !number)))
    return false;
  Arithmetic a(b);
  RowsAlong rows(b, b.rank(0), axis);
  Value data = rows.toLast(b.value(0));
  Value ids = rows.ids(1, b.shape(0)[axis]);
  auto spread = [&](Value x) { return rows.spread(x, ids, data); };
  bool isZero = isFloat && b.uniform(0) == 0.0;
  Value result;
  if (isZero && (adds || areOfTopK(b.value(1)))) {
    result = spread(rows.toLast(b.value(2)));
  } else if (adds) {
    result = a.add(data, spread(rows.toLast(b.value(2))));
  } else {
    // An element that two updates address is undefined.
    Value hits = spread(b.constant(Tensor::splat(
        b.builder.getF32Type(), tensorType(ids).getShape(), ofFloat(1))));
    Value updates =
        number ? a.splat(data, *number) : spread(rows.toLast(b.value(2)));
    result = a.where(a.less(a.splat(hits, 0), hits), updates, data);
  }
  b.set(0, rows.fromLast(result));
  return true;
}

static LogicalResult buildScatterElements(Binder &b) {
  if (product(b.shape(2)) == 0) {
    b.set(0, b.value(0));
    return success();
  }
  Shape from = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", 0), from.size());
  if (!axis)
    return b.error() << "has no such axis";
  if (b.shape(1) != b.shape(2) || b.element(0) != b.element(2))
    return b.error() << "the updates do not fit the indices";
  if (movesIntegers(b))
    if (auto box = boxAlong(*b.item(1).tensor, from, *axis)) {
      b.set(0, putBox(b, b.value(0), b.value(2), *box));
      return success();
    }
  if (buildScatterRows(b, *axis))
    return success();
  FailureOr<Value> number = elementNumbers(b, *axis);
  if (failed(number) || failed(checkNamedOnce(b, *axis)))
    return failure();
  int64_t count = product(b.shape(1));
  auto put =
      putRows(b, b.reshape(b.value(0), {product(from), 1}),
              b.reshape(*number, {count}), b.reshape(b.value(2), {count, 1}));
  if (failed(put))
    return failure();
  b.set(0, b.reshape(*put, from));
  return success();
}

static LogicalResult buildScatterND(Binder &b) {
  if (product(b.shape(2)) == 0) {
    b.set(0, b.value(0));
    return success();
  }
  FailureOr<RowNumbers> found = rowNumbers(b, 0);
  if (failed(found))
    return failure();
  Shape expected(tensorType(found->number).getShape());
  int64_t count = product(expected), columns = product(found->row);
  llvm::append_range(expected, found->row);
  if (expected != b.shape(2) || b.element(0) != b.element(2))
    return b.error() << "the updates do not fit the indices";
  // Token ids that are shifted by one position, as decoders read them.
  if (movesIntegers(b))
    if (auto box = boxOf(*b.item(1).tensor, b.shape(0))) {
      Value updates = b.reshape(b.value(2), box->sizes);
      b.set(0, putBox(b, b.value(0), updates, *box));
      return success();
    }
  if (failed(checkNamedOnce(b, std::nullopt)))
    return failure();
  auto put = putRows(b, b.reshape(b.value(0), {found->rows, columns}),
                     b.reshape(found->number, {count}),
                     b.reshape(b.value(2), {count, columns}));
  if (failed(put))
    return failure();
  b.set(0, b.reshape(*put, b.shape(0)));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::scatterOps() {
  static const OpEntry table[] = {
      {"Scatter", 9, 10, 3, nullptr, buildScatterElements,
       attributes(intAttr("axis"))},
      {"ScatterElements", 11, kAnyOpset, 3, nullptr, buildScatterElements,
       attributes(
           intAttr("axis"),
           stringAttr("reduction").only("none|add|mul|max|min").since(16))},
      {"ScatterND", 11, 15, 3, foldScatterND, buildScatterND},
      {"ScatterND", 16, kAnyOpset, 3, foldScatterND, buildScatterND,
       attributes(stringAttr("reduction").only("none|add|mul|max|min"))},
  };
  return table;
}
