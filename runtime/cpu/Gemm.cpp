//===- Gemm.cpp - GEMMs on CPUs -------------------------------------------===//

#include "runtime/cpu/Gemm.h"

#include "runtime/Backend.h"
#include "runtime/cpu/Context.h"
#include "runtime/host/Threads.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cblas.h>
#include <climits>

using namespace pcc;

namespace {
/// A batch of GEMMs, and the number of parts into which it is divided.
struct Batch {
  const pcc_gemm_desc *desc;
  Matrices first;
  int parts;
};
} // namespace

static void multiplyOne(const pcc_gemm_desc &d, const Matrices &at) {
  CBLAS_TRANSPOSE transA = d.trans_a ? CblasTrans : CblasNoTrans;
  CBLAS_TRANSPOSE transB = d.trans_b ? CblasTrans : CblasNoTrans;
  if (d.a_dtype == PCC_F32)
    cblas_sgemm(CblasRowMajor, transA, transB, d.m, d.n, d.k, d.alpha,
                reinterpret_cast<const float *>(at.a), d.lda,
                reinterpret_cast<const float *>(at.b), d.ldb, d.beta,
                reinterpret_cast<float *>(at.c), d.ldc);
  else
    cblas_dgemm(CblasRowMajor, transA, transB, d.m, d.n, d.k, d.alpha,
                reinterpret_cast<const double *>(at.a), d.lda,
                reinterpret_cast<const double *>(at.b), d.ldb, d.beta,
                reinterpret_cast<double *>(at.c), d.ldc);
}

Matrices pcc::matricesAt(const pcc_gemm_desc &d, const Matrices &first,
                         int64_t index) {
  int64_t i0 = index / d.batch1, i1 = index % d.batch1;
  return {first.a + (i0 * d.a0 + i1 * d.a1) * sizeOf(d.a_dtype),
          first.b + (i0 * d.b0 + i1 * d.b1) * sizeOf(d.b_dtype),
          first.c + (i0 * d.c0 + i1 * d.c1) * sizeOf(d.c_dtype)};
}

static void multiplyRange(const Batch &batch, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    multiplyOne(*batch.desc, matricesAt(*batch.desc, batch.first, i));
}

static void multiplyPart(void *argument, int part) {
  auto *batch = static_cast<Batch *>(argument);
  int64_t count = batch->desc->batch0 * batch->desc->batch1;
  multiplyRange(*batch, count * part / batch->parts,
                count * (part + 1) / batch->parts);
}

/// GEMMs of the types that BLAS supports.
static void multiplyBLAS(const pcc_gemm_desc &d, const Matrices &matrices,
                         int threads) {
  int64_t count = d.batch0 * d.batch1;
  Batch batch{&d, matrices, 1};
  // With several GEMMs, one thread for each is faster than several threads for
  // one after another, unless they are large and do not divide evenly.
  const double large = 1e7; // multiply-adds; about 1 ms on one core
  bool uneven = count % threads != 0 && count < 4 * threads;
  bool each = count == 1 || (uneven && double(d.m) * d.n * d.k > large);
  batch.parts = static_cast<int>(std::min<int64_t>(threads, count));
  if (each || batch.parts == 1)
    multiplyRange(batch, 0, count);
  else
    runParts(batch.parts, multiplyPart, &batch);
}

static bool isHalf(int32_t dtype) {
  return dtype == PCC_BF16 || dtype == PCC_F16;
}

static void checkDesc(const pcc_gemm_desc &d) {
  for (int32_t dtype : {d.a_dtype, d.b_dtype, d.c_dtype})
    if (dtype < 0 || dtype >= PCC_DTYPES || !isFloat(dtype))
      fail(ExitInternal, format("pcc_gemm does not support type %d", dtype));
  if (d.a_dtype != d.b_dtype ||
      (d.c_dtype != d.a_dtype && !(isHalf(d.a_dtype) && d.c_dtype == PCC_F32)))
    fail(ExitInternal,
         format("pcc_gemm does not support types %s and %s with results of "
                "type %s",
                dtypeName(d.a_dtype), dtypeName(d.b_dtype),
                dtypeName(d.c_dtype)));
  for (int64_t extent : {d.m, d.n, d.k, d.lda, d.ldb, d.ldc})
    if (extent > INT_MAX)
      fail(ExitInternal, "pcc_gemm: an extent does not fit BLAS's int");
}

std::string backend::gemmText(int32_t dtype) {
  if (!isHalf(dtype))
    return "OpenBLAS";
  const char *instructions = dtype == PCC_BF16 ? bf16Instructions() : nullptr;
  return instructions ? format("oneDNN (%s)", instructions) : "widened to f32";
}

void pcc::multiply(const pcc_gemm_desc &d, const Matrices &matrices,
                   int threads) {
  checkDesc(d);
  if (d.batch0 * d.batch1 <= 0 || d.m <= 0 || d.n <= 0)
    return;
  if (!isHalf(d.a_dtype))
    multiplyBLAS(d, matrices, threads);
  else if (d.a_dtype == PCC_BF16 && d.k > 0 && bf16Instructions())
    multiplyOneDNN(d, matrices, threads);
  else
    multiplyWidened(d, matrices, threads);
}
