//===- products.cpp - Times the GEMMs of the CPU back end -----------------===//
//
// Reads lines "m n k form dtype c_dtype". `form` is nn, nt or tn (the operand
// that is transposed), the dtypes are numbers of pcc_dtype. Prints a line with
// the number of threads and the library of bf16 GEMMs. Then prints for each
// line the seconds of one GEMM, as one call of a program's step, and its CPU
// time in seconds. The first answer for a new line includes one-time setup.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/support/Clock.h"
#include "runtime/support/DType.h"

#include <cstdio>
#include <ctime>
#include <map>
#include <string>

using namespace pcc;

namespace {
struct Operands {
  char *a, *b, *c;
};
} // namespace

/// The CPU time of this process in seconds.
static double processorNow() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + time.tv_nsec * 1e-9;
}

/// Pseudorandom elements, in memory like a program's arena.
static char *fill(int32_t dtype, int64_t count) {
  char *made = backend::allocateArena(count * sizeOf(dtype), /*kept=*/0, {});
  uint32_t state = 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    float value = static_cast<float>(state >> 8) * 0x1p-23f - 1;
    convert(made + i * sizeOf(dtype), dtype, 1, &value, PCC_F32, 1, 1);
  }
  return made;
}

int main() {
  pcc_program program = {};
  backend::join(/*alone=*/true);
  std::string resources;
  pcc_context *context = backend::prepare(program, {}, resources);
  printf("%s, bf16: %s\n", resources.c_str(),
         backend::gemmText(PCC_BF16).c_str());
  fflush(stdout);

  std::map<std::string, Operands> kept;
  long long m, n, k;
  int dtype, result;
  char form[8];
  while (scanf("%lld %lld %lld %7s %d %d", &m, &n, &k, form, &dtype, &result) ==
         6) {
    std::string name = std::to_string(m) + " " + std::to_string(n) + " " +
                       std::to_string(k) + form + std::to_string(dtype) +
                       std::to_string(result);
    auto [it, isNew] = kept.try_emplace(name);
    Operands &operands = it->second;
    if (isNew)
      operands = {
          fill(dtype, m * k), fill(dtype, k * n),
          backend::allocateArena(m * n * sizeOf(result), /*kept=*/0, {})};
    pcc_gemm_desc d = {};
    d.a_dtype = d.b_dtype = dtype;
    d.c_dtype = result;
    d.trans_a = form[0] == 't', d.trans_b = form[1] == 't';
    d.m = m, d.n = n, d.k = k;
    d.lda = d.trans_a ? m : k, d.ldb = d.trans_b ? k : n, d.ldc = n;
    d.batch0 = d.batch1 = 1;
    d.alpha = 1;
    double processor = processorNow();
    double begin = steadyNow();
    pcc_gemm(context, &d, operands.a, operands.b, operands.c);
    double end = steadyNow();
    printf("%.9f %.9f\n", end - begin, processorNow() - processor);
    fflush(stdout);
  }
  backend::finish();
  return 0;
}
