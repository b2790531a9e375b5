//===- Pool.cpp - Max pooling ---------------------------------------------===//
//
// The maximum of a window is computed dim by dim, the last first, and tap by
// tap: each tap of the kernel is a strided slice, and of two equal elements the
// earlier one wins. So the gradient goes to one element of each window, the
// first maximum in row-major order, as in PyTorch.
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include "frontend/binding/Windows.h"
#include <limits>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

namespace {
/// Maxima and the numbers of their elements; the latter null if not read.
struct Found {
  Value best, place;
};
} // namespace

/// The elements that a tap reads, in order along `dim`; `fill` in the padding.
static Value readTap(Binder &b, Value x, int64_t dim, const Window &w,
                     int64_t tap, Scalar fill) {
  RankedTensorType type = tensorType(x);
  // The first and last result position whose tap is not in the padding.
  int64_t first = 0, last = w.out - 1;
  while (first < w.out && w.read(first, tap) < 0)
    ++first;
  while (last >= first && w.read(last, tap) < 0)
    --last;
  Shape shape(type.getShape());
  auto border = [&](int64_t count) -> Value {
    Shape part = shape;
    part[dim] = count;
    return b.constant(Tensor::splat(type.getElementType(), part, fill));
  };
  SmallVector<Value> parts;
  if (first > 0)
    parts.push_back(border(std::min(first, w.out)));
  if (first <= last) {
    Shape starts(shape.size(), 0), steps(shape.size(), 1), part = shape;
    starts[dim] = w.read(first, tap);
    part[dim] = last - first + 1;
    steps[dim] = part[dim] > 1 ? w.stride : 1;
    parts.push_back(SliceOp::create(b.builder, b.loc,
                                    b.typeOf(part, type.getElementType()), x,
                                    starts, steps));
  }
  if (first < w.out && last < w.out - 1)
    parts.push_back(border(w.out - 1 - last));
  return parts.size() == 1 ? parts[0] : b.concat(parts, dim);
}

/// The number of each element, in the order that `storage_order` selects.
static Value elementNumbersOf(Binder &b, ArrayRef<int64_t> shape,
                              bool columnsFirst) {
  Tensor places(b.builder.getI64Type(), shape);
  Shape strides = rowMajor(shape);
  if (columnsFirst)
    for (size_t d = 2; d < shape.size(); ++d)
      strides[d] = d == 2 ? 1 : strides[d - 1] * shape[d - 1];
  size_t n = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t place = 0;
    for (auto [i, stride] : llvm::zip(index, strides))
      place += i * stride;
    places.elements()[n++] = ofInt(place);
  });
  return b.constant(places);
}

static LogicalResult buildMaxPool(Binder &b) {
  Shape x = b.shape(0);
  auto kernel = b.ints("kernel_shape");
  if (x.size() < 3 || !kernel || kernel->size() != x.size() - 2)
    return b.error() << "needs [batch, channels, positions...] and a "
                        "kernel_shape for the positions";
  auto windows = slidingWindows(b, *kernel);
  if (failed(windows))
    return failure();
  for (const Window &w : *windows)
    if (w.kernel > 1024)
      return b.error() << "has windows of " << w.kernel
                       << " elements; at most 1024 are supported";
  Type element = b.element(0);
  Scalar lowest =
      isa<FloatType>(element)
          ? ofFloat(-std::numeric_limits<double>::infinity())
          : ofInt(APInt::getSignedMinValue(element.getIntOrFloatBitWidth())
                      .getSExtValue());
  bool wantsNumbers = b.numOutputs() > 1 && !b.node.output(1).empty();
  if (wantsNumbers && failed(b.checkConstant(x)))
    return failure();
  Found found{b.value(0),
              wantsNumbers
                  ? elementNumbersOf(b, x, b.intAttr("storage_order", 0))
                  : Value()};
  Arithmetic a(b);
  for (size_t d = windows->size(); d-- > 0;) {
    const Window &w = (*windows)[d];
    int64_t dim = 2 + d;
    Found combined;
    for (int64_t tap = 0; tap < w.kernel; ++tap) {
      Found here{readTap(b, found.best, dim, w, tap, lowest),
                 wantsNumbers ? readTap(b, found.place, dim, w, tap, ofInt(0))
                              : Value()};
      if (!combined.best) {
        combined = here;
        continue;
      }
      Value isMore = a.less(combined.best, here.best);
      combined.best = a.where(isMore, here.best, combined.best);
      if (wantsNumbers)
        combined.place = a.where(isMore, here.place, combined.place);
    }
    found = combined;
  }
  b.set(0, found.best);
  if (wantsNumbers)
    b.set(1, found.place);
  return success();
}

ArrayRef<OpEntry> pcc::frontend::poolOps() {
  static const OpEntry table[] = {
      {"MaxPool", 1, kAnyOpset, 1, nullptr, buildMaxPool,
       attributes(
           autoPadAttr(), intsAttr("kernel_shape").required(), intsAttr("pads"),
           intsAttr("strides"), flagAttr("storage_order").since(8),
           flagAttr("ceil_mode").since(10), intsAttr("dilations").since(10))},
  };
  return table;
}
