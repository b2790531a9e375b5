//===- Gemm.cpp - Matrix products by OpenBLAS -----------------------------===//

#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/Threads.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Trace.h"

#include <algorithm>
#include <cblas.h>
#include <climits>

using namespace pcc;

namespace {
/// A batch of products, and the number of parts it is cut into.
struct Batch {
  const pcc_gemm_desc *desc;
  const char *a, *b;
  char *c;
  int parts;
};
} // namespace

static void multiply(const pcc_gemm_desc &d, const char *a, const char *b,
                     char *c) {
  CBLAS_TRANSPOSE transA = d.trans_a ? CblasTrans : CblasNoTrans;
  CBLAS_TRANSPOSE transB = d.trans_b ? CblasTrans : CblasNoTrans;
  if (d.dtype == PCC_F32)
    cblas_sgemm(CblasRowMajor, transA, transB, d.m, d.n, d.k, d.alpha,
                reinterpret_cast<const float *>(a), d.lda,
                reinterpret_cast<const float *>(b), d.ldb, d.beta,
                reinterpret_cast<float *>(c), d.ldc);
  else
    cblas_dgemm(CblasRowMajor, transA, transB, d.m, d.n, d.k, d.alpha,
                reinterpret_cast<const double *>(a), d.lda,
                reinterpret_cast<const double *>(b), d.ldb, d.beta,
                reinterpret_cast<double *>(c), d.ldc);
}

/// The products [begin, end) of a batch, counted with batch1 fastest.
static void multiplyRange(const Batch &batch, int64_t begin, int64_t end) {
  const pcc_gemm_desc &d = *batch.desc;
  int64_t size = sizeOf(d.dtype);
  for (int64_t i = begin; i < end; ++i) {
    int64_t i0 = i / d.batch1, i1 = i % d.batch1;
    multiply(d, batch.a + (i0 * d.a0 + i1 * d.a1) * size,
             batch.b + (i0 * d.b0 + i1 * d.b1) * size,
             batch.c + (i0 * d.c0 + i1 * d.c1) * size);
  }
}

static void multiplyPart(void *argument, int part) {
  auto *batch = static_cast<Batch *>(argument);
  int64_t count = batch->desc->batch0 * batch->desc->batch1;
  multiplyRange(*batch, count * part / batch->parts,
                count * (part + 1) / batch->parts);
}

static void checkDesc(const pcc_gemm_desc &d) {
  if (d.dtype != PCC_F32 && d.dtype != PCC_F64)
    fail(ExitInternal,
         format("pcc_gemm has no products of type %s", dtypeName(d.dtype)));
  for (int64_t extent : {d.m, d.n, d.k, d.lda, d.ldb, d.ldc})
    if (extent > INT_MAX)
      fail(ExitInternal, "pcc_gemm: an extent does not fit BLAS's int");
}

void pcc_gemm(pcc_context *ctx, const pcc_gemm_desc *desc, const void *a,
              const void *b, void *c) {
  const pcc_gemm_desc &d = *desc;
  TraceSpan span(Track::Compute, "gemm");
  span.note("m", d.m);
  span.note("n", d.n);
  span.note("k", d.k);
  span.note("batch", d.batch0 * d.batch1);
  checkDesc(d);
  int64_t count = d.batch0 * d.batch1;
  if (count <= 0 || d.m <= 0 || d.n <= 0)
    return;
  Batch batch{desc, static_cast<const char *>(a), static_cast<const char *>(b),
              static_cast<char *>(c), 1};
  // One thread for each of several products beats several threads for one
  // after the other, unless the products are large and do not come out even.
  const double large = 1e7; // multiply-adds; about 1 ms on one core
  bool uneven = count % ctx->threads != 0 && count < 4 * ctx->threads;
  bool each = count == 1 || (uneven && double(d.m) * d.n * d.k > large);
  batch.parts = static_cast<int>(std::min<int64_t>(ctx->threads, count));
  if (each || batch.parts == 1)
    multiplyRange(batch, 0, count);
  else
    runParts(batch.parts, multiplyPart, &batch);
}
