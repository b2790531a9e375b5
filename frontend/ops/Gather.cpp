//===- Gather.cpp - Gather operators --------------------------------------===//

#include "frontend/binding/Indices.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Gathers elements of constant data. `indexOf` returns the data's index for
/// each index of the result; negative indices count from the end.
static LogicalResult
foldLookup(Binder &b, const Tensor &data, ArrayRef<int64_t> shape,
           llvm::function_ref<Shape(ArrayRef<int64_t>)> indexOf) {
  if (failed(b.checkConstant(shape)))
    return failure();
  Tensor t(data.element(), shape);
  size_t n = 0;
  bool inside = true;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    Shape place = indexOf(index);
    for (auto [i, extent] : llvm::zip(place, data.shape())) {
      i = i < 0 ? i + extent : i;
      inside &= i >= 0 && i < extent;
    }
    if (inside)
      t.elements()[n++] = data.at(place);
  });
  if (!inside)
    return b.error() << "an index is outside the data";
  b.set(0, t);
  return success();
}

static LogicalResult foldGather(Binder &b) {
  Tensor data = *b.tensor(0), indices = *b.tensor(1);
  auto axis = normalizeAxis(b.intAttr("axis", 0), data.rank());
  if (!axis)
    return b.error() << "has no such axis";
  ArrayRef<int64_t> from = data.shape();
  Shape shape(from.take_front(*axis));
  llvm::append_range(shape, indices.shape());
  llvm::append_range(shape, from.drop_front(*axis + 1));
  return foldLookup(b, data, shape, [&](ArrayRef<int64_t> index) {
    Shape place(index.take_front(*axis));
    place.push_back(indices.at(index.slice(*axis, indices.rank())).i);
    llvm::append_range(place, index.drop_front(*axis + indices.rank()));
    return place;
  });
}

static LogicalResult foldGatherElements(Binder &b) {
  Tensor data = *b.tensor(0), indices = *b.tensor(1);
  auto axis = normalizeAxis(b.intAttr("axis", 0), data.rank());
  if (!axis || data.rank() != indices.rank())
    return b.error() << "the shapes of its operands do not fit";
  return foldLookup(b, data, indices.shape(), [&](ArrayRef<int64_t> index) {
    Shape place(index);
    place[*axis] = indices.at(index).i;
    return place;
  });
}

/// Each row of the indices addresses the dims of the data after batch_dims.
static LogicalResult foldGatherND(Binder &b) {
  Tensor data = *b.tensor(0), indices = *b.tensor(1);
  int64_t batch = b.intAttr("batch_dims", 0), rank = data.rank();
  int64_t depth = indices.rank() > 0 ? indices.shape().back() : 0;
  if (batch < 0 || depth < 1 || batch >= indices.rank() ||
      batch + depth > rank ||
      data.shape().take_front(batch) != indices.shape().take_front(batch))
    return b.error() << "its indices do not fit its data";
  Shape shape(indices.shape().drop_back());
  llvm::append_range(shape, data.shape().drop_front(batch + depth));
  int64_t outer = indices.rank() - 1;
  return foldLookup(b, data, shape, [&](ArrayRef<int64_t> index) {
    Shape which(index.take_front(outer)), place(index.take_front(batch));
    which.push_back(0);
    for (; which.back() < depth; ++which.back())
      place.push_back(indices.at(which).i);
    llvm::append_range(place, index.drop_front(outer));
    return place;
  });
}

/// The dims, 1 where they do not vary, along which indices run through 0 ..
/// count - 1 in row-major order; nothing for other indices. Gathering by such
/// indices only moves elements.
static std::optional<Shape> orderedDims(const Tensor &indices, int64_t count) {
  Tensor core = indices.compact().core();
  if (core.isFloat() || !llvm::equal(core.ints(), llvm::seq<int64_t>(0, count)))
    return std::nullopt;
  return Shape(core.shape());
}

/// Replaces dims `from` .. `to` of the data by the dims of such indices.
static void setMoved(Binder &b, const Shape &dims, ArrayRef<int64_t> indices,
                     int64_t from, int64_t to) {
  Shape data = b.shape(0);
  auto around = [&](ArrayRef<int64_t> middle) {
    Shape shape(ArrayRef<int64_t>(data).take_front(from));
    llvm::append_range(shape, middle);
    llvm::append_range(shape, ArrayRef<int64_t>(data).drop_front(to));
    return shape;
  };
  b.set(0, b.broadcast(b.reshape(b.value(0), around(dims)), around(indices)));
}

/// Reports constant indices that are out of range for a dim of `extent`;
/// negative indices count from its end. At run time, only ids of an input that
/// are looked up directly are checked.
static LogicalResult checkIndices(Binder &b, const Tensor &indices,
                                  int64_t extent) {
  auto [first, last] = rangeOf(indices);
  if (first >= -extent && last < extent)
    return success();
  return b.error() << "row " << (first < -extent ? first : last)
                   << " of a table of " << extent << " rows";
}

/// Gathers one row per sample by comparing its index with all positions of the
/// sample. A lookup would address rows by the sample's number, which would hide
/// that the batch's loss is a sum over samples.
static LogicalResult pickRows(Binder &b) {
  Arithmetic a(b);
  Shape data = b.shape(0), places = {data[0], data[1]};
  Value ids = a.wrap(b.reshape(b.value(1), {data[0]}), data[1]);
  Value index = a.iota(places, 1, tensorType(ids).getElementType());
  Value hit = a.equal(index, a.spread(ids, places, 1));
  auto rest = llvm::to_vector(llvm::seq<int64_t>(2, data.size()));
  Value x = b.value(0);
  Value kept = a.where(a.spread(hit, data, rest), x, a.splat(x, 0));
  b.set(0, a.reduce<ReduceOp>(kept, 1));
  return success();
}

/// GatherND with arbitrary indices.
static LogicalResult buildGatherRows(Binder &b) {
  Shape data = b.shape(0);
  if (b.intAttr("batch_dims", 0) == 1 && data.size() > 1 &&
      b.shape(1) == Shape({data[0], 1}) && isa<FloatType>(b.element(0)))
    return pickRows(b);
  FailureOr<RowNumbers> found = rowNumbers(b, b.intAttr("batch_dims", 0));
  if (failed(found))
    return failure();
  Value table = b.reshape(b.value(0), {found->rows, product(found->row)});
  Value rows = Arithmetic(b).take(table, found->number, 0);
  Shape shape(tensorType(found->number).getShape());
  llvm::append_range(shape, found->row);
  b.set(0, b.reshape(rows, shape));
  return success();
}

/// Selects one index of each leading dim.
static void setPart(Binder &b, ArrayRef<int64_t> place,
                    ArrayRef<int64_t> dims) {
  Value part = b.value(0);
  for (int64_t index : place) {
    // If an exporter transposed the dim to the front for this, select it before
    // the transposition: recognition expects the parts of projections there.
    SmallVector<int64_t> order;
    for (int64_t d = 0; d < tensorType(part).getRank(); ++d)
      order.push_back(d);
    if (auto moved = part.getDefiningOp<TransposeOp>()) {
      order.assign(moved.getPermutation().begin(),
                   moved.getPermutation().end());
      part = moved.getInput();
    }
    int64_t dim = order.front();
    Shape shape(tensorType(part).getShape());
    shape.erase(shape.begin() + dim);
    part = SelectOp::create(b.builder, b.loc, b.typeOf(shape, b.element(0)),
                            part, dim, index);
    order.erase(order.begin());
    for (int64_t &d : order)
      d -= d > dim;
    part = b.transpose(part, order);
  }
  Shape shape(dims);
  llvm::append_range(shape, tensorType(part).getShape());
  b.set(0, b.reshape(part, shape));
}

/// GatherND. Constant indices of one position, such as the keys in a fused
/// projection, select it. Constant indices that enumerate the leading dims in
/// order, as in a padding mask looked up by row and key, move elements only.
static LogicalResult buildGatherND(Binder &b) {
  std::optional<Tensor> indices = b.tensor(1);
  int64_t depth = b.rank(1) > 0 ? b.shape(1).back() : 0;
  if (!indices || b.intAttr("batch_dims", 0) || depth < 1 || depth > b.rank(0))
    return buildGatherRows(b);
  Shape shape(indices->shape().drop_back()), data = b.shape(0);
  for (int64_t d = 0; d < depth; ++d) {
    Shape first(indices->rank(), 0), steps(indices->rank(), 1);
    Shape part(indices->shape());
    first.back() = d;
    part.back() = 1;
    if (failed(checkIndices(b, indices->slice(first, steps, part), data[d])))
      return failure();
  }
  Tensor places(indices->element(), shape);
  size_t n = 0;
  int64_t count = 1;
  for (int64_t d = 0; d < depth; ++d)
    count *= data[d];
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    Shape at(index);
    at.push_back(0);
    int64_t place = 0;
    for (int64_t d = 0; d < depth; ++d) {
      at.back() = d;
      int64_t i = indices->at(at).i;
      place = place * data[d] + (i < 0 ? i + data[d] : i);
    }
    places.elements()[n++] = ofInt(place);
  });
  auto dims = orderedDims(places, count);
  if (!dims && places.size() == 1) {
    Shape place, at(indices->rank(), 0);
    for (int64_t d = 0; d < depth; ++d) {
      at.back() = d;
      int64_t i = indices->at(at).i;
      place.push_back(i < 0 ? i + data[d] : i);
    }
    setPart(b, place, shape);
    return success();
  }
  if (!dims)
    return buildGatherRows(b);
  setMoved(b, *dims, shape, 0, depth);
  return success();
}

/// The first of indices that run through first, first + 1, ... within a dim of
/// `extent`; nothing for other indices.
static std::optional<int64_t> firstOfRun(const Tensor &indices,
                                         int64_t extent) {
  if (indices.rank() != 1 || indices.size() == 0)
    return std::nullopt;
  int64_t first = indices.at(int64_t(0)).i, end = first + indices.size();
  if (first < 0 || end > extent ||
      !llvm::equal(indices.compact().core().ints(),
                   llvm::seq<int64_t>(first, end)))
    return std::nullopt;
  return first;
}

/// A constant index selects. Constant indices that enumerate the dim only move
/// elements, and a run of constant indices is a slice, unless the data is a
/// table of floats [rows, columns]. All other gathers are embeddings.
static LogicalResult buildGather(Binder &b) {
  Shape from = b.shape(0), indices = b.shape(1);
  auto axis = normalizeAxis(b.intAttr("axis", 0), from.size());
  if (!axis)
    return b.error() << "has no such axis";
  if (b.isConstant(1) && b.item(1).tensor->size() == 1) {
    int64_t index = b.item(1).tensor->at(int64_t(0)).i;
    index = index < 0 ? index + from[*axis] : index;
    if (index < 0 || index >= from[*axis])
      return b.error() << "an index is outside a dim of " << from[*axis];
    Shape shape = from;
    shape.erase(shape.begin() + *axis);
    Value selected =
        SelectOp::create(b.builder, b.loc, b.typeOf(shape, b.element(0)),
                         b.value(0), *axis, index);
    // An index of rank r adds r dims of extent 1.
    shape.insert(shape.begin() + *axis, indices.begin(), indices.end());
    b.set(0, b.reshape(selected, shape));
    return success();
  }
  bool isTable = *axis == 0 && from.size() == 2 && isa<FloatType>(b.element(0));
  if (!isTable && b.isConstant(1))
    if (auto dims = orderedDims(*b.item(1).tensor, from[*axis])) {
      setMoved(b, *dims, indices, *axis, *axis + 1);
      return success();
    }
  if (!isTable && b.isConstant(1))
    if (auto first = firstOfRun(*b.item(1).tensor, from[*axis])) {
      Shape shape = from, starts(from.size(), 0), steps(from.size(), 1);
      shape[*axis] = indices[0];
      starts[*axis] = *first;
      b.set(0, Value(SliceOp::create(b.builder, b.loc,
                                     b.typeOf(shape, b.element(0)), b.value(0),
                                     starts, steps)));
      return success();
    }
  if (b.isConstant(1) &&
      failed(checkIndices(b, *b.item(1).tensor, from[*axis])))
    return failure();
  bool mayCountBack = b.translation.isForward() || mayBeNegative(b.value(1));
  if (!isTable || mayCountBack) {
    Arithmetic a(b);
    Value ids = a.wrap(a.cast(b.value(1), b.builder.getI64Type()), from[*axis]);
    b.set(0, a.take(b.value(0), ids, *axis));
    return success();
  }
  Shape shape = indices;
  shape.push_back(from[1]);
  b.set(0, Value(EmbeddingOp::create(b.builder, b.loc,
                                     b.typeOf(shape, b.element(0)), b.value(1),
                                     b.value(0), Value())));
  return success();
}

/// Gathers by indices that are the same for all samples and heads, such as
/// distances of query and key. Dims along which the indices do not vary stay
/// dims:
///
///   out[b, h, i, j] = data[b, h, i, index[i, j]]
///
/// looks up rows of a table [i * k, b, h], which can be sharded over b and h; a
/// table of all elements could not. Returns false for other indices, for
/// example indices that vary along all dims.
static bool buildGatherAlong(Binder &b, int64_t axis) {
  auto repeated =
      b.isConstant(1) ? BroadcastOp() : b.value(1).getDefiningOp<BroadcastOp>();
  if (!repeated || !llvm::is_contained(repeated.getDims(), axis))
    return false;
  Shape from = b.shape(0), shape = b.shape(1), named, table = {1};
  SmallVector<int64_t> order(repeated.getDims());
  int64_t own = llvm::find(order, axis) - order.begin();
  for (int64_t d : order) {
    named.push_back(from[d]);
    table[0] *= from[d];
  }
  int64_t rank = from.size();
  for (int64_t d = 0; d < rank; ++d) {
    if (llvm::is_contained(repeated.getDims(), d))
      continue;
    if (from[d] != shape[d])
      return false;
    order.push_back(d);
    table.push_back(from[d]);
  }
  if (table.size() < 2)
    return false;
  Value ids = elementNumbers(b, repeated.getInput(), named, own);
  Value rows = b.reshape(b.transpose(b.value(0), order), table);
  Shape looked(tensorType(ids).getShape());
  llvm::append_range(looked, ArrayRef<int64_t>(table).drop_front());
  Value found = EmbeddingOp::create(
      b.builder, b.loc, b.typeOf(looked, b.element(0)), ids, rows, Value());
  SmallVector<int64_t> back(rank);
  for (auto [place, dim] : llvm::enumerate(order))
    back[dim] = place;
  b.set(0, b.transpose(found, back));
  return true;
}

static LogicalResult buildGatherElements(Binder &b) {
  auto axis = normalizeAxis(b.intAttr("axis", 0), b.rank(0));
  if (!axis)
    return b.error() << "has no such axis";
  int64_t extent = b.shape(0)[*axis];
  if (b.isConstant(1) && failed(checkIndices(b, *b.item(1).tensor, extent)))
    return failure();
  bool isChoice = choosesOfRows(b, *axis);
  auto pickChosen = [&] {
    RowsAlong rows(b, b.rank(0), *axis);
    Value x = rows.toLast(b.value(0));
    b.set(0, rows.fromLast(rows.pick(x, rows.ids(1, extent))));
    return success();
  };
  if (isChoice && areOfTopK(b.value(1)))
    return pickChosen();
  // Picking one element of each row, such as a target's log probability, keeps
  // the rows. Numbering all elements would prevent sharding the rows.
  Shape one = b.shape(0);
  one[*axis] = 1;
  if (!b.translation.isForward() && b.shape(1) == one &&
      isa<FloatType>(b.element(0))) {
    Arithmetic a(b);
    Shape rows = Arithmetic::without(one, *axis);
    Value ids = a.wrap(
        a.cast(b.reshape(b.value(1), rows), b.builder.getI64Type()), extent);
    b.set(0, b.reshape(a.pick(b.value(0), ids, *axis), one));
    return success();
  }
  FailureOr<Value> number = elementNumbers(b, *axis);
  if (failed(number))
    return failure();
  if (buildGatherAlong(b, *axis))
    return success();
  if (isChoice)
    return pickChosen();
  Value flat = b.reshape(b.value(0), {product(b.shape(0))});
  b.set(0, Arithmetic(b).take(flat, *number, 0));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::gatherOps() {
  static const OpEntry table[] = {
      {"Gather", 1, kAnyOpset, 2, foldGather, buildGather,
       attributes(intAttr("axis"))},
      {"GatherElements", 11, kAnyOpset, 2, foldGatherElements,
       buildGatherElements, attributes(intAttr("axis"))},
      {"GatherND", 11, kAnyOpset, 2, foldGatherND, buildGatherND,
       attributes(intAttr("batch_dims").since(12))},
  };
  return table;
}
