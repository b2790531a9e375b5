//===- Pad.cpp - Padding --------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

namespace {
/// The padding of a node: `fill`, for mode constant, and the amounts at the
/// beginnings of all dims, then at their ends. Negative amounts crop.
struct Padding {
  std::string mode;
  SmallVector<int64_t> amounts;
  Scalar fill;
};
} // namespace

static FailureOr<Padding> readPadding(Binder &b) {
  Padding padding;
  padding.mode = b.stringAttr("mode", "constant");
  if (!llvm::is_contained({"constant", "edge", "reflect", "wrap"},
                          padding.mode))
    return b.error() << "mode '" << padding.mode << "' is not supported";
  auto amounts = b.ints(1, "pads");
  if (failed(amounts))
    return failure();
  if (!*amounts || (*amounts)->size() != 2 * b.shape(0).size() || b.has(3))
    return b.error() << "needs an amount for both ends of every dim";
  for (int64_t amount : **amounts)
    if (std::abs(amount / 2) > int64_t(1) << 31)
      return b.error() << "cannot pad by " << amount;
  padding.amounts = **amounts;
  padding.fill = isa<FloatType>(b.element(0))
                     ? ofFloat(b.floatAttr("value", 0.0))
                     : ofInt(0);
  if (padding.mode == "constant" && b.has(2)) {
    std::optional<Tensor> value = b.tensor(2);
    if (!value || value->size() != 1)
      return b.error() << "the value must be known at compile time";
    padding.fill = value->at(int64_t(0));
  }
  return padding;
}

/// Padding by the input's own elements, which are looked up: the border's,
/// those mirrored at it, or those of the other end.
static LogicalResult padFromInput(Binder &b, StringRef mode,
                                  ArrayRef<int64_t> amounts) {
  bool mirror = mode == "reflect";
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
      if (mode == "wrap")
        at = (at % extent + extent) % extent;
      to = ofInt(std::clamp<int64_t>(at, 0, extent - 1));
    }
    x = a.take(x, b.constant(index), d);
  }
  b.set(0, x);
  return success();
}

static LogicalResult build(Binder &b, const Padding &padding) {
  if (padding.mode != "constant")
    return padFromInput(b, padding.mode, padding.amounts);
  int64_t rank = b.shape(0).size();
  Value value = b.value(0);
  for (int64_t d = 0; d < rank; ++d) {
    int64_t low = padding.amounts[d], high = padding.amounts[rank + d];
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
      parts.push_back(
          b.constant(Tensor::splat(b.element(0), part, padding.fill)));
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

static LogicalResult importPad(Binder &b) {
  FailureOr<Padding> padding = readPadding(b);
  return failed(padding) ? failure() : build(b, *padding);
}

/// Constants are padded, too: masks get further keys.
static LogicalResult foldPad(Binder &b) {
  Tensor from = *b.tensor(0);
  FailureOr<Padding> padding = readPadding(b);
  if (failed(padding))
    return failure();
  ArrayRef<int64_t> amounts = padding->amounts;
  if (padding->mode != "constant" ||
      llvm::any_of(amounts, [](int64_t n) { return n < 0; }))
    return build(b, *padding);
  int64_t rank = from.rank();
  Shape shape(from.shape());
  for (int64_t d = 0; d < rank; ++d)
    shape[d] += amounts[d] + amounts[rank + d];
  if (failed(b.checkConstant(shape)))
    return failure();
  Tensor t(from.element(), shape);
  size_t next = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    Shape at(index);
    bool isInside = true;
    for (int64_t d = 0; d < rank; ++d) {
      at[d] -= amounts[d];
      isInside &= at[d] >= 0 && at[d] < from.shape()[d];
    }
    t.elements()[next++] = isInside ? from.at(at) : padding->fill;
  });
  b.set(0, t);
  return success();
}

ArrayRef<OpEntry> pcc::frontend::padOps() {
  static const OpEntry table[] = {
      {"Pad", 2, kAnyOpset, between(1, 4), foldPad, importPad,
       attributes(stringAttr("mode").only("constant|reflect|edge|wrap"),
                  intsAttr("pads").until(10).required(),
                  floatAttr("value").until(10))},
  };
  return table;
}
