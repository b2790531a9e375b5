//===- GroupedGemm.cpp - Grouped GEMMs on CPUs ----------------------------===//

#include "runtime/cpu/Gemm.h"
#include "runtime/host/Threads.h"
#include "runtime/support/DType.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace pcc;

namespace {
/// The groups of a grouped GEMM, which threads take one by one.
struct Groups {
  const pcc_grouped_gemm_desc *desc;
  Matrices all;
  const int32_t *ends;
  std::atomic<int64_t> next{0};
};
} // namespace

/// Computes one group with `threads` threads.
static void multiplyGroup(const pcc_grouped_gemm_desc &d, const Matrices &all,
                          const int32_t *ends, int64_t group, int threads) {
  int64_t first = group ? ends[group - 1] : 0, count = ends[group] - first;
  bool isSum = d.form == PCC_GROUPED_TN;
  int64_t matrix = group * d.n * d.k;
  pcc_gemm_desc one = {};
  one.a_dtype = one.b_dtype = d.dtype;
  one.c_dtype = d.c_dtype;
  one.batch0 = one.batch1 = 1;
  one.alpha = 1;
  one.beta = d.adds ? 1 : 0;
  one.trans_a = isSum;
  one.trans_b = d.form == PCC_GROUPED_NT;
  one.m = isSum ? d.n : count;
  one.n = d.form == PCC_GROUPED_NT ? d.n : d.k;
  one.k = isSum ? count : d.form == PCC_GROUPED_NT ? d.k : d.n;
  one.lda = d.form == PCC_GROUPED_NT ? d.k : d.n;
  one.ldb = d.k;
  one.ldc = one.n;
  one.node = d.node;
  int64_t ofB = isSum ? first * one.ldb : matrix,
          ofC = isSum ? matrix : first * one.ldc;
  multiply(one,
           {all.a + first * one.lda * sizeOf(d.dtype),
            all.b + ofB * sizeOf(d.dtype), all.c + ofC * sizeOf(d.c_dtype)},
           threads);
}

static void multiplyNext(void *argument, int) {
  auto *groups = static_cast<Groups *>(argument);
  while (true) {
    int64_t group = groups->next++;
    if (group >= groups->desc->groups)
      return;
    multiplyGroup(*groups->desc, groups->all, groups->ends, group, 1);
  }
}

void pcc::multiplyGroups(const pcc_grouped_gemm_desc &d,
                         const Matrices &matrices, const int32_t *ends,
                         int threads) {
  // Groups of few rows are faster one per thread than several threads for each.
  // Only BLAS runs in any thread.
  const double large = 1e7; // multiply-adds; about 1 ms on one core
  bool isLarge =
      double(d.rows) / double(d.groups) * double(d.n) * double(d.k) > large;
  bool isHalf = d.dtype == PCC_BF16 || d.dtype == PCC_F16;
  if (threads > 1 && d.groups >= threads && !isLarge && !isHalf) {
    Groups groups{&d, matrices, ends};
    runParts(threads, multiplyNext, &groups);
  } else {
    for (int64_t group = 0; group < d.groups; ++group)
      multiplyGroup(d, matrices, ends, group, threads);
  }
  if (d.form == PCC_GROUPED_TN)
    return;
  int64_t columns = d.form == PCC_GROUPED_NT ? d.n : d.k,
          end = ends[d.groups - 1];
  memset(matrices.c + end * columns * sizeOf(d.c_dtype), 0,
         (d.rows - end) * columns * sizeOf(d.c_dtype));
}
