//===- Matrices.h - Matrix fragments of a warp ------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_MATRICES_H
#define PCC_RUNTIME_EMULATED_MATRICES_H

#include <cstdint>

namespace pcc {

/// Loads four matrices of 8 x 8 low-precision elements. rows[8 i + j], from
/// lane 8 i + j, is the address of row j of matrix i. Each lane receives two
/// elements of each matrix: of row lane / 4, columns 2 (lane % 4) and the next,
/// or the same of the transposed matrix.
void loadMatrices(const void *const *rows, bool isTransposed,
                  int32_t (*results)[4]);

/// The fragments of a lane in a matrix product.
struct LaneFactors {
  /// Of the factors, 16 x 16 and 16 x 8, two low-precision elements a word.
  int32_t a[4], b[2];
  /// Of the sums, 16 x 8.
  float sums[4];
};

/// The sums of 32 lanes plus a b, in the fragment layout of mma.sync.m16n8k16.
void multiplyMatrices(const LaneFactors *const *lanes, bool isBfloat,
                      float (*results)[4]);

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_MATRICES_H
