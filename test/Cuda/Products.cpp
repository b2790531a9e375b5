//===- Products.cpp - Descriptors of GEMMs, by the real cuBLASLt ----------===//
//
//     cuda-products TYPE   one GEMM of each of many shapes, and with each
//                          epilogue
//
// On a machine without a GPU the library creates descriptors and accepts
// attributes; it fails when it is asked for an algorithm, which needs a device.
// Each GEMM is requested by a separate process, which must fail there and not
// earlier.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace pcc;

// There is no compiled program.
const pcc_program pcc_the_program = {};
const pcc_device_code pcc_the_device_code = {};

/// The output of a process that requests a GEMM.
static std::string ask(const pcc_fused_desc &desc) {
  int ends[2];
  if (pipe(ends))
    return "no pipe";
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    auto place = [](uintptr_t at) { return reinterpret_cast<char *>(at); };
    const pcc_gemm_desc *product = &desc.product;
    bool isGelu = desc.epilogue == PCC_GELU,
         isGeluGrad = desc.epilogue == PCC_GELU_GRAD;
    if (desc.epilogue == PCC_NO_EPILOGUE)
      pcc_gemm(nullptr, product, place(256), place(512), place(1024));
    else
      pcc_gemm_fused(nullptr, &desc, place(256), place(512), place(1024),
                     isGeluGrad ? nullptr : place(2048),
                     isGelu || isGeluGrad ? place(4096) : nullptr,
                     desc.epilogue == PCC_BIAS ? place(8192) : nullptr);
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char bytes[4096];
  for (ssize_t got; (got = read(ends[0], bytes, sizeof(bytes))) > 0;)
    said.append(bytes, got);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

int main(int argc, char **argv) {
  int32_t type = PCC_F32;
  for (int32_t known : {PCC_F32, PCC_F64, PCC_BF16, PCC_F16})
    if (argc > 1 && !strcmp(argv[1], dtypeName(known)))
      type = known;
  // Opens the library once.
  std::string library = backend::gemmText(type);
  // Rows, columns and depth: of whole accesses, odd, and a single row or
  // column.
  const int64_t sizes[][3] = {
      {64, 128, 32}, {33, 131, 37}, {1, 64, 64}, {64, 1, 64}, {50257, 64, 1}};
  int asked = 0;
  for (const auto &[m, n, k] : sizes)
    for (int transposed = 0; transposed < 4; ++transposed)
      for (int64_t count : {1, 6}) {
        pcc_gemm_desc desc = {};
        desc.a_dtype = desc.b_dtype = desc.c_dtype = type;
        // The result of bf16 or fp16 factors may be f32.
        if (transposed == 1 && sizeOf(type) == 2)
          desc.c_dtype = PCC_F32;
        desc.trans_a = transposed & 1;
        desc.trans_b = transposed >> 1;
        desc.m = m;
        desc.n = n;
        desc.k = k;
        desc.lda = desc.trans_a ? m : k;
        desc.ldb = desc.trans_b ? k : n;
        desc.ldc = n;
        desc.batch0 = 1;
        desc.batch1 = count;
        desc.a1 = m * k;
        desc.c1 = m * n;
        desc.alpha = 1;
        for (int32_t epilogue = PCC_NO_EPILOGUE; epilogue <= PCC_SUM_B;
             ++epilogue) {
          bool isSum = epilogue == PCC_SUM_A || epilogue == PCC_SUM_B;
          if (epilogue && (count != 1 || type == PCC_F64 ||
                           (isSum && desc.c_dtype != PCC_F32)))
            continue;
          std::string said = ask({desc, epilogue});
          ++asked;
          if (said.find("cuBLASLt cannot start") != std::string::npos)
            continue;
          printf("%s %lld x %lld x %lld, transposed %d, %lld, ends with %d: "
                 "%s\n",
                 dtypeName(type), static_cast<long long>(m),
                 static_cast<long long>(k), static_cast<long long>(n),
                 transposed, static_cast<long long>(count), epilogue,
                 said.c_str());
          return 1;
        }
      }
  printf("%d products of %s are described to %s\n", asked, dtypeName(type),
         library.c_str());
}
