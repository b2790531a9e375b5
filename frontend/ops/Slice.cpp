//===- Slice.cpp - Slice, split and concat --------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include <limits>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

namespace {
/// Element i of dim d is element starts[d] + i * steps[d] of the operand. The
/// step of a dim with fewer than two elements is 1, also if the file's differs.
struct Slice {
  Shape starts, steps, shape;

  /// Whether the slice is the whole operand, of shape `from`, in order.
  bool isWhole(const Shape &from) const {
    return shape == from &&
           llvm::all_of(steps, [](int64_t step) { return step == 1; });
  }
};
} // namespace

static LogicalResult setSlice(Binder &b, unsigned result, const Slice &slice) {
  if (b.isConstant(0)) {
    b.set(result,
          b.item(0).tensor->slice(slice.starts, slice.steps, slice.shape));
    return success();
  }
  if (slice.isWhole(b.shape(0))) {
    b.set(result, b.value(0));
    return success();
  }
  if (product(slice.shape) == 0) {
    b.set(result, Tensor(b.element(0), slice.shape));
    return success();
  }
  // Slices forward first; dims with a negative step are then reversed by a
  // lookup. So no other dim appears to mix its elements.
  Slice forward = slice;
  for (auto [d, step] : llvm::enumerate(slice.steps))
    if (step < 1) {
      forward.starts[d] = 0;
      forward.steps[d] = 1;
      forward.shape[d] = b.shape(0)[d];
    }
  Value x = b.value(0);
  if (!forward.isWhole(b.shape(0)))
    x = SliceOp::create(b.builder, b.loc, b.typeOf(forward.shape, b.element(0)),
                        x, forward.starts, forward.steps);
  Arithmetic a(b);
  for (auto [d, step] : llvm::enumerate(slice.steps)) {
    if (step > 0)
      continue;
    if (failed(b.checkConstant(slice.shape[d])))
      return failure();
    Tensor index(b.builder.getI64Type(), {slice.shape[d]});
    for (auto [i, to] : llvm::enumerate(index.elements()))
      to = ofInt(slice.starts[d] + static_cast<int64_t>(i) * step);
    x = a.take(x, b.constant(index), d);
  }
  b.set(result, x);
  return success();
}

/// Sets the slice of a dim of `extent` elements. Negative bounds count from the
/// end; bounds are then clamped. No intermediate result overflows 64 bits
/// for any numbers in the file.
static void setDim(Slice &slice, int64_t dim, int64_t extent, int64_t start,
                   int64_t end, int64_t step) {
  bool forward = step > 0;
  // The largest end means the last element in either direction, as in ONNX
  // Runtime; clamped it would leave nothing of a backward slice.
  if (!forward && (end == std::numeric_limits<int64_t>::max() ||
                   end == std::numeric_limits<int32_t>::max()))
    end = std::numeric_limits<int64_t>::min();
  auto clamp = [&](int64_t at, int64_t low) {
    return std::min(std::max(at < 0 ? at + extent : at, low),
                    forward ? extent : extent - 1);
  };
  int64_t first = clamp(start, 0), last = clamp(end, forward ? 0 : -1);
  int64_t span = forward ? last - first : first - last;
  // The magnitude of the least integer is one more than the largest.
  uint64_t stride = forward ? step : uint64_t(0) - static_cast<uint64_t>(step);
  int64_t count = span > 0 ? static_cast<int64_t>((span - 1) / stride) + 1 : 0;
  slice.starts[dim] = count > 0 ? first : 0;
  slice.steps[dim] = count > 1 ? step : 1;
  slice.shape[dim] = count;
}

static LogicalResult importSlice(Binder &b) {
  Shape from = b.shape(0);
  Slice slice{Shape(from.size(), 0), Shape(from.size(), 1), from};
  auto starts = b.ints(1, "starts"), ends = b.ints(2, "ends");
  auto axes = b.ints(3, "axes"), steps = b.ints(4, "steps");
  if (failed(starts) || failed(ends) || failed(axes) || failed(steps))
    return failure();
  if (!*starts || !*ends || (*ends)->size() != (*starts)->size() ||
      (*axes && (*axes)->size() != (*starts)->size()) ||
      (*steps && (*steps)->size() != (*starts)->size()))
    return b.error() << "needs as many ends as starts";
  llvm::SmallDenseSet<int64_t> seen;
  for (size_t i = 0; i < (*starts)->size(); ++i) {
    auto axis = normalizeAxis(*axes ? (**axes)[i] : i, from.size());
    if (!axis)
      return b.error() << "has no such axis";
    if (!seen.insert(*axis).second)
      return b.error() << "names axis " << *axis << " twice";
    int64_t step = *steps ? (**steps)[i] : 1;
    if (step == 0)
      return b.error() << "needs a step other than 0";
    setDim(slice, *axis, from[*axis], (**starts)[i], (**ends)[i], step);
  }
  return setSlice(b, 0, slice);
}

/// Cuts operand 0 into parts of these sizes along `axis` and passes each to
/// `take`. Errors: the sizes do not add up to the dim.
static LogicalResult
cut(Binder &b, int64_t axis, ArrayRef<int64_t> sizes,
    llvm::function_ref<LogicalResult(unsigned, const Slice &)> take) {
  Shape from = b.shape(0);
  int64_t left = from[axis];
  for (int64_t size : sizes)
    left = size < 0 || size > left ? -1 : left - size;
  if (left != 0)
    return b.error() << "the parts do not add up to " << from[axis];
  Slice slice{Shape(from.size(), 0), Shape(from.size(), 1), from};
  for (auto [i, size] : llvm::enumerate(sizes)) {
    slice.shape[axis] = size;
    if (failed(take(i, slice)))
      return failure();
    slice.starts[axis] += size;
  }
  return success();
}

static LogicalResult importSplit(Binder &b) {
  auto axis = normalizeAxis(b.intAttr("axis", 0), b.rank(0));
  auto sizes = b.ints(1, "split");
  if (failed(sizes))
    return failure();
  if (!axis)
    return b.error() << "has no such axis";
  int64_t total = b.shape(0)[*axis], parts = b.numOutputs();
  SmallVector<int64_t> each;
  if (*sizes)
    each = **sizes;
  else
    for (int64_t i = 0, size = (total + parts - 1) / parts; i < parts; ++i)
      each.push_back(std::min(size, total - i * size));
  if (static_cast<int64_t>(each.size()) != parts)
    return b.error() << "the parts do not add up to " << total;
  if (int64_t stated = b.intAttr("num_outputs", parts); stated != parts)
    return b.error() << "num_outputs is " << stated << ", but it has " << parts
                     << " results";
  return cut(b, *axis, each, [&](unsigned i, const Slice &part) {
    return setSlice(b, i, part);
  });
}

/// Splits into parts of the sizes in operand 1: one size for all or one for
/// each.
static LogicalResult importSplitToSequence(Binder &b) {
  auto axis = normalizeAxis(b.intAttr("axis", 0), b.rank(0));
  auto sizes = b.ints(1, "split");
  if (failed(sizes))
    return failure();
  if (!axis || !*sizes || b.intAttr("keepdims", 1) == 0)
    return b.error() << "needs an axis and the sizes of its parts";
  SmallVector<int64_t> each = **sizes;
  if (b.rank(1) == 0) {
    int64_t size = each[0], total = b.shape(0)[*axis];
    each.clear();
    for (int64_t begin = 0; size > 0 && begin < total; begin += size)
      each.push_back(std::min(size, total - begin));
  }
  if (each.empty())
    return b.error() << "needs the sizes of its parts";
  Item list;
  auto add = [&](unsigned, const Slice &part) -> LogicalResult {
    if (failed(setSlice(b, 0, part)))
      return failure();
    list.sequence.push_back(b.getResults()[0]);
    b.set(0, Item());
    return success();
  };
  if (failed(cut(b, *axis, each, add)))
    return failure();
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

ArrayRef<OpEntry> pcc::frontend::sliceOps() {
  static const OpEntry table[] = {
      {"Concat", 4, kAnyOpset, atLeast(1), importConcat, importConcat,
       attributes(intAttr("axis").required())},
      {"SequenceAt", 11, kAnyOpset, 2, nullptr, importSequenceAt},
      {"Slice", 1, kAnyOpset, between(1, 5), importSlice, importSlice,
       attributes(intsAttr("axes").until(9),
                  intsAttr("ends").until(9).required(),
                  intsAttr("starts").until(9).required())},
      {"Split", 2, kAnyOpset, between(1, 2), importSplit, importSplit,
       attributes(intAttr("axis"), intsAttr("split").until(12),
                  intAttr("num_outputs").since(18))},
      {"SplitToSequence", 11, kAnyOpset, between(1, 2), importSplitToSequence,
       importSplitToSequence,
       attributes(intAttr("axis"), flagAttr("keepdims"))},
  };
  return table;
}
