//===- FusedGemm.cpp - GEMMs with epilogues -------------------------------===//
//
// A GPU's library computes a result in registers, in f32, and rounds it when it
// is stored. Here the GEMM writes f32 temporaries, to which the epilogue is
// applied row by row.
//
//===----------------------------------------------------------------------===//

#include "runtime/emulated/FusedGemm.h"

#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

using namespace pcc;

/// sqrt(2 / pi), and the factor of the cube in GELU's tanh form.
static const double kRoot = 0.7978845608028654, kCube = 0.044715;

static double gelu(double x) {
  return x / 2 * (1 + std::tanh(kRoot * (x + kCube * x * x * x)));
}

static double geluSlope(double x) {
  double t = std::tanh(kRoot * (x + kCube * x * x * x));
  return (1 + t) / 2 + x / 2 * (1 - t * t) * kRoot * (1 + 3 * kCube * x * x);
}

/// Copies the added matrix to the result, to which the GEMM then adds.
static void copyAdded(const pcc_gemm_desc &d, const Matrices &matrices,
                      const char *added) {
  int64_t bytes = sizeOf(d.c_dtype);
  for (int64_t i = 0; i < d.batch0 * d.batch1; ++i) {
    char *to = matricesAt(d, matrices, i).c;
    for (int64_t row = 0; row < d.m; ++row) {
      int64_t at = row * d.ldc * bytes;
      memcpy(to + at, added + (to - matrices.c) + at, d.n * bytes);
    }
  }
}

/// Sums a matrix's rows or columns in f64; the results are f32.
static void sumUp(const char *matrix, int32_t dtype, int64_t rows,
                  int64_t columns, int64_t leading, bool ofRows, char *to) {
  std::vector<double> sums(ofRows ? rows : columns);
  std::vector<float> row(columns);
  for (int64_t i = 0; i < rows; ++i) {
    convert(row.data(), PCC_F32, 1, matrix + i * leading * sizeOf(dtype), dtype,
            1, columns);
    for (int64_t j = 0; j < columns; ++j)
      sums[ofRows ? i : j] += row[j];
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    auto sum = static_cast<float>(sums[i]);
    memcpy(to + i * sizeof(sum), &sum, sizeof(sum));
  }
}

static void require(bool is, const pcc_fused_desc &desc, const char *what) {
  if (!is)
    fail(ExitInternal,
         format("a GEMM with epilogue %d has %s", desc.epilogue, what));
}

static void checkOperands(const pcc_fused_desc &desc,
                          const EpilogueOperands &besides) {
  const pcc_gemm_desc &d = desc.product;
  int32_t epilogue = desc.epilogue;
  require(epilogue >= PCC_NO_EPILOGUE && epilogue <= PCC_SUM_B, desc,
          "no meaning");
  if (epilogue == PCC_NO_EPILOGUE)
    return;
  bool isSum = epilogue == PCC_SUM_A || epilogue == PCC_SUM_B;
  require(d.batch0 * d.batch1 == 1, desc, "several matrices");
  require(d.c_dtype != PCC_F64, desc, "f64");
  require(besides.vector || (!isSum && epilogue != PCC_BIAS), desc,
          "no vector");
  require(besides.matrix || epilogue != PCC_GELU_GRAD, desc, "no matrix");
  require(!isSum || d.c_dtype == PCC_F32, desc, "rounded sums");
}

/// Replaces a row by the stored values; `kept` gets the argument of gelu.
static void finishRow(int32_t epilogue, const float *bias, const float *before,
                      std::vector<float> &row, std::vector<float> &kept) {
  for (size_t j = 0; j < row.size(); ++j) {
    double x = double(row[j]) + (bias ? bias[j] : 0);
    if (epilogue == PCC_GELU_GRAD)
      x *= geluSlope(before[j]);
    kept[j] = static_cast<float>(x);
    row[j] = static_cast<float>(epilogue == PCC_GELU ? gelu(x) : x);
  }
}

void pcc::multiplyFused(const pcc_fused_desc &desc, const Matrices &matrices,
                        const EpilogueOperands &besides, int threads) {
  checkOperands(desc, besides);
  pcc_gemm_desc d = desc.product;
  int32_t epilogue = desc.epilogue;
  if (epilogue == PCC_SUM_A)
    // The rows of op(A) are columns of the stored matrix if A is transposed.
    sumUp(matrices.a, d.a_dtype, d.trans_a ? d.k : d.m, d.trans_a ? d.m : d.k,
          d.lda, !d.trans_a, besides.vector);
  if (epilogue == PCC_SUM_B)
    sumUp(matrices.b, d.b_dtype, d.trans_b ? d.n : d.k, d.trans_b ? d.k : d.n,
          d.ldb, d.trans_b, besides.vector);
  if (epilogue == PCC_NO_EPILOGUE || epilogue == PCC_SUM_A ||
      epilogue == PCC_SUM_B) {
    if (besides.added)
      copyAdded(d, matrices, besides.added);
    return multiply(d, matrices, threads);
  }

  std::vector<float> product(d.m * d.n), bias, row(d.n), kept(d.n), before(d.n);
  int32_t type = d.c_dtype;
  int64_t bytes = sizeOf(type), leading = d.ldc;
  const char *added = besides.added ? besides.added : matrices.c;
  for (int64_t i = 0; i < d.m && d.beta != 0; ++i)
    convert(&product[i * d.n], PCC_F32, 1, added + i * leading * bytes, type, 1,
            d.n);
  d.c_dtype = PCC_F32;
  d.ldc = d.n;
  multiply(d,
           {matrices.a, matrices.b, reinterpret_cast<char *>(product.data())},
           threads);
  if (besides.vector) {
    bias.resize(d.n);
    convert(bias.data(), PCC_F32, 1, besides.vector, type, 1, d.n);
  }
  for (int64_t i = 0; i < d.m; ++i) {
    int64_t at = i * leading * bytes;
    std::copy_n(&product[i * d.n], d.n, row.begin());
    if (epilogue == PCC_GELU_GRAD)
      convert(before.data(), PCC_F32, 1, besides.matrix + at, type, 1, d.n);
    finishRow(epilogue, bias.empty() ? nullptr : bias.data(), before.data(),
              row, kept);
    convert(matrices.c + at, type, 1, row.data(), PCC_F32, 1, d.n);
    if (epilogue == PCC_GELU && besides.matrix)
      convert(besides.matrix + at, type, 1, kept.data(), PCC_F32, 1, d.n);
  }
}
