//===- Gemm.cpp - GEMMs of the CPU back end -------------------------------===//
//
// Compares every combination of element types with sums in double precision.
// For integers the result must be exact and rounded once; for other numbers it
// must be within the rounding error of a sum in f32. Prints how bf16 and fp16
// GEMMs are computed here; DNNL_MAX_CPU_ISA selects the implementation.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/host/Threads.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "test/Runtime/Check.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

namespace {
/// Elements of some type, and their values in double precision.
struct Values {
  Values(int32_t dtype, int64_t count)
      : dtype(dtype), bytes(count * sizeOf(dtype)), worth(count) {}

  void fill(const std::function<double(int64_t)> &value) {
    for (size_t i = 0; i < worth.size(); ++i)
      worth[i] = value(i);
    convert(bytes.data(), dtype, 1, worth.data(), PCC_F64, 1, worth.size());
    read();
  }
  /// Converts the current `bytes` to values.
  void read() {
    convert(worth.data(), PCC_F64, 1, bytes.data(), dtype, 1, worth.size());
  }

  int32_t dtype;
  std::vector<char> bytes;
  std::vector<double> worth;
};

/// Types of the operands and of the result.
struct Types {
  int32_t in, out;
};

struct Shape {
  int64_t m, n, k, batch0, batch1;
};
} // namespace

static const Types allTypes[] = {{PCC_F32, PCC_F32},  {PCC_F64, PCC_F64},
                                 {PCC_BF16, PCC_F32}, {PCC_BF16, PCC_BF16},
                                 {PCC_F16, PCC_F32},  {PCC_F16, PCC_F16}};

static uint64_t state = 1;
/// An integer in [low, high].
static int64_t draw(int64_t low, int64_t high) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return low + static_cast<int64_t>((state >> 33) % (high - low + 1));
}

/// Describes contiguous matrices with rows padded by `pad`.
static pcc_gemm_desc describe(Types types, Shape s, bool transA, bool transB,
                              int64_t pad) {
  pcc_gemm_desc d = {};
  d.a_dtype = d.b_dtype = types.in;
  d.c_dtype = types.out;
  d.trans_a = transA, d.trans_b = transB;
  d.m = s.m, d.n = s.n, d.k = s.k;
  d.lda = (transA ? s.m : s.k) + pad, d.ldb = (transB ? s.k : s.n) + pad;
  d.ldc = s.n + pad;
  d.batch0 = s.batch0, d.batch1 = s.batch1;
  d.a1 = (transA ? s.k : s.m) * d.lda, d.a0 = s.batch1 * d.a1;
  d.b1 = (transB ? s.n : s.k) * d.ldb, d.b0 = s.batch1 * d.b1;
  d.c1 = s.m * d.ldc, d.c0 = s.batch1 * d.c1;
  d.alpha = 1;
  return d;
}

/// The number of elements from the first to the last that a batch of matrices
/// touches.
static int64_t extent(const pcc_gemm_desc &d, int64_t rows, int64_t stride,
                      int64_t columns, int64_t step0, int64_t step1) {
  return (rows - 1) * stride + columns + (d.batch0 - 1) * step0 +
         (d.batch1 - 1) * step1;
}

/// Computes the result in double precision, and the sums of absolute values of
/// the terms.
static void reference(const pcc_gemm_desc &d, const Values &a, const Values &b,
                      std::vector<double> &c, std::vector<double> &sizes) {
  for (int64_t batch = 0; batch < d.batch0 * d.batch1; ++batch) {
    int64_t i0 = batch / d.batch1, i1 = batch % d.batch1;
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < d.k; ++k) {
          double term = a.worth[i0 * d.a0 + i1 * d.a1 +
                                (d.trans_a ? k * d.lda + i : i * d.lda + k)] *
                        b.worth[i0 * d.b0 + i1 * d.b1 +
                                (d.trans_b ? j * d.ldb + k : k * d.ldb + j)];
          sum += term;
          size += std::fabs(term);
        }
        int64_t at = i0 * d.c0 + i1 * d.c1 + i * d.ldc + j;
        double before = d.beta == 0 ? 0 : d.beta * c[at];
        c[at] = d.alpha * sum + before;
        sizes[at] = std::fabs(d.alpha) * size + std::fabs(before);
      }
  }
}

static void report(const pcc_gemm_desc &d, size_t at, double got,
                   double expected) {
  fprintf(stderr,
          "%s -> %s, %lldx%lldx%lld, trans %d %d, batch %lld %lld, alpha %g, "
          "beta %g: element %zu is %.9g, not %.9g\n",
          dtypeName(d.a_dtype), dtypeName(d.c_dtype),
          static_cast<long long>(d.m), static_cast<long long>(d.n),
          static_cast<long long>(d.k), d.trans_a, d.trans_b,
          static_cast<long long>(d.batch0), static_cast<long long>(d.batch1),
          d.alpha, d.beta, at, got, expected);
  ++failures;
}

/// The unit roundoff of a type.
static double roundoff(int32_t dtype) {
  return dtype == PCC_F64    ? 0x1p-53
         : dtype == PCC_F32  ? 0x1p-24
         : dtype == PCC_BF16 ? 0x1p-8
                             : 0x1p-11;
}

/// Computes a GEMM of integers, or else of other numbers, and compares.
static void check(pcc_context *ctx, const pcc_gemm_desc &d, bool integers,
                  bool positive) {
  auto value = [&](int64_t) {
    int64_t drawn = draw(positive ? 0 : -7, 7);
    return integers ? double(drawn) : drawn * 0.13 + draw(0, 99) * 1e-3;
  };
  Values a(d.a_dtype, extent(d, d.trans_a ? d.k : d.m, d.lda,
                             d.trans_a ? d.m : d.k, d.a0, d.a1)),
      b(d.b_dtype, extent(d, d.trans_b ? d.n : d.k, d.ldb,
                          d.trans_b ? d.k : d.n, d.b0, d.b1)),
      c(d.c_dtype, extent(d, d.m, d.ldc, d.n, d.c0, d.c1));
  a.fill(value), b.fill(value);
  if (d.beta == 0)
    c.fill([](int64_t) { return NAN; }); // must not be read
  else
    c.fill(value);
  std::vector<double> expected = c.worth, sizes(c.worth.size(), 0);
  reference(d, a, b, expected, sizes);
  if (integers) {
    Values rounded(d.c_dtype, expected.size());
    rounded.fill([&](int64_t i) { return expected[i]; });
    expected = rounded.worth;
  }
  pcc_gemm(ctx, &d, a.bytes.data(), b.bytes.data(), c.bytes.data());
  c.read();
  // One rounding for each term, for alpha and for beta in f32; then one of the
  // result, whose subnormals are evenly spaced.
  double gamma = (d.k + 3) * roundoff(d.c_dtype == PCC_F64 ? PCC_F64 : PCC_F32);
  double last = d.c_dtype == PCC_F32 ? 0 : roundoff(d.c_dtype);
  double spacing = d.c_dtype == PCC_F16 ? 0x1p-25 : 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    bool padding = std::isnan(expected[i]);
    double sum = gamma * sizes[i];
    double bound = sum + last * (std::fabs(expected[i]) + sum) + spacing;
    bool same = padding    ? std::isnan(c.worth[i])
                : integers ? c.worth[i] == expected[i]
                           : std::fabs(c.worth[i] - expected[i]) <= bound;
    if (!same)
      return report(d, i, c.worth[i], expected[i]);
  }
}

static void testShapes(pcc_context *ctx, Types types) {
  // One tile and several, one block of k and several, vectors, numbers.
  const Shape shapes[] = {{5, 7, 6, 1, 1},      {1, 1, 1, 1, 1},
                          {3, 1, 9, 1, 1},      {1, 9, 4, 1, 1},
                          {4, 6, 1, 1, 1},      {40, 34, 70, 3, 4},
                          {530, 20, 520, 1, 1}, {33, 310, 1100, 1, 1}};
  for (const Shape &shape : shapes)
    for (int form = 0; form < 4; ++form) {
      pcc_gemm_desc d = describe(types, shape, form & 1, form & 2, form);
      d.beta = form == 1 ? 1 : form == 2 ? 2 : 0;
      d.alpha = form == 3 ? 0.5 : 1;
      check(ctx, d, /*integers=*/true, /*positive=*/form & 1);
      check(ctx, d, /*integers=*/false, /*positive=*/form & 1);
    }
}

/// Batches of interleaved matrices, and of matrices that several GEMMs share.
static void testStrides(pcc_context *ctx, Types types) {
  const int64_t tokens = 9, heads = 3, depth = 8;
  for (int form = 0; form < 4; ++form) {
    pcc_gemm_desc d = describe(types, {tokens, tokens, depth, 2, heads},
                               /*transA=*/false, /*transB=*/true, 0);
    // Operands [2, tokens, heads, depth], as attention has them.
    d.lda = d.ldb = heads * depth;
    d.a0 = d.b0 = tokens * heads * depth;
    d.a1 = d.b1 = depth;
    if (form == 1)
      d.b1 = 0; // shared by the heads
    if (form == 2)
      d.a0 = 0, d.b1 = 0;
    if (form == 3)
      d.c0 = tokens * tokens, d.c1 = 2 * d.c0; // batch0 fastest in C
    d.beta = form == 2;
    check(ctx, d, /*integers=*/true, /*positive=*/false);
    check(ctx, d, /*integers=*/false, /*positive=*/true);
  }
}

static void testDrawn(pcc_context *ctx, Types types) {
  for (int i = 0; i < 24; ++i) {
    Shape shape = {draw(1, 40), draw(1, 40), draw(1, 90), draw(1, 3),
                   draw(1, 3)};
    pcc_gemm_desc d =
        describe(types, shape, draw(0, 1), draw(0, 1), draw(0, 5));
    d.alpha = draw(0, 1) ? 1 : 0.25f;
    d.beta = draw(0, 2);
    check(ctx, d, /*integers=*/draw(0, 1), /*positive=*/draw(0, 1));
  }
}

/// NaNs, and values that overflow the type.
static void testSpecial(pcc_context *ctx, Types types) {
  const int64_t m = 20, n = 17, k = 33;
  pcc_gemm_desc d = describe(types, {m, n, k, 1, 1}, false, false, 0);
  Values a(types.in, m * k), b(types.in, k * n), c(types.out, m * n);
  a.fill([&](int64_t i) {
    return i == 0 ? INFINITY : i == k + 3 ? NAN : i / k == 2 ? 0x1p14 : 1;
  });
  b.fill([](int64_t) { return 1; });
  pcc_gemm(ctx, &d, a.bytes.data(), b.bytes.data(), c.bytes.data());
  c.read();
  double greatest = types.out == PCC_F16 ? INFINITY : k * 0x1p14;
  for (int64_t j = 0; j < n; ++j) {
    CHECK(c.worth[j] == INFINITY);
    CHECK(std::isnan(c.worth[n + j]));
    CHECK(c.worth[2 * n + j] == greatest);
    CHECK(c.worth[3 * n + j] == k);
  }
}

/// Whether a description is rejected as one that the compiler must not emit.
static bool isRefused(pcc_context *ctx, int32_t a, int32_t b, int32_t c) {
  pcc_gemm_desc d = describe({a, c}, {1, 1, 1, 1, 1}, false, false, 0);
  d.b_dtype = b;
  double x = 0, y = 0, z = 0;
  pid_t child = fork();
  if (child == 0) {
    fclose(stderr);
    pcc_gemm(ctx, &d, &x, &y, &z);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == ExitInternal;
}

static void testRefusals(pcc_context *ctx) {
  CHECK(!isRefused(ctx, PCC_F32, PCC_F32, PCC_F32));
  CHECK(isRefused(ctx, PCC_BF16, PCC_F16, PCC_F32));
  CHECK(isRefused(ctx, PCC_BF16, PCC_F32, PCC_F32));
  CHECK(isRefused(ctx, PCC_BF16, PCC_BF16, PCC_F16));
  CHECK(isRefused(ctx, PCC_BF16, PCC_BF16, PCC_F64));
  CHECK(isRefused(ctx, PCC_F32, PCC_F32, PCC_BF16));
  CHECK(isRefused(ctx, PCC_F64, PCC_F64, PCC_F32));
  CHECK(isRefused(ctx, PCC_I32, PCC_I32, PCC_I32));
  CHECK(isRefused(ctx, PCC_DTYPES, PCC_DTYPES, PCC_DTYPES));
}

int main() {
  pcc_program program = {};
  backend::join(/*alone=*/true);
  std::string resources;
  pcc_context *ctx = backend::prepare(program, {}, resources);
  testRefusals(ctx);
  for (int32_t dtype : {PCC_BF16, PCC_F16})
    printf("%s: %s\n", dtypeName(dtype), backend::gemmText(dtype).c_str());
  CHECK(backend::gemmText(PCC_F32) == "OpenBLAS");
  for (int threads : {1, 3}) {
    ctx->threads = threads;
    setThreads(threads);
    for (Types types : allTypes) {
      testShapes(ctx, types);
      testStrides(ctx, types);
      testDrawn(ctx, types);
      testSpecial(ctx, types);
    }
  }
  int result = checkResult();
  backend::finish();
  return result;
}
