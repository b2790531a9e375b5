//===- Convolution.cpp - Convolutions -------------------------------------===//
//
// A convolution is a lookup and a matrix product. Positions of the input are
// numbered in row-major order. For every position of the result and every tap
// of the kernel, a constant table holds the position that is read, or -1 for
// padding, which reads zeros. A kernel of 3 over 5 positions, with a stride of
// 2 and a padding of 1:
//
//   ids = [[-1, 0, 1], [1, 2, 3], [3, 4, -1]]
//   windows = embedding(ids, x)             [3 positions, 3 taps, n, c]
//   y = contract "oknc,mck->nmo" windows, w
//
// Only the table depends on strides, dilations and padding, so one gradient
// serves all: that of the lookup and of the product. Windows that tile the
// image, of a convolution with one group, are reshaped instead of looked up.
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include "frontend/binding/Windows.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Labels of the spatial dims of the result and of the kernel.
static constexpr StringLiteral kOut = "opq", kTaps = "klj";

/// Checks that both are floats [n, channels, ...] with one to three spatial
/// dims, and that the kernels have the extents in `kernel_shape`.
static LogicalResult checkImages(Binder &b) {
  Shape kernel = b.shape(1);
  size_t rank = b.shape(0).size();
  if (rank < 3 || rank > 5 || kernel.size() != rank ||
      !isa<FloatType>(b.element(0)) || b.element(1) != b.element(0))
    return b.error() << "takes images [n, channel, ...] and kernels [m, "
                        "channel, ...] of floats";
  auto stated = b.ints("kernel_shape");
  if (stated && ArrayRef(*stated) != ArrayRef(kernel).drop_front(2))
    return b.error() << "kernel_shape differs from the kernels' extents";
  return success();
}

/// Looks up the elements of operand 0 that each tap reads: [positions...,
/// taps..., n, channels].
static FailureOr<Value> lookUp(Binder &b, ArrayRef<Window> windows) {
  Shape x = b.shape(0), ids;
  for (const Window &w : windows)
    ids.push_back(w.out);
  for (const Window &w : windows)
    ids.push_back(w.kernel);
  if (failed(b.checkConstant(ids)))
    return failure();
  size_t spatial = windows.size();
  Tensor table(b.builder.getI64Type(), ids);
  size_t next = 0;
  forEachIndex(ids, [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [d, w] : llvm::enumerate(windows)) {
      int64_t position = w.read(index[d], index[spatial + d]);
      at = at < 0 || position < 0 ? -1 : at * w.in + position;
    }
    table.elements()[next++] = ofInt(at);
  });
  int64_t positions = product(ArrayRef<int64_t>(x).drop_front(2));
  Value rows =
      b.transpose(b.reshape(b.value(0), {x[0], x[1], positions}), {2, 0, 1});
  Shape looked = ids;
  looked.push_back(x[0] * x[1]);
  rows = EmbeddingOp::create(
      b.builder, b.loc, b.typeOf(looked, b.element(0)), b.constant(table),
      b.reshape(rows, {positions, x[0] * x[1]}), Value());
  looked.back() = x[0];
  looked.push_back(x[1]);
  return b.reshape(rows, looked);
}

/// Depthwise convolution: elementwise products that are added over the taps.
static Value multiplyChannels(Binder &b, ArrayRef<Window> windows,
                              Value looked) {
  size_t spatial = windows.size();
  Shape kernel = b.shape(1), shape(tensorType(looked).getShape());
  // [c, 1, taps...] to [taps..., c].
  kernel.erase(kernel.begin() + 1);
  SmallVector<int64_t> last, taps, front;
  for (size_t d = 0; d < spatial; ++d) {
    last.push_back(1 + d);
    taps.push_back(spatial + d);
    front.push_back(2 + d);
  }
  last.push_back(0);
  Arithmetic a(b);
  SmallVector<int64_t> repeated;
  for (size_t d = 0; d < spatial; ++d)
    repeated.push_back(d);
  repeated.push_back(2 * spatial);
  Value weights = a.spread(b.transpose(b.reshape(b.value(1), kernel), last),
                           shape, repeated);
  Value y = a.reduce<ReduceOp>(a.mul(looked, weights), taps);
  // [positions..., n, c] to [n, c, positions...].
  SmallVector<int64_t> order = {static_cast<int64_t>(spatial),
                                static_cast<int64_t>(spatial) + 1};
  for (size_t d = 0; d < spatial; ++d)
    order.push_back(d);
  return b.transpose(y, order);
}

/// Grouped convolution. Kernels are [groups * m, channels / groups, taps...],
/// or, if `transposed`, [channels, m, taps...].
static Value multiplyGroups(Binder &b, ArrayRef<Window> windows, Value looked,
                            int64_t groups, bool transposed) {
  Shape w = b.shape(1), split(tensorType(looked).getShape());
  int64_t n = b.shape(0)[0], each = b.shape(0)[1] / groups;
  int64_t m = transposed ? w[1] : w[0] / groups;
  split.back() = groups;
  split.push_back(each);
  Shape kernel = {groups, transposed ? each : m, transposed ? m : each};
  Shape result = {n, groups, m};
  for (const Window &window : windows) {
    kernel.push_back(window.kernel);
    result.push_back(window.out);
  }
  std::string out = kOut.take_front(windows.size()).str(),
              taps = kTaps.take_front(windows.size()).str(), group = "g";
  Value kernels = b.value(1);
  if (groups == 1) {
    split.erase(split.end() - 2);
    kernel.erase(kernel.begin());
    result.erase(result.begin() + 1);
    group = "";
  }
  Value y = b.contract(
      out + taps + "n" + group + "c," + group + (transposed ? "cm" : "mc") +
          taps + "->n" + group + "m" + out,
      b.reshape(looked, split), b.reshape(kernels, kernel), result);
  Shape joined = {n, groups * m};
  for (const Window &window : windows)
    joined.push_back(window.out);
  return b.reshape(y, joined);
}

/// Convolution by kernels that tile the input without gaps or padding: a linear
/// layer on patches [n, s, c * taps...].
static Value multiplyPatches(Binder &b, ArrayRef<Window> windows) {
  Shape x = b.shape(0), w = b.shape(1);
  // From [n, c, h, y, w, x] to [n, h, w, c, y, x]; each patch is then one dim.
  Shape split = {x[0], x[1]}, result = {x[0], w[0]};
  SmallVector<int64_t> permutation = {0}, inner = {1};
  int64_t patches = 1, elements = x[1];
  for (const Window &window : windows) {
    result.push_back(window.out);
    permutation.push_back(split.size());
    inner.push_back(split.size() + 1);
    split.append({window.out, window.kernel});
    patches *= window.out;
    elements *= window.kernel;
  }
  permutation.append(inner);
  Value rows = b.reshape(b.transpose(b.reshape(b.value(0), split), permutation),
                         {x[0], patches, elements});
  Value y =
      b.contract("bsk,nk->bsn", rows, b.reshape(b.value(1), {w[0], elements}),
                 {x[0], patches, w[0]});
  if (b.has(2))
    y = b.sum({y, b.broadcast(b.value(2), {x[0], patches, w[0]})});
  return b.reshape(b.transpose(y, {0, 2, 1}), result);
}

static void setWithBias(Binder &b, Value y) {
  if (b.has(2)) {
    RankedTensorType type = tensorType(y);
    y = b.sum({y, BroadcastOp::create(b.builder, b.loc, type, b.value(2),
                                      ArrayRef<int64_t>(1))});
  }
  b.set(0, y);
}

static LogicalResult checkBias(Binder &b, int64_t channels) {
  if (!b.has(2) || b.shape(2) == Shape({channels}))
    return success();
  return b.error() << "needs a bias for each of " << channels << " channels";
}

static LogicalResult buildConv(Binder &b) {
  if (failed(checkImages(b)))
    return failure();
  Shape x = b.shape(0), w = b.shape(1);
  int64_t groups = b.intAttr("group", 1);
  if (groups < 1 || x[1] != groups * w[1] || w[0] % groups)
    return b.error() << "kernels of " << w[1] << " channels in " << groups
                     << " groups do not fit " << x[1] << " channels";
  auto windows = slidingWindows(b, ArrayRef<int64_t>(w).drop_front(2));
  if (failed(windows) || failed(checkBias(b, w[0])))
    return failure();
  if (groups == 1 && llvm::all_of(*windows, std::mem_fn(&Window::tiles))) {
    b.set(0, multiplyPatches(b, *windows));
    return success();
  }
  FailureOr<Value> looked = lookUp(b, *windows);
  if (failed(looked))
    return failure();
  bool isDepthwise = groups == x[1] && w[0] == groups;
  setWithBias(b, isDepthwise
                     ? multiplyChannels(b, *windows, *looked)
                     : multiplyGroups(b, *windows, *looked, groups, false));
  return success();
}

/// The gradient of a convolution as an operator: each position of the result
/// reads the inputs whose windows contain it.
static LogicalResult buildConvTranspose(Binder &b) {
  if (failed(checkImages(b)))
    return failure();
  Shape x = b.shape(0), w = b.shape(1);
  int64_t groups = b.intAttr("group", 1);
  if (groups < 1 || x[1] != w[0] || w[0] % groups)
    return b.error() << "kernels of " << w[0] << " channels in " << groups
                     << " groups do not fit " << x[1] << " channels";
  auto windows = transposedWindows(b, ArrayRef<int64_t>(w).drop_front(2));
  if (failed(windows) || failed(checkBias(b, w[1] * groups)))
    return failure();
  FailureOr<Value> looked = lookUp(b, *windows);
  if (failed(looked))
    return failure();
  setWithBias(b, multiplyGroups(b, *windows, *looked, groups, true));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::convolutionOps() {
  static const OpEntry table[] = {
      {"Conv", 1, kAnyOpset, between(2, 3), nullptr, buildConv,
       attributes(autoPadAttr(), intsAttr("dilations"), intAttr("group"),
                  intsAttr("kernel_shape"), intsAttr("pads"),
                  intsAttr("strides"))},
      {"ConvTranspose", 1, kAnyOpset, between(2, 3), nullptr,
       buildConvTranspose,
       attributes(autoPadAttr(), intsAttr("dilations"), intAttr("group"),
                  intsAttr("kernel_shape"), intsAttr("output_padding"),
                  intsAttr("output_shape"), intsAttr("pads"),
                  intsAttr("strides"))},
  };
  return table;
}
