//===- DType.cpp - Sizes, names and conversion of element types -----------===//

#include "runtime/support/DType.h"

#include <cmath>
#include <cstring>
#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace pcc;

/// Returns whether each row of the table is at the index of its type.
static constexpr bool isInOrder() {
  int32_t row = 0;
  for (const ElementInfo &info : elementInfos)
    if (static_cast<int32_t>(info.type) != row++)
      return false;
  return true;
}
static_assert(isInOrder());

static double fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double value;
  if (exponent == 31)
    value = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(fraction, -24);
  else
    value = std::ldexp(fraction + 1024, exponent - 25);
  return bits >> 15 ? -value : value;
}

static uint16_t toHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double size = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (size == 0) // has no exponent
    return sign;
  if (size >= 65520) // rounds beyond the greatest half, 65504
    return sign | 0x7c00;
  int exponent;
  std::frexp(size, &exponent);
  // The exponent of the spacing of halves near `size`; subnormals share the
  // least.
  int spacing = exponent - 11 < -24 ? -24 : exponent - 11;
  double units = std::nearbyint(std::ldexp(size, -spacing));
  // The bits of consecutive halves are consecutive integers, so a carry into
  // the exponent is right.
  return sign | static_cast<uint16_t>(units + ((spacing + 24) << 10));
}

static float fromBrain(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &wide, 4);
  return value;
}

static uint16_t toBrain(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if (value != value)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  bits += 0x7fff + (bits >> 16 & 1);
  return static_cast<uint16_t>(bits >> 16);
}

static double load(const char *at, int32_t dtype) {
  uint16_t bits;
  float single;
  double value;
  switch (dtype) {
  case PCC_F32:
    memcpy(&single, at, 4);
    return single;
  case PCC_F64:
    memcpy(&value, at, 8);
    return value;
  case PCC_BF16:
    memcpy(&bits, at, 2);
    return fromBrain(bits);
  default:
    memcpy(&bits, at, 2);
    return fromHalf(bits);
  }
}

static void store(char *at, int32_t dtype, double value) {
  uint16_t bits;
  float single = static_cast<float>(value);
  switch (dtype) {
  case PCC_F32:
    memcpy(at, &single, 4);
    return;
  case PCC_F64:
    memcpy(at, &value, 8);
    return;
  case PCC_BF16:
    bits = toBrain(single);
    break;
  default:
    bits = toHalf(value);
    break;
  }
  memcpy(at, &bits, 2);
}

template <typename T>
static void copyStrided(char *to, int64_t toStride, const char *from,
                        int64_t fromStride, int64_t count) {
  // Elements of a file may be unaligned, so they are copied with memcpy.
  for (int64_t i = 0; i < count; ++i)
    memcpy(to + i * toStride * sizeof(T), from + i * fromStride * sizeof(T),
           sizeof(T));
}

bool pcc::convert(void *to, int32_t toType, int64_t toStride, const void *from,
                  int32_t fromType, int64_t fromStride, int64_t count) {
  auto *target = static_cast<char *>(to);
  auto *source = static_cast<const char *>(from);
  int64_t toSize = sizeOf(toType), fromSize = sizeOf(fromType);
  if (toType == fromType) {
    if (toStride == 1 && fromStride == 1)
      memcpy(target, source, count * toSize);
    else if (toSize == 1)
      copyStrided<uint8_t>(target, toStride, source, fromStride, count);
    else if (toSize == 2)
      copyStrided<uint16_t>(target, toStride, source, fromStride, count);
    else if (toSize == 4)
      copyStrided<uint32_t>(target, toStride, source, fromStride, count);
    else
      copyStrided<uint64_t>(target, toStride, source, fromStride, count);
    return true;
  }
  if (!isFloat(toType) || !isFloat(fromType))
    return false;
  for (int64_t i = 0; i < count; ++i)
    store(target + i * toStride * toSize, toType,
          load(source + i * fromStride * fromSize, fromType));
  return true;
}

#ifdef __x86_64__
/// The target attribute for F16C, the conversion instructions for halves, which
/// nearly all x86-64 processors have.
#define PCC_HALVES __attribute__((target("avx,f16c")))

/// Both convert whole vectors and return the number of converted elements.
PCC_HALVES static int64_t widenHalves(float *to, const uint16_t *from,
                                      int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                 reinterpret_cast<const __m128i *>(from + i))));
  return i;
}

PCC_HALVES static int64_t narrowHalves(uint16_t *to, const float *from,
                                       int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(
        reinterpret_cast<__m128i *>(to + i),
        _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}

static bool hasHalves() {
  static const bool has =
      __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
  return has;
}
#else
static int64_t widenHalves(float *, const uint16_t *, int64_t) { return 0; }
static int64_t narrowHalves(uint16_t *, const float *, int64_t) { return 0; }
static bool hasHalves() { return false; }
#endif

void pcc::widen(float *to, const void *from, int32_t dtype, int64_t count) {
  auto *bits = static_cast<const uint16_t *>(from);
  if (dtype == PCC_BF16) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = fromBrain(bits[i]);
    return;
  }
  int64_t done = hasHalves() ? widenHalves(to, bits, count) : 0;
  for (int64_t i = done; i < count; ++i)
    to[i] = static_cast<float>(fromHalf(bits[i]));
}

void pcc::narrow(void *to, int32_t dtype, const float *from, int64_t count) {
  auto *bits = static_cast<uint16_t *>(to);
  if (dtype == PCC_BF16) {
    for (int64_t i = 0; i < count; ++i)
      bits[i] = toBrain(from[i]);
    return;
  }
  int64_t done = hasHalves() ? narrowHalves(bits, from, count) : 0;
  for (int64_t i = done; i < count; ++i)
    bits[i] = toHalf(from[i]);
}

bool pcc::convertAdding(double add, void *to, int32_t toType, int64_t toStride,
                        const void *from, int32_t fromType, int64_t fromStride,
                        int64_t count) {
  if (add == 0)
    return convert(to, toType, toStride, from, fromType, fromStride, count);
  auto *target = static_cast<char *>(to);
  auto *source = static_cast<const char *>(from);
  int64_t targetStep = toStride * sizeOf(toType),
          sourceStep = fromStride * sizeOf(fromType);
  for (int64_t i = 0; i < count; ++i) {
    double value;
    if (!convert(&value, PCC_F64, 1, source + i * sourceStep, fromType, 1, 1))
      return false;
    value += add;
    if (!convert(target + i * targetStep, toType, 1, &value, PCC_F64, 1, 1))
      return false;
  }
  return true;
}
