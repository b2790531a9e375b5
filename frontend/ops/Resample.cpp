//===- Resample.cpp - Averages and interpolations of images ---------------===//
//
// Average pooling and interpolation are linear maps along each spatial dim in
// turn, which are constant once the sizes are known: a contraction with a
// matrix [positions of the operand, positions of the result]. Interpolation by
// the nearest element is a lookup. Resampling to the same size is the identity,
// so position tables that an exporter interpolates in any case cost nothing.
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include "frontend/binding/Windows.h"
#include <cmath>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Weights [in, out]: the share of each input position in each output position.
using Matrix = std::vector<std::vector<double>>;

static Matrix zeros(int64_t in, int64_t out) {
  return Matrix(in, std::vector<double>(out, 0.0));
}

/// Contracts `dim` of x with the matrix.
static Value applyAlong(Binder &b, Value x, int64_t dim, const Matrix &matrix) {
  Shape shape(tensorType(x).getShape());
  int64_t out = matrix.front().size();
  Tensor weights(tensorType(x).getElementType(), {shape[dim], out});
  size_t n = 0;
  for (const std::vector<double> &row : matrix)
    for (double weight : row)
      weights.elements()[n++] = roundTo(weights.element(), ofFloat(weight));
  std::string from = StringRef("abcdefgh").take_front(shape.size()).str();
  std::string to = from;
  to[dim] = 'z';
  shape[dim] = out;
  return b.contract(from + "," + from[dim] + "z->" + to, x, b.constant(weights),
                    shape);
}

static LogicalResult buildAveragePool(Binder &b) {
  Shape x = b.shape(0);
  auto kernel = b.ints("kernel_shape");
  if (x.size() < 3 || x.size() > 8 || !kernel ||
      kernel->size() != x.size() - 2 || !isa<FloatType>(b.element(0)))
    return b.error() << "needs floats [batch, channels, positions...] and a "
                        "kernel_shape for the positions";
  auto windows = slidingWindows(b, *kernel);
  if (failed(windows))
    return failure();
  bool countsPadding = b.intAttr("count_include_pad", 0);
  Value y = b.value(0);
  for (auto [d, w] : llvm::enumerate(*windows)) {
    if (w.kernel == 1 && w.out == w.in && w.low == 0)
      continue;
    if (failed(b.checkConstant({w.in, w.out})))
      return failure();
    Matrix matrix = zeros(w.in, w.out);
    for (int64_t o = 0; o < w.out; ++o) {
      int64_t count = 0;
      for (int64_t tap = 0; tap < w.kernel; ++tap) {
        int64_t at = o * w.stride - w.low + tap * w.dilation;
        bool isPadding = at < 0 || at >= w.in;
        count += isPadding ? countsPadding && at < w.in + w.high : 1;
      }
      for (int64_t tap = 0; tap < w.kernel; ++tap)
        if (int64_t at = w.read(o, tap); at >= 0)
          matrix[at][o] += 1.0 / count;
    }
    y = applyAlong(b, y, 2 + d, matrix);
  }
  b.set(0, y);
  return success();
}

namespace {
/// The attributes of Resize; the names are the specification's.
struct Sampling {
  std::string mode, coordinates, nearest;
  double cubic;
  bool excludesOutside;

  /// The input coordinate, among `in` positions, of position x of `out`.
  double place(double x, int64_t in, int64_t out, double scale) const {
    if (coordinates == "asymmetric")
      return x / scale;
    if (coordinates == "tf_half_pixel_for_nn")
      return (x + 0.5) / scale;
    if (coordinates == "align_corners")
      return out == 1 ? 0 : x * (in - 1) / (out - 1);
    if (coordinates == "pytorch_half_pixel" && out == 1)
      return 0;
    double adjustment = 1;
    if (coordinates == "half_pixel_symmetric")
      adjustment = out / (scale * in);
    double centre = in / 2.0;
    return centre * (1 - adjustment) + (x + 0.5) / scale - 0.5;
  }

  int64_t round(double x) const {
    if (nearest == "floor")
      return std::floor(x);
    if (nearest == "ceil")
      return std::ceil(x);
    return nearest == "round_prefer_ceil" ? std::floor(x + 0.5)
                                          : std::ceil(x - 0.5);
  }

  /// The interpolation weights of the elements around a coordinate: the offset
  /// of the first one, and a weight for each.
  std::pair<int64_t, std::vector<double>> weights(double fraction) const {
    if (mode == "linear")
      return {0, {1 - fraction, fraction}};
    auto near = [&](double x) {
      return ((cubic + 2) * x - (cubic + 3)) * x * x + 1;
    };
    auto far = [&](double x) {
      return ((cubic * x - 5 * cubic) * x + 8 * cubic) * x - 4 * cubic;
    };
    return {-1,
            {far(1 + fraction), near(fraction), near(1 - fraction),
             far(2 - fraction)}};
  }

  Matrix matrix(int64_t in, int64_t out, double scale) const {
    Matrix result = zeros(in, out);
    for (int64_t o = 0; o < out; ++o) {
      double at = place(o, in, out, scale), base = std::floor(at), total = 0;
      auto taps = weights(at - base);
      for (auto [i, weight] : llvm::enumerate(taps.second)) {
        double position = base + taps.first + i;
        if (excludesOutside && (position < 0 || position >= in))
          weight = 0;
        total += weight;
      }
      for (auto [i, weight] : llvm::enumerate(taps.second)) {
        double position = base + taps.first + i;
        int64_t from = std::clamp<double>(position, 0, in - 1);
        result[from][o] += excludesOutside ? weight / total : weight;
      }
    }
    return result;
  }
};
} // namespace

/// Reads the scale factors of all dims and the resulting sizes. Operand
/// `operand` holds the factors; the next one, if the opset has it, the sizes.
static LogicalResult readSizes(Binder &b, unsigned operand,
                               SmallVector<double> &scales, Shape &sizes) {
  Shape x = b.shape(0);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, x.size()));
  if (auto given = b.ints("axes")) {
    axes = *given;
    for (int64_t &axis : axes) {
      auto dim = normalizeAxis(axis, x.size());
      if (!dim)
        return b.error() << "has no such axis";
      axis = *dim;
    }
  }
  scales.assign(x.size(), 1.0);
  sizes = x;
  auto isGiven = [&](unsigned i) { return b.has(i) && b.shape(i) != Shape{0}; };
  bool bySize = isGiven(operand + 1);
  unsigned which = bySize ? operand + 1 : operand;
  std::optional<Tensor> numbers =
      isGiven(which) ? b.tensor(which) : std::optional<Tensor>();
  if (!numbers || numbers->size() != static_cast<int64_t>(axes.size()))
    return b.error() << "needs a size or a factor for every dim, known at "
                        "compile time";
  for (auto [i, dim] : llvm::enumerate(axes)) {
    Scalar s = numbers->at(static_cast<int64_t>(i));
    // In f32, the factors' type: 3 * 2.33333325 is 7.
    double size =
        bySize
            ? s.i
            : std::floor(static_cast<float>(x[dim]) * static_cast<float>(s.f));
    if (!(size >= 1 && size <= 1 << 30))
      return b.error() << "cannot resize to " << size << " positions from "
                       << x[dim];
    sizes[dim] = size;
    scales[dim] = bySize ? size / x[dim] : s.f;
  }
  return success();
}

static LogicalResult resample(Binder &b, const Sampling &sampling,
                              unsigned operand) {
  SmallVector<double> scales;
  Shape sizes, x = b.shape(0);
  if (x.size() > 8 || !isa<FloatType>(b.element(0)))
    return b.error() << "takes floats of at most eight dims";
  if (failed(readSizes(b, operand, scales, sizes)))
    return failure();
  // Here the specification derives the corner from the factor, PyTorch and ONNX
  // Runtime from the size.
  for (auto [in, out, scale] : llvm::zip(x, sizes, scales))
    if (sampling.coordinates == "align_corners" &&
        std::fabs(in * scale - out) > 1e-5 * out) {
      InFlightDiagnostic diag = b.error()
                                << "aligns corners of " << in << " by a factor "
                                << "of " << std::to_string(scale)
                                << ", between two positions";
      diag.attachNote(b.loc) << "use a size instead of a factor";
      return diag;
    }
  Arithmetic a(b);
  Value y = b.value(0);
  for (auto [d, in] : llvm::enumerate(x)) {
    int64_t out = sizes[d];
    if (out == in && scales[d] == 1.0)
      continue;
    if (failed(b.checkConstant({in, out})))
      return failure();
    if (sampling.mode != "nearest") {
      y = applyAlong(b, y, d, sampling.matrix(in, out, scales[d]));
      continue;
    }
    Tensor ids(b.builder.getI64Type(), {out});
    for (auto [o, to] : llvm::enumerate(ids.elements()))
      to = ofInt(std::clamp<int64_t>(
          sampling.round(sampling.place(o, in, out, scales[d])), 0, in - 1));
    y = a.take(y, b.constant(ids), d);
  }
  b.set(0, y);
  return success();
}

static LogicalResult buildResize(Binder &b) {
  Sampling sampling{b.stringAttr("mode", "nearest"),
                    b.stringAttr("coordinate_transformation_mode",
                                 b.opset < 11 ? "asymmetric" : "half_pixel"),
                    b.stringAttr("nearest_mode",
                                 b.opset < 11 ? "floor" : "round_prefer_floor"),
                    b.floatAttr("cubic_coeff_a", -0.75f),
                    b.intAttr("exclude_outside", 0) != 0};
  return resample(b, sampling, b.opset < 11 ? 1 : 2);
}

/// Upsample is the former name of Resize.
static LogicalResult buildUpsample(Binder &b) {
  return resample(b,
                  {b.stringAttr("mode", "nearest"), "asymmetric", "floor", 0,
                   /*excludesOutside=*/false},
                  1);
}

/// All modes of the specification except tf_crop_and_resize.
static constexpr StringLiteral kCoordinates =
    "half_pixel|half_pixel_symmetric|pytorch_half_pixel|align_corners|"
    "asymmetric|tf_half_pixel_for_nn";

ArrayRef<OpEntry> pcc::frontend::resampleOps() {
  constexpr int64_t any = kAnyOpset;
  static const OpEntry table[] = {
      {"AveragePool", 1, any, 1, nullptr, buildAveragePool,
       attributes(
           autoPadAttr(), intsAttr("kernel_shape").required(), intsAttr("pads"),
           intsAttr("strides"), flagAttr("count_include_pad").since(7),
           flagAttr("ceil_mode").since(10), intsAttr("dilations").since(19))},
      {"Resize", 10, any, between(1, 4), nullptr, buildResize,
       attributes(
           stringAttr("mode").only("nearest|linear|cubic"),
           stringAttr("coordinate_transformation_mode")
               .only(kCoordinates)
               .since(11),
           floatAttr("cubic_coeff_a").since(11),
           flagAttr("exclude_outside").since(11),
           floatAttr("extrapolation_value").since(11),
           stringAttr("nearest_mode")
               .only("round_prefer_floor|round_prefer_ceil|floor|ceil")
               .since(11),
           intAttr("antialias").only("0").since(18), intsAttr("axes").since(18),
           stringAttr("keep_aspect_ratio_policy").only("stretch").since(18))},
      {"Upsample", 9, 9, 2, nullptr, buildUpsample,
       attributes(stringAttr("mode").only("nearest|linear"))},
  };
  return table;
}
