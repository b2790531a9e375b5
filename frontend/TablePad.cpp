//===- TablePad.cpp - Padding ---------------------------------------------===//

#include "frontend/Arithmetic.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Padding by the input's own elements, looked up: the border's, those mirrored
/// at it, or those of the other end.
static LogicalResult padByItself(Binder &b, StringRef mode,
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

/// Negative amounts cut off.
static LogicalResult importPad(Binder &b) {
  std::string mode = b.stringAttr("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" &&
      mode != "wrap")
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
    return padByItself(b, mode, **amounts);
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

/// Masks are padded for keys beside those of the positions.
static LogicalResult foldPad(Binder &b) {
  Tensor from = *b.tensor(0);
  auto amounts = b.ints(1, "pads");
  if (failed(amounts))
    return failure();
  bool isConstant = b.stringAttr("mode", "constant") == "constant";
  int64_t rank = from.rank();
  if (!isConstant || b.has(3) || !*amounts ||
      static_cast<int64_t>((*amounts)->size()) != 2 * rank ||
      llvm::any_of(**amounts, [](int64_t n) { return n < 0; }))
    return importPad(b);
  Scalar fill = from.isFloat() ? ofFloat(b.floatAttr("value", 0.0)) : ofInt(0);
  if (b.has(2)) {
    if (b.tensor(2)->size() != 1)
      return importPad(b);
    fill = b.tensor(2)->at(int64_t(0));
  }
  Shape shape(from.shape());
  for (int64_t d = 0; d < rank; ++d)
    if (__builtin_add_overflow(shape[d], (**amounts)[d], &shape[d]) ||
        __builtin_add_overflow(shape[d], (**amounts)[rank + d], &shape[d]))
      return b.error() << "cannot pad by so much";
  if (failed(b.checkConstant(shape)))
    return failure();
  Tensor t(from.element(), shape);
  size_t next = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    Shape at(index);
    bool isInside = true;
    for (int64_t d = 0; d < rank; ++d) {
      at[d] -= (**amounts)[d];
      isInside &= at[d] >= 0 && at[d] < from.shape()[d];
    }
    t.elements()[next++] = isInside ? from.at(at) : fill;
  });
  b.set(0, t);
  return success();
}

ArrayRef<OpEntry> pcc::frontend::padOps() {
  static const OpEntry table[] = {
      {"Pad", 2, kAnyOpset, 1, foldPad, importPad},
  };
  return table;
}
