//===- NcclElements.cpp - Elements in the double of NCCL ------------------===//

#include "test/Cuda/Double/Nccl.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace fake;

size_t fake::sizeOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclFloat32:
    return 4;
  case ncclInt64:
  case ncclFloat64:
    return 8;
  default:
    die("a type that is not known");
  }
}

static float widen(uint16_t bits, ncclDataType_t type) {
  if (type == ncclBfloat16) {
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    memcpy(&value, &wide, sizeof(value));
    return value;
  }
  _Float16 half;
  memcpy(&half, &bits, sizeof(half));
  return static_cast<float>(half);
}

static uint16_t narrow(float value, ncclDataType_t type) {
  uint16_t bits;
  if (type == ncclBfloat16) {
    uint32_t wide;
    memcpy(&wide, &value, sizeof(wide));
    if (std::isnan(value))
      return static_cast<uint16_t>(wide >> 16 | 0x40);
    return static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }
  auto half = static_cast<_Float16>(value);
  memcpy(&bits, &half, sizeof(bits));
  return bits;
}

template <typename T>
static T combined(T a, T b, ncclRedOp_t reduction) {
  return reduction == ncclMax ? std::max(a, b) : a + b;
}

template <typename T>
static void combineAs(const std::vector<const char *> &blocks, char *out,
                      size_t count, ncclRedOp_t reduction) {
  for (size_t i = 0; i < count; ++i) {
    T sum = reinterpret_cast<const T *>(blocks[0])[i];
    for (size_t rank = 1; rank < blocks.size(); ++rank)
      sum = combined(sum, reinterpret_cast<const T *>(blocks[rank])[i],
                     reduction);
    reinterpret_cast<T *>(out)[i] = sum;
  }
}

void fake::combine(const std::vector<const char *> &blocks, char *out,
                   size_t bytes, ncclDataType_t type, ncclRedOp_t reduction) {
  size_t count = bytes / sizeOf(type);
  switch (type) {
  case ncclFloat32:
    return combineAs<float>(blocks, out, count, reduction);
  case ncclFloat64:
    return combineAs<double>(blocks, out, count, reduction);
  case ncclInt64:
    return combineAs<int64_t>(blocks, out, count, reduction);
  case ncclInt32:
    return combineAs<int32_t>(blocks, out, count, reduction);
  default:
    break;
  }
  for (size_t i = 0; i < count; ++i) {
    auto at = [&](size_t rank) {
      return widen(reinterpret_cast<const uint16_t *>(blocks[rank])[i], type);
    };
    float sum = at(0);
    for (size_t rank = 1; rank < blocks.size(); ++rank)
      sum = combined(sum, at(rank), reduction);
    reinterpret_cast<uint16_t *>(out)[i] = narrow(sum, type);
  }
}
