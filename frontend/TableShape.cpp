//===- TableShape.cpp - Operators that move elements ----------------------===//
//
// Each computes what the result looks like once, for constants and for values
// alike, and differs only in the last step: a view of a tensor or an nn op.
//
//===----------------------------------------------------------------------===//

#include "frontend/Binder.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

using Axes = SmallVector<int64_t>;

static LogicalResult setReshaped(Binder &b, ArrayRef<int64_t> shape) {
  if (b.isConstant(0))
    b.set(0, b.item(0).tensor->reshape(shape));
  else
    b.set(0, b.reshape(b.value(0), shape));
  return success();
}

static LogicalResult importIdentity(Binder &b) {
  b.set(0, b.item(0));
  return success();
}

static LogicalResult importReshape(Binder &b) {
  auto target = b.ints(1, "shape");
  if (failed(target))
    return failure();
  if (!*target)
    return b.error() << "needs a shape";
  Shape from = b.shape(0), to;
  bool allowZero = b.intAttr("allowzero", 0);
  int64_t open = -1;
  for (auto [i, extent] : llvm::enumerate(**target)) {
    if (extent == -1)
      open = i;
    bool keeps = extent == 0 && !allowZero && i < from.size();
    to.push_back(extent == -1 ? 1 : keeps ? from[i] : extent);
  }
  if (open >= 0 && product(to) > 0)
    to[open] = product(from) / product(to);
  bool negative = llvm::any_of(to, [](int64_t extent) { return extent < 0; });
  if (negative || product(to) != product(from)) {
    InFlightDiagnostic diag = b.error()
                              << "cannot turn " << product(from)
                              << " elements into a shape of " << product(to);
    diag.attachNote(b.loc) << "a dim bound by a flag does not fit a number "
                              "that the file contains";
    return diag;
  }
  return setReshaped(b, to);
}

static LogicalResult importFlatten(Binder &b) {
  Shape from = b.shape(0);
  int64_t rank = from.size(), axis = b.intAttr("axis", 1);
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis > rank)
    return b.error() << "has no such axis";
  ArrayRef<int64_t> shape = from;
  return setReshaped(
      b, {product(shape.take_front(axis)), product(shape.drop_front(axis))});
}

static LogicalResult importSqueeze(Binder &b) {
  auto axes = b.ints(1, "axes");
  if (failed(axes))
    return failure();
  Shape from = b.shape(0), to;
  llvm::SmallDenseSet<int64_t> dropped;
  if (*axes)
    for (int64_t axis : **axes) {
      auto dim = normalizeAxis(axis, from.size());
      if (!dim || from[*dim] != 1)
        return b.error() << "cannot drop dim " << axis;
      dropped.insert(*dim);
    }
  for (auto [i, extent] : llvm::enumerate(from))
    if (*axes ? !dropped.contains(i) : extent != 1)
      to.push_back(extent);
  return setReshaped(b, to);
}

static LogicalResult importUnsqueeze(Binder &b) {
  auto axes = b.ints(1, "axes");
  if (failed(axes))
    return failure();
  if (!*axes)
    return b.error() << "needs axes";
  Shape from = b.shape(0), to(from.size() + (*axes)->size(), 0);
  for (int64_t axis : **axes) {
    auto dim = normalizeAxis(axis, to.size());
    if (!dim || to[*dim] == 1)
      return b.error() << "cannot insert dim " << axis;
    to[*dim] = 1;
  }
  const int64_t *next = from.begin();
  for (int64_t &extent : to)
    if (extent == 0)
      extent = *next++;
  return setReshaped(b, to);
}

static LogicalResult importTranspose(Binder &b) {
  int64_t rank = b.rank(0);
  Axes permutation;
  if (auto perm = b.ints("perm"))
    permutation = *perm;
  else
    for (int64_t d = rank; d-- > 0;)
      permutation.push_back(d);
  Axes sorted = permutation;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    return b.error() << "perm does not name every dim once";
  if (b.isConstant(0))
    b.set(0, b.item(0).tensor->transpose(permutation));
  else
    b.set(0, b.transpose(b.value(0), permutation));
  return success();
}

static LogicalResult importExpand(Binder &b) {
  std::optional<Tensor> target = b.tensor(1);
  if (!target)
    return b.error() << "the shape must be known at compile time";
  auto shape = broadcastShapes({b.shape(0), Shape(target->ints())});
  if (!shape)
    return b.error() << "the shapes do not fit";
  if (failed(b.checkConstant(*shape)))
    return failure();
  if (b.isConstant(0))
    b.set(0, b.item(0).tensor->expand(*shape));
  else
    b.set(0, b.broadcast(b.value(0), *shape));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::shapeOps() {
  static const OpEntry table[] = {
      {"Expand", 8, kAnyOpset, 2, importExpand, importExpand},
      {"Flatten", 1, kAnyOpset, 1, importFlatten, importFlatten},
      {"Identity", 1, kAnyOpset, 1, importIdentity, importIdentity},
      {"Reshape", 5, kAnyOpset, 1, importReshape, importReshape},
      {"Squeeze", 1, kAnyOpset, 1, importSqueeze, importSqueeze},
      {"Transpose", 1, kAnyOpset, 1, importTranspose, importTranspose},
      {"Unsqueeze", 1, kAnyOpset, 1, importUnsqueeze, importUnsqueeze},
  };
  return table;
}
