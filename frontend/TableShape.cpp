//===- TableShape.cpp - Operators that move elements ----------------------===//
//
// Each computes what the result looks like once, for constants and for values
// alike, and differs only in the last step: a view of a tensor or an nn op.
//
//===----------------------------------------------------------------------===//

#include "frontend/Arithmetic.h"

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

static int64_t product(ArrayRef<int64_t> shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
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

namespace {
struct Box {
  Shape starts, steps, shape;
};
} // namespace

static LogicalResult setSlice(Binder &b, unsigned result, const Box &box) {
  if (b.isConstant(0)) {
    b.set(result, b.item(0).tensor->slice(box.starts, box.steps, box.shape));
    return success();
  }
  if (box.shape == b.shape(0)) {
    b.set(result, b.value(0));
    return success();
  }
  if (product(box.shape) == 0) {
    b.set(result, Tensor(b.element(0), box.shape));
    return success();
  }
  if (llvm::any_of(box.steps, [](int64_t step) { return step < 1; })) {
    // Backward: the elements are looked up.
    if (failed(b.checkConstant(box.shape)))
      return failure();
    Value x = b.value(0);
    Arithmetic a(b);
    for (auto [d, extent] : llvm::enumerate(box.shape)) {
      Tensor index(b.builder.getI64Type(), {extent});
      for (auto [i, to] : llvm::enumerate(index.elements()))
        to = ofInt(box.starts[d] + static_cast<int64_t>(i) * box.steps[d]);
      x = a.take(x, b.constant(index), d);
    }
    b.set(result, x);
    return success();
  }
  b.set(result, Value(SliceOp::create(b.builder, b.loc,
                                      b.typeOf(box.shape, b.element(0)),
                                      b.value(0), box.starts, box.steps)));
  return success();
}

static LogicalResult importSlice(Binder &b) {
  Shape from = b.shape(0);
  Box box{Shape(from.size(), 0), Shape(from.size(), 1), from};
  auto starts = b.ints(1, "starts"), ends = b.ints(2, "ends");
  auto axes = b.ints(3, "axes"), steps = b.ints(4, "steps");
  if (failed(starts) || failed(ends) || failed(axes) || failed(steps))
    return failure();
  if (!*starts || !*ends || (*ends)->size() != (*starts)->size() ||
      (*axes && (*axes)->size() != (*starts)->size()) ||
      (*steps && (*steps)->size() != (*starts)->size()))
    return b.error() << "needs as many ends as starts";
  for (size_t i = 0; i < (*starts)->size(); ++i) {
    auto axis = normalizeAxis(*axes ? (**axes)[i] : i, from.size());
    if (!axis)
      return b.error() << "has no such axis";
    int64_t extent = from[*axis], step = *steps ? (**steps)[i] : 1;
    if (step == 0)
      return b.error() << "needs a step other than 0";
    // Numpy's rules: counted from the end, then clamped to what there is.
    auto clamp = [&](int64_t at, int64_t low, int64_t high) {
      return std::clamp(at < 0 ? at + extent : at, low, high);
    };
    int64_t first = clamp((**starts)[i], 0, step > 0 ? extent : extent - 1);
    int64_t last = step > 0 ? clamp((**ends)[i], 0, extent)
                            : clamp((**ends)[i], -1, extent - 1);
    int64_t span = step > 0 ? last - first : first - last;
    box.starts[*axis] = first;
    box.steps[*axis] = step;
    int64_t stride = std::abs(step);
    box.shape[*axis] = std::max<int64_t>(0, (span + stride - 1) / stride);
  }
  return setSlice(b, 0, box);
}

static LogicalResult importSplit(Binder &b) {
  Shape from = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", 0), from.size());
  auto sizes = b.ints(1, "split");
  if (failed(sizes))
    return failure();
  if (!axis)
    return b.error() << "has no such axis";
  int64_t total = from[*axis], parts = b.numOutputs();
  Axes each;
  if (*sizes)
    each = **sizes;
  else
    for (int64_t i = 0, size = (total + parts - 1) / parts; i < parts; ++i)
      each.push_back(std::min(size, total - i * size));
  int64_t sum = 0;
  for (int64_t size : each)
    sum += size;
  if (sum != total || static_cast<int64_t>(each.size()) != parts)
    return b.error() << "the parts do not make up " << total;
  Box box{Shape(from.size(), 0), Shape(from.size(), 1), from};
  for (auto [i, size] : llvm::enumerate(each)) {
    box.shape[*axis] = size;
    if (failed(setSlice(b, i, box)))
      return failure();
    box.starts[*axis] += size;
  }
  return success();
}

/// Parts of the sizes in operand 1: one size for all or one for each.
static LogicalResult importSplitToSequence(Binder &b) {
  Shape from = b.shape(0);
  auto axis = normalizeAxis(b.intAttr("axis", 0), from.size());
  auto sizes = b.ints(1, "split");
  if (failed(sizes))
    return failure();
  if (!axis || !*sizes || b.intAttr("keepdims", 1) == 0)
    return b.error() << "needs an axis and the sizes of its parts";
  Axes each = **sizes;
  if (b.rank(1) == 0) {
    int64_t size = each[0], total = from[*axis];
    each.clear();
    for (int64_t begin = 0; size > 0 && begin < total; begin += size)
      each.push_back(std::min(size, total - begin));
  }
  Box box{Shape(from.size(), 0), Shape(from.size(), 1), from};
  Item list;
  for (int64_t size : each) {
    box.shape[*axis] = size;
    if (size < 0 || box.starts[*axis] + size > from[*axis])
      return b.error() << "the parts do not make up " << from[*axis];
    if (failed(setSlice(b, 0, box)))
      return failure();
    list.sequence.push_back(b.getResults()[0]);
    b.set(0, Item());
    box.starts[*axis] += size;
  }
  if (each.empty() || box.starts[*axis] != from[*axis])
    return b.error() << "the parts do not make up " << from[*axis];
  b.set(0, list);
  return success();
}

static LogicalResult importSequenceAt(Binder &b) {
  const std::vector<Item> &list = b.item(0).sequence;
  std::optional<Tensor> index = b.tensor(1);
  auto which = index && index->size() == 1
                   ? normalizeAxis(index->at(int64_t(0)).i, list.size())
                   : std::nullopt;
  if (!which)
    return b.error() << "needs the index of one of " << list.size()
                     << " tensors";
  b.set(0, list[*which]);
  return success();
}

static LogicalResult importConcat(Binder &b) {
  auto axis = normalizeAxis(b.intAttr("axis", 0), b.rank(0));
  if (!axis)
    return b.error() << "has no such axis";
  Shape shape = b.shape(0);
  shape[*axis] = 0;
  bool constant = true;
  for (unsigned i = 0; i < b.numInputs(); ++i) {
    if (!b.has(i) || b.element(i) != b.element(0))
      return b.error() << "its operands differ in type";
    Shape part = b.shape(i);
    constant &= b.isConstant(i);
    shape[*axis] += part.size() == shape.size() ? part[*axis] : 0;
    part.resize(shape.size());
    part[*axis] = shape[*axis];
    if (part != shape)
      return b.error() << "the shapes of its operands do not fit";
  }
  if (!constant) {
    SmallVector<Value> values;
    for (unsigned i = 0; i < b.numInputs(); ++i)
      if (b.shape(i)[*axis] > 0)
        values.push_back(b.value(i));
    b.set(0,
          Value(ConcatOp::create(
              b.builder, b.loc, b.typeOf(shape, b.element(0)), values, *axis)));
    return success();
  }
  Tensor t(b.element(0), shape);
  size_t n = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    Shape at(index);
    unsigned i = 0;
    while (at[*axis] >= b.shape(i)[*axis])
      at[*axis] -= b.shape(i++)[*axis];
    t.elements()[n++] = b.item(i).tensor->at(at);
  });
  b.set(0, t);
  return success();
}

/// Padding by the input's own elements, looked up: the border's, or those
/// mirrored at it.
static LogicalResult padByItself(Binder &b, bool mirror,
                                 ArrayRef<int64_t> amounts) {
  Shape from = b.shape(0);
  Value x = b.value(0);
  Arithmetic a(b);
  for (auto [d, extent] : llvm::enumerate(from)) {
    int64_t low = amounts[d], high = amounts[from.size() + d];
    if (low + extent + high < 1 ||
        (mirror && (low >= extent || high >= extent)))
      return b.error() << "cannot pad dim " << d << " by " << low << " and "
                       << high;
    if (low == 0 && high == 0)
      continue;
    if (failed(b.checkConstant(low + extent + high)))
      return failure();
    Tensor index(b.builder.getI64Type(), {low + extent + high});
    for (auto [i, to] : llvm::enumerate(index.elements())) {
      int64_t at = static_cast<int64_t>(i) - low;
      if (mirror)
        at = at < 0 ? -at : at >= extent ? 2 * (extent - 1) - at : at;
      to = ofInt(std::clamp<int64_t>(at, 0, extent - 1));
    }
    x = a.take(x, b.constant(index), d);
  }
  b.set(0, x);
  return success();
}

/// Negative amounts cut off.
static LogicalResult importPad(Binder &b) {
  std::string mode = b.stringAttr("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect")
    return b.error() << "mode '" << mode << "' is not supported";
  auto amounts = b.ints(1, "pads");
  if (failed(amounts))
    return failure();
  Shape from = b.shape(0);
  int64_t rank = from.size();
  if (!*amounts || static_cast<int64_t>((*amounts)->size()) != 2 * rank ||
      b.has(3))
    return b.error() << "needs an amount for both ends of every dim";
  for (int64_t amount : **amounts)
    if (std::abs(amount / 2) > int64_t(1) << 31)
      return b.error() << "cannot pad by " << amount;
  if (mode != "constant")
    return padByItself(b, mode == "reflect", **amounts);
  Scalar fill = isa<FloatType>(b.element(0))
                    ? ofFloat(b.floatAttr("value", 0.0))
                    : ofInt(0);
  if (b.has(2)) {
    std::optional<Tensor> value = b.tensor(2);
    if (!value || value->size() != 1)
      return b.error() << "the value must be known at compile time";
    fill = value->at(int64_t(0));
  }
  Value value = b.value(0);
  for (int64_t d = 0; d < rank; ++d) {
    int64_t low = (**amounts)[d], high = (**amounts)[rank + d];
    Shape shape(tensorType(value).getShape());
    int64_t cut = std::max<int64_t>(0, -low) + std::max<int64_t>(0, -high);
    if (cut > 0) {
      Shape starts(rank, 0);
      starts[d] = std::max<int64_t>(0, -low);
      shape[d] -= cut;
      if (shape[d] < 1)
        return b.error() << "cuts off all of dim " << d;
      value = SliceOp::create(b.builder, b.loc, b.typeOf(shape, b.element(0)),
                              value, starts, Shape(rank, 1));
    }
    SmallVector<Value> parts;
    auto border = [&](int64_t amount) {
      if (amount < 1)
        return;
      Shape part = shape;
      part[d] = amount;
      parts.push_back(b.constant(Tensor::splat(b.element(0), part, fill)));
    };
    border(low);
    parts.push_back(value);
    border(high);
    shape[d] += std::max<int64_t>(0, low) + std::max<int64_t>(0, high);
    if (parts.size() > 1)
      value = ConcatOp::create(b.builder, b.loc, b.typeOf(shape, b.element(0)),
                               parts, d);
  }
  b.set(0, value);
  return success();
}

ArrayRef<OpEntry> pcc::frontend::shapeOps() {
  static const OpEntry table[] = {
      {"Concat", 4, kAnyOpset, 1, importConcat, importConcat},
      {"Expand", 8, kAnyOpset, 2, importExpand, importExpand},
      {"Flatten", 1, kAnyOpset, 1, importFlatten, importFlatten},
      {"Identity", 1, kAnyOpset, 1, importIdentity, importIdentity},
      {"Pad", 2, kAnyOpset, 1, nullptr, importPad},
      {"Reshape", 5, kAnyOpset, 1, importReshape, importReshape},
      {"SequenceAt", 11, kAnyOpset, 2, nullptr, importSequenceAt},
      {"Slice", 1, kAnyOpset, 1, importSlice, importSlice},
      {"Split", 2, kAnyOpset, 1, importSplit, importSplit},
      {"SplitToSequence", 11, kAnyOpset, 2, importSplitToSequence,
       importSplitToSequence},
      {"Squeeze", 1, kAnyOpset, 1, importSqueeze, importSqueeze},
      {"Transpose", 1, kAnyOpset, 1, importTranspose, importTranspose},
      {"Unsqueeze", 1, kAnyOpset, 1, importUnsqueeze, importUnsqueeze},
  };
  return table;
}
