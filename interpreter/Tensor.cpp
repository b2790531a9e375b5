//===- Tensor.cpp - A value of the interpreter ----------------------------===//

#include "interpreter/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <cmath>

using namespace mlir;
using namespace pcc::interp;

Tensor::Tensor(RankedTensorType type) : type(type) {
  if (isFloat())
    real.resize(size());
  else
    integer.resize(size());
}

bool Tensor::isFloat() const { return isa<FloatType>(type.getElementType()); }

/// Truncates a value and clamps it to the range of an i64; NaN becomes 0.
static int64_t toInteger(double value) {
  constexpr double kBound = 9223372036854775808.0; // 2^63
  if (std::isnan(value))
    return 0;
  if (value >= kBound)
    return INT64_MAX;
  return value < -kBound ? INT64_MIN : static_cast<int64_t>(value);
}

void Tensor::set(int64_t i, double value) {
  if (isFloat())
    real[i] = value;
  else
    integer[i] = toInteger(value);
}

static double roundTo(double value, Type type) {
  if (type.isF64() || !std::isfinite(value) || value == 0)
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  // The spacing of floats around the value; subnormals have a common spacing.
  int precision = llvm::APFloat::semanticsPrecision(semantics);
  int least = llvm::APFloat::semanticsMinExponent(semantics);
  int exponent = std::max(std::ilogb(value), least);
  double quantum = std::ldexp(1.0, exponent - precision + 1);
  double rounded = std::nearbyint(value / quantum) * quantum;
  int greatest = llvm::APFloat::semanticsMaxExponent(semantics);
  if (std::ilogb(rounded) > greatest)
    return std::copysign(INFINITY, value);
  return rounded;
}

static int64_t wrapTo(int64_t value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return value & 1;
  unsigned unused = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

void pcc::interp::roundElements(Tensor &tensor, bool exact) {
  Type type = tensor.type.getElementType();
  if (tensor.isFloat() && !exact)
    for (double &value : tensor.real)
      value = roundTo(value, type);
  for (int64_t &value : tensor.integer)
    value = wrapTo(value, type);
}

TensorRef pcc::interp::fromAttr(ElementsAttr attr) {
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return nullptr;
  Tensor tensor(cast<RankedTensorType>(dense.getType()));
  int64_t i = 0;
  if (tensor.isFloat()) {
    auto asDouble = [](llvm::APFloat value) {
      bool loses;
      value.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &loses);
      return value.convertToDouble();
    };
    for (const llvm::APFloat &value : dense.getValues<llvm::APFloat>())
      tensor.real[i++] = asDouble(value);
  } else {
    bool isBool = tensor.type.getElementType().isInteger(1);
    for (const llvm::APInt &value : dense.getValues<llvm::APInt>())
      tensor.integer[i++] =
          isBool ? value.getZExtValue() : value.getSExtValue();
  }
  return std::make_shared<Tensor>(std::move(tensor));
}

SmallVector<int64_t> pcc::interp::rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    strides[d] = stride;
  return strides;
}

void pcc::interp::readStrided(const Tensor &from, int64_t base,
                              ArrayRef<int64_t> strides, Tensor &to) {
  if (to.isFloat())
    forEachStrided(to.shape(), base, strides, [&](int64_t i, int64_t offset) {
      to.real[i] = from.real[offset];
    });
  else
    forEachStrided(to.shape(), base, strides, [&](int64_t i, int64_t offset) {
      to.integer[i] = from.integer[offset];
    });
}

void pcc::interp::writeStrided(const Tensor &from, int64_t base,
                               ArrayRef<int64_t> strides, Tensor &to) {
  if (to.isFloat())
    forEachStrided(from.shape(), base, strides, [&](int64_t i, int64_t offset) {
      to.real[offset] = from.real[i];
    });
  else
    forEachStrided(from.shape(), base, strides, [&](int64_t i, int64_t offset) {
      to.integer[offset] = from.integer[i];
    });
}
