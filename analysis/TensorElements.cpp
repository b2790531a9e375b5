//===- TensorElements.cpp - Conversion of a tensor's elements -------------===//
//
// A tensor holds every element as a double or an int64_t. This file converts
// from bytes of files and converts from and to attributes.
//
//===----------------------------------------------------------------------===//

#include "analysis/Tensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace pcc::analysis;

static double roundThrough(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat f(value);
  bool inexact;
  f.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &inexact);
  f.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
            &inexact);
  return f.convertToDouble();
}

Scalar pcc::analysis::roundTo(Type element, Scalar value) {
  if (element.isF32())
    return ofFloat(static_cast<float>(value.f));
  if (element.isF16() || element.isBF16())
    return ofFloat(
        roundThrough(cast<FloatType>(element).getFloatSemantics(), value.f));
  return value;
}

Tensor Tensor::decode(Type element, ArrayRef<int64_t> shape,
                      const char *bytes) {
  Tensor t(element, shape);
  unsigned width = std::max(8u, element.getIntOrFloatBitWidth());
  auto as = [&](auto zero, size_t i) {
    return llvm::support::endian::read<decltype(zero),
                                       llvm::endianness::little>(
        bytes + i * sizeof(zero));
  };
  for (size_t i = 0; i < t.data->size(); ++i) {
    Scalar &s = (*t.data)[i];
    if (auto f = dyn_cast<FloatType>(element)) {
      if (width == 64) {
        s.f = llvm::bit_cast<double>(as(uint64_t(), i));
      } else if (width == 32) {
        s.f = llvm::bit_cast<float>(as(uint32_t(), i));
      } else {
        llvm::APFloat value(f.getFloatSemantics(),
                            llvm::APInt(16, as(uint16_t(), i)));
        bool inexact;
        value.convert(llvm::APFloat::IEEEdouble(),
                      llvm::APFloat::rmNearestTiesToEven, &inexact);
        s.f = value.convertToDouble();
      }
      continue;
    }
    switch (width) {
    case 64:
      s.i = as(int64_t(), i);
      break;
    case 32:
      s.i = as(int32_t(), i);
      break;
    case 16:
      s.i = as(int16_t(), i);
      break;
    default:
      s.i = as(int8_t(), i);
    }
    if (element.isInteger(1))
      s.i = s.i != 0;
  }
  return t;
}

Tensor Tensor::ofAttr(DenseElementsAttr attr) {
  auto shaped = cast<RankedTensorType>(attr.getType());
  Type element = shaped.getElementType();
  // Masks of long sequences are converted here, so there is no attribute per
  // element.
  bool isSplat = attr.isSplat();
  Tensor t(element, isSplat ? ArrayRef<int64_t>() : shaped.getShape());
  auto fill = [&](auto values, auto convert) {
    auto from = values.begin();
    for (Scalar &to : *t.data)
      to = convert(*from++);
  };
  auto ofAPFloat = [](APFloat f) {
    bool inexact;
    f.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
              &inexact);
    return ofFloat(f.convertToDouble());
  };
  if (element.isF32())
    fill(attr.getValues<float>(), ofFloat);
  else if (isa<FloatType>(element))
    fill(attr.getValues<APFloat>(), ofAPFloat);
  else if (element.isInteger(1))
    fill(attr.getValues<bool>(), ofInt);
  else
    fill(attr.getValues<APInt>(),
         [](const APInt &i) { return ofInt(i.getSExtValue()); });
  return isSplat ? t.expand(shaped.getShape()) : t;
}

DenseElementsAttr Tensor::attr() const {
  auto shaped = RankedTensorType::get(extents, type);
  Tensor stored = isUniform() ? core().slice(Shape(rank(), 0), Shape(rank(), 1),
                                             Shape(rank(), 1))
                              : *this;
  if (auto f = dyn_cast<FloatType>(type)) {
    SmallVector<APFloat> values;
    for (int64_t i = 0, e = stored.size(); i < e; ++i) {
      llvm::APFloat value(stored.at(i).f);
      bool inexact;
      value.convert(f.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                    &inexact);
      values.push_back(value);
    }
    return DenseElementsAttr::get(shaped, values);
  }
  SmallVector<APInt> values;
  for (int64_t i = 0, e = stored.size(); i < e; ++i)
    values.push_back(APInt(type.getIntOrFloatBitWidth(),
                           static_cast<uint64_t>(stored.at(i).i),
                           /*isSigned=*/true, /*implicitTrunc=*/true));
  return DenseElementsAttr::get(shaped, values);
}
