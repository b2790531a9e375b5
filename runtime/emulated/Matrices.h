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

/// What a lane has of the factors a, 16 x 16, and b, 16 x 8, in two 16-bit
/// elements a word, and of the f32 sums, 16 x 8.
struct LaneFactors {
  int32_t a[4], b[2];
  float sums[4];
};

/// The sums of 32 lanes plus a b, as mma.sync.m16n8k16 has lanes hold them.
void multiplyMatrices(const LaneFactors *const *lanes, bool isBfloat,
                      float (*results)[4]);

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_MATRICES_H
