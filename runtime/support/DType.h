//===- DType.h - Sizes, names and conversion of element types ---*- C++ -*-===//
//
// The only table of element types: the compiler and the runtime look up their
// names in file formats here.
//

#ifndef PCC_RUNTIME_SUPPORT_DTYPE_H
#define PCC_RUNTIME_SUPPORT_DTYPE_H

#include "runtime/Program.h"

#include <cstdint>
#include <string_view>

namespace pcc {

/// The element types of files, little endian. The first ones are those of
/// pcc_dtype, with the same numbers; programs do not compute with the others.
enum class Element : int32_t {
  F32 = PCC_F32,
  F64 = PCC_F64,
  BF16 = PCC_BF16,
  F16 = PCC_F16,
  I64 = PCC_I64,
  I32 = PCC_I32,
  I16 = PCC_I16,
  I8 = PCC_I8,
  Bool = PCC_BOOL,
  U64 = PCC_DTYPES,
  U32,
  U16,
  U8,
  F8E4M3,
  F8E5M2,
};

/// Size of an element type and its names in file formats; an empty name means
/// that the format lacks the type.
struct ElementInfo {
  /// The type; its number is the row's index.
  Element type;
  /// The bytes of one element.
  int64_t bytes;
  /// Whether it is a floating-point type; else an integer or a bool.
  bool isFloat;
  const char *safetensors; ///< in the header of a safetensors file: "I32"
  const char *numpy;       ///< "int32"
  const char *descr;       ///< in the header of a .npy file: "<i4"
  int32_t onnx;            ///< TensorProto.DataType
};

/// The table, with a row for each type, indexed by its number.
inline constexpr ElementInfo elementInfos[] = {
    {Element::F32, 4, true, "F32", "float32", "<f4", 1},
    {Element::F64, 8, true, "F64", "float64", "<f8", 11},
    {Element::BF16, 2, true, "BF16", "", "", 16},
    {Element::F16, 2, true, "F16", "float16", "<f2", 10},
    {Element::I64, 8, false, "I64", "int64", "<i8", 7},
    {Element::I32, 4, false, "I32", "int32", "<i4", 6},
    {Element::I16, 2, false, "I16", "int16", "<i2", 5},
    {Element::I8, 1, false, "I8", "int8", "|i1", 3},
    {Element::Bool, 1, false, "BOOL", "bool", "|b1", 9},
    {Element::U64, 8, false, "U64", "uint64", "<u8", 13},
    {Element::U32, 4, false, "U32", "uint32", "<u4", 12},
    {Element::U16, 2, false, "U16", "uint16", "<u2", 4},
    {Element::U8, 1, false, "U8", "uint8", "|u1", 2},
    {Element::F8E4M3, 1, true, "F8_E4M3", "", "", 17},
    {Element::F8E5M2, 1, true, "F8_E5M2", "", "", 19},
};

/// Returns the row of a type.
constexpr const ElementInfo &infoOf(Element type) {
  return elementInfos[static_cast<int32_t>(type)];
}
/// Returns the row of a pcc_dtype.
constexpr const ElementInfo &infoOf(int32_t dtype) {
  return elementInfos[dtype];
}

/// Returns the row whose `field` is `name`; null if there is none.
constexpr const ElementInfo *findElement(const char *ElementInfo::*field,
                                         std::string_view name) {
  for (const ElementInfo &info : elementInfos)
    if (!name.empty() && info.*field == name)
      return &info;
  return nullptr;
}

/// Returns whether the type's number is a pcc_dtype.
constexpr bool isDType(Element type) {
  return static_cast<int32_t>(type) < PCC_DTYPES;
}

/// Returns the bytes of one element of a pcc_dtype.
inline int64_t sizeOf(int32_t dtype) { return infoOf(dtype).bytes; }
/// Returns whether a pcc_dtype is a floating-point type.
inline bool isFloat(int32_t dtype) { return infoOf(dtype).isFloat; }

/// Returns the safetensors name of a pcc_dtype, such as "F32".
inline const char *dtypeName(int32_t dtype) {
  return infoOf(dtype).safetensors;
}
/// Returns the pcc_dtype with this safetensors name; -1 if there is none.
inline int32_t dtypeNamed(std::string_view name) {
  const ElementInfo *info = findElement(&ElementInfo::safetensors, name);
  return info && isDType(info->type) ? static_cast<int32_t>(info->type) : -1;
}

/// Returns the pcc_dtype with this number in ONNX; -1 if there is none.
constexpr int32_t dtypeOfONNX(int32_t dataType) {
  for (int32_t dtype = 0; dtype < PCC_DTYPES; ++dtype)
    if (infoOf(dtype).onnx == dataType)
      return dtype;
  return -1;
}

/// Copies `count` elements, with strides in elements, converting between
/// floating-point types (rounding to nearest, ties to even; f64 to bf16 by way
/// of f32) and between equal types. Returns false for any other pair.
bool convert(void *to, int32_t toType, int64_t toStride, const void *from,
             int32_t fromType, int64_t fromStride, int64_t count);

/// Converts `count` elements of bf16 or f16 at `from`, which needs an alignment
/// of two bytes, to f32.
void widen(float *to, const void *from, int32_t dtype, int64_t count);

/// Converts `count` f32 to bf16 or f16, rounding to nearest, ties to even. A
/// NaN stays a NaN.
void narrow(void *to, int32_t dtype, const float *from, int64_t count);

/// Like convert(), with `add` added in double precision before the last
/// rounding.
bool convertAdding(double add, void *to, int32_t toType, int64_t toStride,
                   const void *from, int32_t fromType, int64_t fromStride,
                   int64_t count);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_DTYPE_H
