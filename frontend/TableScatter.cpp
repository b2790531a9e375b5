//===- TableScatter.cpp - Operators that put elements at indices ----------===//

#include "frontend/Indices.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Whether updates are added to the data, not put in its place.
static FailureOr<bool> addsUpdates(Binder &b) {
  std::string reduction = b.stringAttr("reduction", "none");
  if (reduction != "none" && reduction != "add") {
    InFlightDiagnostic diag = b.error() << "reduction '" << reduction
                                        << "' is not supported";
    diag.attachNote(b.loc) << "updates may replace the data or be added to it";
    return diag;
  }
  return reduction == "add";
}

/// Copies the data, then writes rows of updates at indices.
static LogicalResult foldScatterND(Binder &b) {
  Tensor data = *b.tensor(0), indices = *b.tensor(1), updates = *b.tensor(2);
  FailureOr<bool> adds = addsUpdates(b);
  if (failed(adds))
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
    Scalar &to = t.elements()[number], update = updates.at(index);
    if (*adds)
      update = roundTo(t.element(), t.isFloat() ? ofFloat(to.f + update.f)
                                                : ofInt(to.i + update.i));
    to = update;
  });
  if (!inside)
    return b.error() << "an index lies outside the data";
  b.set(0, t);
  return success();
}

/// Rows of `updates` put at rows `number` of `data`, all [rows, columns].
static FailureOr<Value> putRows(Binder &b, Value data, Value number,
                                Value updates) {
  Arithmetic a(b);
  FailureOr<bool> adds = addsUpdates(b);
  if (failed(adds))
    return failure();
  if (!isa<FloatType>(tensorType(data).getElementType()))
    return b.error() << "takes floats";
  auto scatter = [&](Value rows) -> Value {
    return EmbeddingGradOp::create(b.builder, b.loc, data.getType(), rows,
                                   number, Value());
  };
  if (*adds)
    return a.add(data, scatter(updates));
  // An element that two updates name has no defined value.
  Value hit = a.less(a.splat(data, 0), scatter(a.splat(updates, 1)));
  return a.where(hit, scatter(updates), data);
}

static LogicalResult buildScatterElements(Binder &b) {
  Shape from = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", 0), from.size());
  if (!axis)
    return b.error() << "has no such axis";
  if (b.shape(1) != b.shape(2) || b.element(0) != b.element(2))
    return b.error() << "the updates do not fit the indices";
  FailureOr<Value> number = elementNumbers(b, *axis);
  if (failed(number))
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
  FailureOr<RowNumbers> found = rowNumbers(b, 0);
  if (failed(found))
    return failure();
  Shape expected(tensorType(found->number).getShape());
  int64_t count = product(expected), columns = product(found->row);
  llvm::append_range(expected, found->row);
  if (expected != b.shape(2) || b.element(0) != b.element(2))
    return b.error() << "the updates do not fit the indices";
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
      {"Scatter", 9, 10, 3, nullptr, buildScatterElements},
      {"ScatterElements", 11, kAnyOpset, 3, nullptr, buildScatterElements},
      {"ScatterND", 11, 15, 3, foldScatterND, buildScatterND},
      {"ScatterND", 16, kAnyOpset, 3, foldScatterND, buildScatterND},
  };
  return table;
}
