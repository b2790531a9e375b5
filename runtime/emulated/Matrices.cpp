//===- Matrices.cpp - Matrix fragments of a warp --------------------------===//
//
// NVIDIA, Parallel Thread Execution ISA, 9.7.15: ldmatrix and mma.m16n8k16. The
// order in which the hardware adds is unspecified; here it is the order of k.
//
//===----------------------------------------------------------------------===//

#include "runtime/emulated/Matrices.h"
#include <cmath>
#include <cstring>
#include <utility>

using namespace pcc;

static constexpr int kLanes = 32;

void pcc::loadMatrices(const void *const *rows, bool isTransposed,
                       int32_t (*results)[4]) {
  for (int lane = 0; lane < kLanes; ++lane)
    for (int matrix = 0; matrix < 4; ++matrix) {
      uint16_t two[2];
      for (int i = 0; i < 2; ++i) {
        int row = lane / 4, column = lane % 4 * 2 + i;
        if (isTransposed)
          std::swap(row, column);
        const auto *begin = static_cast<const char *>(rows[matrix * 8 + row]);
        memcpy(&two[i], begin + column * 2, 2);
      }
      memcpy(&results[lane][matrix], two, 4);
    }
}

static float widen(uint16_t bits, bool isBfloat) {
  uint32_t wide;
  if (isBfloat) {
    wide = static_cast<uint32_t>(bits) << 16;
  } else {
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    if (!exponent)
      return std::copysign(static_cast<float>(mantissa) * 0x1p-24F,
                           sign ? -1.0F : 1.0F);
    exponent = exponent == 31 ? 255 : exponent + 112;
    wide = sign | exponent << 23 | mantissa << 13;
  }
  float x;
  memcpy(&x, &wide, 4);
  return x;
}

void pcc::multiplyMatrices(const LaneFactors *const *lanes, bool isBfloat,
                           float (*results)[4]) {
  float a[16][16], b[16][8], sums[16][8];
  auto part = [&](int32_t word, int half) {
    return widen(
        static_cast<uint16_t>(static_cast<uint32_t>(word) >> 16 * half),
        isBfloat);
  };
  for (int lane = 0; lane < kLanes; ++lane) {
    const LaneFactors &own = *lanes[lane];
    int group = lane / 4, pair = lane % 4 * 2;
    for (int i = 0; i < 4; ++i) {
      for (int half = 0; half < 2; ++half)
        a[group + i % 2 * 8][pair + i / 2 * 8 + half] = part(own.a[i], half);
      sums[group + i / 2 * 8][pair + i % 2] = own.sums[i];
    }
    for (int i = 0; i < 2; ++i)
      for (int half = 0; half < 2; ++half)
        b[pair + i * 8 + half][group] = part(own.b[i], half);
  }
  for (auto &row : sums) {
    const float *factors = a[&row - sums];
    for (int k = 0; k < 16; ++k)
      for (int j = 0; j < 8; ++j)
        row[j] += factors[k] * b[k][j];
  }
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 4; ++i)
      results[lane][i] = sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
}
