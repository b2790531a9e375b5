//===- Matrices.h - What a warp's lanes have of matrices --------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_MATRICES_H
#define PCC_RUNTIME_EMULATED_MATRICES_H

#include <cstdint>

namespace pcc {

/// Of four matrices of 8 x 8 16-bit elements lane 8 i + j says where row j of
/// matrix i begins, in rows[lane], and gets two elements of each: of row lane /
/// 4 those at 2 (lane % 4), or of the transposed matrix.
void loadMatrices(const void *const *rows, bool isTransposed,
                  int32_t (*results)[4]);

/// What a lane has of a product.
struct LaneFactors {
  /// Of the factors, 16 x 16 and 16 x 8, two 16-bit elements a word.
  int32_t a[4], b[2];
  /// Of the sums, 16 x 8.
  float sums[4];
};

/// The sums of 32 lanes plus a b, as mma.sync.m16n8k16 has lanes hold them.
void multiplyMatrices(const LaneFactors *const *lanes, bool isBfloat,
                      float (*results)[4]);

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_MATRICES_H
