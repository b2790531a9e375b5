//===- GroupedGemm.cpp - Grouped GEMMs on CPUs ----------------------------===//

#include "runtime/cpu/Gemm.h"
#include "runtime/host/Threads.h"
#include "runtime/support/DType.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

using namespace pcc;

namespace {
/// The groups of a grouped GEMM that threads take one by one.
struct Groups {
  const pcc_grouped_gemm_desc *desc = nullptr;
  Matrices all = {};
  const int32_t *ends = nullptr;
  std::vector<int64_t> own;
  std::atomic<size_t> next{0};
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
    size_t next = groups->next++;
    if (next >= groups->own.size())
      return;
    multiplyGroup(*groups->desc, groups->all, groups->ends, groups->own[next],
                  1);
  }
}

void pcc::multiplyGroups(const pcc_grouped_gemm_desc &d,
                         const Matrices &matrices, const int32_t *ends,
                         int threads) {
  // A thread computes a group alone, without waiting for others, unless the
  // group is more than a thread's share. Only BLAS runs in any thread.
  bool isHalf = d.dtype == PCC_BF16 || d.dtype == PCC_F16;
  bool isDivided = threads > 1 && !isHalf;
  int64_t share = ends[d.groups - 1] / threads;
  Groups groups;
  groups.desc = &d;
  groups.all = matrices;
  groups.ends = ends;
  auto rowsOf = [&](int64_t group) {
    return ends[group] - (group ? ends[group - 1] : 0);
  };
  for (int64_t group = 0; group < d.groups; ++group) {
    if (isDivided && rowsOf(group) <= share)
      groups.own.push_back(group);
    else
      multiplyGroup(d, matrices, ends, group, threads);
  }
  if (!groups.own.empty()) {
    // The largest first, so that threads end together.
    std::sort(groups.own.begin(), groups.own.end(), [&](int64_t x, int64_t y) {
      return std::pair(-rowsOf(x), x) < std::pair(-rowsOf(y), y);
    });
    runParts(threads, multiplyNext, &groups);
  }
  if (d.form == PCC_GROUPED_TN)
    return;
  int64_t columns = d.form == PCC_GROUPED_NT ? d.n : d.k,
          end = ends[d.groups - 1];
  memset(matrices.c + end * columns * sizeOf(d.c_dtype), 0,
         (d.rows - end) * columns * sizeOf(d.c_dtype));
}
