//===- DType.h - Sizes, names and conversion of element types ---*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_DTYPE_H
#define PCC_RUNTIME_SUPPORT_DTYPE_H

#include "runtime/Program.h"

#include <cstdint>

namespace pcc {

/// Bytes of one element of a pcc_dtype.
int64_t sizeOf(int32_t dtype);

/// safetensors' name of a pcc_dtype ("F32"), and back (-1: none).
const char *dtypeName(int32_t dtype);
int32_t dtypeNamed(const char *name);

/// Copies `count` elements, with strides in elements, converting between
/// floating-point types (rounding to nearest, ties to even) and between equal
/// types. False for any other pair.
bool convert(void *to, int32_t toType, int64_t toStride, const void *from,
             int32_t fromType, int64_t fromStride, int64_t count);

/// The same, with `add` added in double precision before the last rounding.
bool convertAdding(double add, void *to, int32_t toType, int64_t toStride,
                   const void *from, int32_t fromType, int64_t fromStride,
                   int64_t count);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_DTYPE_H
