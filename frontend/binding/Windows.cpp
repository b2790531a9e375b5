//===- Windows.cpp - Windows of convolutions and pools --------------------===//

#include "frontend/binding/Windows.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;

/// The greatest attribute or extent; the product of two fits 64 bits.
static constexpr int64_t kLargest = int64_t(1) << 30;

/// An attribute with a number per spatial dim, from `least` on.
static FailureOr<SmallVector<int64_t>> perDim(Binder &b, StringRef name,
                                              size_t count, int64_t otherwise,
                                              int64_t least) {
  auto given = b.ints(name);
  if (!given || given->empty())
    return SmallVector<int64_t>(count, otherwise);
  if (given->size() != count)
    return b.error() << name << " needs " << count << " numbers, not "
                     << given->size();
  for (int64_t n : *given)
    if (n < least || n > kLargest)
      return b.error() << name << " of " << n << " is out of range";
  return *given;
}

/// The windows without result sizes, with the file's explicit padding.
static FailureOr<SmallVector<Window>> readWindows(Binder &b,
                                                  ArrayRef<int64_t> kernel) {
  Shape x = b.shape(0);
  size_t count = x.size() - 2;
  auto strides = perDim(b, "strides", count, 1, 1);
  auto dilations = perDim(b, "dilations", count, 1, 1);
  auto pads = perDim(b, "pads", 2 * count, 0, 0);
  if (failed(strides) || failed(dilations) || failed(pads))
    return failure();
  SmallVector<Window> windows;
  for (size_t d = 0; d < count; ++d) {
    if (kernel[d] < 1 || kernel[d] > kLargest || x[2 + d] > kLargest)
      return b.error() << "cannot move " << kernel[d] << " taps over "
                       << x[2 + d] << " positions";
    Window &w = windows.emplace_back();
    w.in = x[2 + d];
    w.kernel = kernel[d];
    w.stride = (*strides)[d];
    w.dilation = (*dilations)[d];
    w.low = (*pads)[d];
    w.high = (*pads)[count + d];
  }
  return windows;
}

/// Distributes `total` over both ends. With SAME_UPPER the end gets the odd
/// one.
static void pad(Window &w, int64_t total, bool upper) {
  total = std::max<int64_t>(0, total);
  w.low = upper ? total / 2 : total - total / 2;
  w.high = total - w.low;
}

FailureOr<SmallVector<Window>>
pcc::frontend::slidingWindows(Binder &b, ArrayRef<int64_t> kernel) {
  auto windows = readWindows(b, kernel);
  if (failed(windows))
    return failure();
  std::string mode = b.stringAttr("auto_pad", "NOTSET");
  bool ceil = b.intAttr("ceil_mode", 0);
  for (Window &w : *windows) {
    int64_t reach = (w.kernel - 1) * w.dilation + 1;
    if (mode == "VALID")
      w.low = w.high = 0;
    if (StringRef(mode).starts_with("SAME")) {
      w.out = llvm::divideCeil(w.in, w.stride);
      pad(w, (w.out - 1) * w.stride + reach - w.in, mode == "SAME_UPPER");
    }
    int64_t room = w.in + w.low + w.high - reach;
    if (room < 0)
      return b.error() << "windows of " << reach << " do not fit into "
                       << w.in + w.low + w.high << " positions";
    w.out = room / w.stride + 1;
    // One more window if it begins before the padding after the last position.
    if (ceil && room % w.stride && w.out * w.stride < w.in + w.low)
      ++w.out;
  }
  return windows;
}

FailureOr<SmallVector<Window>>
pcc::frontend::transposedWindows(Binder &b, ArrayRef<int64_t> kernel) {
  auto windows = readWindows(b, kernel);
  if (failed(windows))
    return failure();
  size_t count = windows->size();
  auto extra = perDim(b, "output_padding", count, 0, 0);
  auto shape = perDim(b, "output_shape", count, 0, 1);
  if (failed(extra) || failed(shape))
    return failure();
  std::string mode = b.stringAttr("auto_pad", "NOTSET");
  for (auto [d, w] : llvm::enumerate(*windows)) {
    w.transposed = true;
    int64_t reach = (w.kernel - 1) * w.dilation + 1;
    int64_t whole = (w.in - 1) * w.stride + reach + (*extra)[d];
    bool same = StringRef(mode).starts_with("SAME");
    int64_t wanted = (*shape)[d] ? (*shape)[d] : same ? w.in * w.stride : 0;
    if (mode == "VALID")
      w.low = w.high = 0;
    // As for a convolution. With output_shape and no SAME mode, the start gets
    // the odd one.
    if (wanted)
      pad(w, whole - wanted, mode == "SAME_UPPER");
    w.out = wanted ? wanted : whole - w.low - w.high;
    if (w.out < 1 || w.out > kLargest)
      return b.error() << "its result would have " << w.out << " positions";
  }
  return windows;
}
