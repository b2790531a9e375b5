//===- Reduction.cpp - The arithmetic of reductions -----------------------===//
//
// Elements are processed in slices that stay in the first-level cache. A slice
// is read from all blocks before it is written, so a destination may be one of
// the blocks.
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/Reduction.h"

#include "runtime/Runtime.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cstring>

using namespace pcc;

/// The elements of a slice.
static const int64_t sliceCount = 2048;

/// sum[i] = sum[i] op next[i]
template <typename T>
static void accumulate(T *__restrict sum, const T *__restrict next, int64_t n,
                       int32_t reduction) {
  if (reduction == PCC_MAX)
    for (int64_t i = 0; i < n; ++i)
      sum[i] = std::max(sum[i], next[i]);
  else
    for (int64_t i = 0; i < n; ++i)
      sum[i] += next[i];
}

/// first[i] = second[i] = a[i] op b[i], the most frequent case. An index is
/// read before it is written.
template <typename T>
static void reducePair(const T *a, const T *b, T *first, T *second, int64_t n,
                       int32_t reduction) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#endif
  for (int64_t i = 0; i < n; ++i) {
    T result = reduction == PCC_MAX ? std::max(a[i], b[i]) : a[i] + b[i];
    first[i] = result;
    second[i] = result;
  }
}

template <typename T>
static void reduceSlice(const Reduction &how,
                        const std::vector<const char *> &blocks,
                        const std::vector<char *> &to, int64_t at, int64_t n) {
  auto block = [&](size_t i) {
    return reinterpret_cast<const T *>(blocks[i]) + at;
  };
  auto destination = [&](size_t i) {
    return reinterpret_cast<T *>(to[i]) + at;
  };
  if (blocks.size() == 2 && to.size() == 2)
    return reducePair(block(0), block(1), destination(0), destination(1), n,
                      how.reduction);
  T sum[sliceCount];
  memcpy(sum, block(0), n * sizeof(T));
  for (size_t i = 1; i < blocks.size(); ++i)
    accumulate(sum, block(i), n, how.reduction);
  for (size_t i = 0; i < to.size(); ++i)
    if (how.adds)
      accumulate(destination(i), sum, n, PCC_SUM);
    else
      memcpy(destination(i), sum, n * sizeof(T));
}

/// The same for bf16 and f16.
static void reduceHalves(const Reduction &how,
                         const std::vector<const char *> &blocks,
                         const std::vector<char *> &to, int64_t at, int64_t n) {
  const int64_t size = 2;
  float sum[sliceCount], next[sliceCount];
  widen(sum, blocks[0] + at * size, how.dtype, n);
  for (size_t i = 1; i < blocks.size(); ++i) {
    widen(next, blocks[i] + at * size, how.dtype, n);
    accumulate(sum, next, n, how.reduction);
  }
  if (how.adds) {
    widen(next, to[0] + at * size, how.dtype, n);
    accumulate(sum, next, n, PCC_SUM);
  }
  narrow(to[0] + at * size, how.dtype, sum, n);
  for (size_t i = 1; i < to.size(); ++i)
    memcpy(to[i] + at * size, to[0] + at * size, n * size);
}

static auto sliceFunction(int32_t dtype) {
  switch (dtype) {
  case PCC_F32:
    return reduceSlice<float>;
  case PCC_F64:
    return reduceSlice<double>;
  case PCC_I64:
    return reduceSlice<int64_t>;
  case PCC_I32:
    return reduceSlice<int32_t>;
  case PCC_BF16:
  case PCC_F16:
    return reduceHalves;
  default:
    fail(ExitInternal,
         format("collectives cannot reduce type %s", dtypeName(dtype)));
  }
}

void Reduction::run(const std::vector<const char *> &blocks,
                    const std::vector<char *> &to, int64_t n) const {
  auto reduce = sliceFunction(dtype);
  for (int64_t at = 0; at < n; at += sliceCount)
    reduce(*this, blocks, to, at, std::min(sliceCount, n - at));
}
